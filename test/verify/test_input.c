/* Whatever the file holds: a schedule, or an error that says where. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/verify/read_record.h"
#include "test/verify/records.h"

static int read_text(const char *text, size_t size, struct error *err)
{
    const struct verify_options options = {.partial = true, .complete = true};
    struct verification verification;
    struct schedule schedule;
    int file = memfd_create("record", 0);
    char path[64];
    int result;

    memset(err, 0, sizeof *err);
    assert_int_equal(write(file, text, size), size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    result = read_record_file(&schedule, path, err);
    close(file);
    if (result < 0) {
        assert_int_not_equal(err->code, 0);
        assert_true(strlen(err->text) > 10);
        return -1;
    }
    assert_int_equal(verify_schedule(&schedule, &options, &verification, err), 0);
    verification_finish(&verification);
    schedule_finish(&schedule);
    return 0;
}

static void a_truncated_record_is_an_error(void **state)
{
    json_t *record = load_record("haizea-1.0/img-migrate");
    char *text = json_dumps(record, JSON_COMPACT);
    size_t size = strlen(text);
    struct error err;

    for (size_t i = 0; i < size; i += 7) {
        char *part = malloc(i + 1); /* so that a read beyond it is noticed */

        assert_non_null(part);
        memcpy(part, text, i);
        assert_int_equal(read_text(part, i, &err), -1);
        free(part);
    }
    assert_int_equal(read_text(text, size, &err), 0);
    free(text);
    json_decref(record);
}

static void put(json_t *parent, const char *key, size_t index, json_t *value)
{
    if (key)
        json_object_set(parent, key, value);
    else
        json_array_set(parent, index, value);
}

static void replace_everywhere(json_t *root, json_t *parent);

/* Put something of every type in the place of one value. */
static void replace_value(json_t *root, json_t *parent, const char *key, size_t index,
                          json_t *value)
{
    static const char *const others[] = {"null",
                                         "true",
                                         "-1",
                                         "1e300",
                                         "0.5",
                                         "\"x\"",
                                         "[]",
                                         "{}",
                                         "9000000000000000000",
                                         "[[1]]",
                                         "{\"1\": {\"CPU\": 1}}"};

    json_incref(value);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_t *other = json_loads(others[i], JSON_DECODE_ANY, NULL);
        struct error err;
        char *text;

        put(parent, key, index, other);
        text = json_dumps(root, JSON_COMPACT);
        assert_non_null(text);
        read_text(text, strlen(text), &err);
        free(text);
        put(parent, key, index, value);
        json_decref(other);
    }
    replace_everywhere(root, value);
    json_decref(value);
}

static void replace_everywhere(json_t *root, json_t *parent)
{
    const char *key;
    json_t *value;
    size_t index;
    void *next;

    json_object_foreach_safe(parent, next, key, value)
        replace_value(root, parent, key, 0, value);
    json_array_foreach(parent, index, value)
        replace_value(root, parent, NULL, index, value);
}

static void wrong_types_anywhere_are_survived(void **state)
{
    json_t *record = load_record("haizea-1.0/pre-1be-local");

    json_object_del(record, "counters"); /* not read */
    change_record(record, "galerna",
                  "{\"schema\": \"galerna-record\", \"version\": 1, \"behaviour\": {\"a\": false}, "
                  "\"settings\": {\"suspend-rate\": 32, "
                  "\"enactment-overhead\": 0, \"shutdown-time\": 0}, \"leases\": [{\"id\": 1, "
                  "\"reason\": \"none\", \"terms\": \"suspendable\", \"riding\": [0]}], "
                  "\"withdrawn\": [[1, 2, 3, [1]]]}");
    replace_everywhere(record, record);
    json_decref(record);
}

static void errors_say_where(void **state)
{
    static const struct {
        const char *path, *value, *text;
    } cases[] = {
        {"leases/1/rrs/0/start", "\"x\"",
         "lease 2: rrs[0].start: expected a whole number, found a text"},
        {"leases/1/rrs/0/start", "0.5",
         "lease 2: rrs[0].start: expected a whole number, found 0.5"},
        {"leases/0/state", "\"Asleep\"", "leases[0].state: unknown word \"Asleep\""},
        {"leases", "{}", "leases: expected a list, found an object"},
        {"site/x", "{}", "site.x"},
        {"leases/1/id", "1", "leases[1].id: 1 does not ascend"},
        {"state_log/3/2", "7", "state_log[3]"},
        {"status", "\"crash: KeyError\"", "the run ended with \"crash: KeyError\""},
        {"leases/0/rrs/1/end", "1", "lease 1: rrs[1].end: 1 is before the start 1768"},
        {"end_time", "9000000000000000000", "end_time: the number is too large"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *record = load_record("haizea-1.0/pre-1be-local");
        struct error err;
        char *text;

        change_record(record, cases[i].path, cases[i].value);
        text = json_dumps(record, JSON_COMPACT);
        assert_int_equal(read_text(text, strlen(text), &err), -1);
        if (!strstr(err.text, cases[i].text))
            fail_msg("expected '%s' in '%s'", cases[i].text, err.text);
        free(text);
        json_decref(record);
    }
}

static void what_is_no_record_is_an_error(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "{}",
        "[]",
        "null",
        "3",
        "{\"status\": \"ok\"}",
        "{\"status\": 1}",
        "{\"status\": \"ok\", \"status\": \"ok\"}",
        "status: ok",
        "{\"status\": \"ok\"} x",
        "\xff\xfe{}",
        "{\"a\": \"\xc3\x28\"}",
        "{\"end_time\": 99999999999999999999}",
    };
    struct error err;
    char *nested;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(read_text(texts[i], strlen(texts[i]), &err), -1);
    nested = malloc(1000000);
    assert_non_null(nested);
    memset(nested, '[', 1000000);
    assert_int_equal(read_text(nested, 1000000, &err), -1);
    free(nested);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    struct schedule schedule;
    struct error err;

    assert_int_equal(read_record_file(&schedule, RECORDS "/none.json", &err), -1);
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(read_record_file(&schedule, RECORDS, &err), -1);
    assert_int_equal(err.code, EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_truncated_record_is_an_error),
        cmocka_unit_test(wrong_types_anywhere_are_survived),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(what_is_no_record_is_an_error),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
