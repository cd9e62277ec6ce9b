/* Golden records, changed and checked. */
#include "test/verify/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/read.h"

json_t *load_record(const char *name)
{
    char path[512];
    json_error_t problem;
    json_t *record;

    snprintf(path, sizeof path, "%s/%s.json", RECORDS, name);
    record = json_load_file(path, 0, &problem);
    if (!record)
        fail_msg("%s: %s", path, problem.text);
    return record;
}

static json_t *step(json_t *value, const char *name)
{
    if (json_is_array(value))
        return json_array_get(value, (size_t)atoi(name));
    return json_object_get(value, name);
}

void change_record(json_t *record, const char *path, const char *value)
{
    char copy[200], *rest = copy, *name, *next;
    json_t *at = record, *changed = NULL;
    int result;

    snprintf(copy, sizeof copy, "%s", path);
    name = strsep(&rest, "/");
    while ((next = strsep(&rest, "/"))) {
        at = step(at, name);
        name = next;
    }
    assert_non_null(at);
    if (value) {
        changed = json_loads(value, JSON_DECODE_ANY, NULL);
        assert_non_null(changed);
    }
    if (json_is_array(at))
        result = changed ? json_array_set_new(at, (size_t)atoi(name), changed)
                         : json_array_remove(at, (size_t)atoi(name));
    else
        result = changed ? json_object_set_new(at, name, changed) : json_object_del(at, name);
    assert_int_equal(result, 0);
}

void check_record(json_t *record, const struct verify_options *options,
                  struct verification *verification)
{
    struct schedule schedule;
    struct error err;

    if (schedule_read_json(&schedule, record, "record", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(verify_schedule(&schedule, options, verification, &err), 0);
    schedule_finish(&schedule);
}
