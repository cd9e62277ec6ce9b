/* One call of the HTTP API for all occurrences of a series. */
#include "web/occurrences.h"

#include <errno.h>
#include <string.h>

#include "daemon/control/jansson_values.h"
#include "daemon/control/series.h"
#include "util/instant.h"
#include "util/time_parse.h"

bool series_is_asked(const json_t *asked)
{
    return json_object_get(asked, "repeat") != NULL;
}

/* --- the request ------------------------------------------------------------------------------ */

static int read_rule(const json_t *asked, enum recurrence *rule, struct error *err)
{
    const char *word = json_string_value(json_object_get(asked, "repeat"));

    for (int i = 0; word && i < RECURRENCES; i++)
        if (strcmp(word, recurrence_name((enum recurrence)i)) == 0) {
            *rule = (enum recurrence)i;
            return 0;
        }
    return error_set(err, EINVAL, "repeat: expected hourly, daily, weekdays or weekly");
}

/* Leaves *instant unchanged if the field is missing. */
static int read_time(const json_t *asked, const char *field, int64_t *instant, struct error *err)
{
    const json_t *value = json_object_get(asked, field);

    if (!value || (json_is_string(value) && time_parse_utc(json_string_value(value), instant)))
        return 0;
    return error_set(err, EINVAL, "%s: expected a time such as 2026-11-21T15:00:00Z", field);
}

static int read_series(const json_t *asked, struct series *series, struct error *err)
{
    const json_t *times = json_object_get(asked, "times");
    int64_t until = 0;

    series->first = INSTANT_NONE;
    if (read_rule(asked, &series->rule, err) < 0 ||
        read_time(asked, "start", &series->first, err) < 0 ||
        read_time(asked, "until", &until, err) < 0)
        return -1;
    if (times && json_integer_value(times) < 1)
        return error_set(err, EINVAL, "times: expected a whole number of 1 or more");
    if (series->first == INSTANT_NONE)
        return error_set(err, EINVAL, "repeat needs the start of the first occurrence (start)");
    if (!times == !until)
        return error_set(err, EINVAL, "repeat needs either times or until");
    return series_make(series, json_integer_value(times), until, asked, err);
}

/* --- the answer ------------------------------------------------------------------------------- */

static const char *code_of(const json_t *answer)
{
    const char *code = json_string_value(json_object_get(answer, "code"));

    return json_is_true(json_object_get(answer, "ok")) ? NULL : code ? code : "failed";
}

/* Adds galernad's answer for one occurrence, with its requested start. */
static void add_occurrence(json_t *occurrences, json_t *answer, int64_t start)
{
    static const char *const of_document[] = {"ok", "schema", "now", "outdated"};
    json_t *occurrence = json_copy(answer);

    for (size_t i = 0; i < sizeof of_document / sizeof *of_document; i++)
        json_object_del(occurrence, of_document[i]);
    json_object_set_new(occurrence, "start", json_from_instant(start));
    json_array_append_new(occurrences, occurrence);
}

static bool is_each_accepted(const json_t *occurrences)
{
    const json_t *occurrence;
    size_t i;

    json_array_foreach(occurrences, i, occurrence) {
        if (!json_is_true(json_object_get(occurrence, "accepted")))
            return false;
    }
    return true;
}

struct asking {
    const struct access *access;
    const json_t *request;
    struct series series;
    json_t *occurrences;
    size_t refused;
};

/* Returns the last answer, which ends the call, or NULL with err. */
static json_t *ask_all(struct asking *asking, struct error *err)
{
    json_t *answer = NULL;
    bool goes_on = true;

    for (uint32_t i = 0; i < asking->series.n && goes_on; i++) {
        json_decref(answer);
        answer = asking->access->ask(asking->access->context,
                                     series_request(&asking->series, asking->request, i), err);
        if (!answer)
            return NULL;
        add_occurrence(asking->occurrences, answer, series_start(&asking->series, i));
        if (code_of(answer)) {
            goes_on = strcmp(code_of(answer), "refused") == 0;
            asking->refused++;
        }
    }
    return answer;
}

static json_t *series_document(const struct asking *asking, const json_t *last)
{
    json_t *document = json_pack(
        "{s:b, s:s, s:s, s:O, s:I}", "ok", 1, "schema", "galerna-lease-series/1", "series",
        asking->series.name, "occurrences", asking->occurrences, "not_requested",
        (json_int_t)(asking->series.n - json_array_size(asking->occurrences)));

    if (json_object_get(last, "accepted"))
        json_object_set_new(document, "accepted",
                            json_boolean(is_each_accepted(asking->occurrences)));
    return document;
}

json_t *series_ask(const struct access *access, json_t *asked, struct error *err)
{
    static const char *const of_series[] = {"repeat", "times", "until"};
    struct asking asking = {.access = access, .request = asked};
    json_t *last, *document;

    if (read_series(asked, &asking.series, err) < 0)
        return NULL;
    for (size_t i = 0; i < sizeof of_series / sizeof *of_series; i++)
        json_object_del(asked, of_series[i]);
    asking.occurrences = json_array();
    last = ask_all(&asking, err);
    if (last && asking.refused == json_array_size(asking.occurrences))
        document = json_incref(last);
    else
        document =
            last || json_array_size(asking.occurrences) ? series_document(&asking, last) : NULL;
    json_decref(last);
    json_decref(asking.occurrences);
    return document;
}
