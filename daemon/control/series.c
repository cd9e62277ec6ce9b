/* The starts of a series, and the request for each occurrence. */
#include "daemon/control/series.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "util/time_text.h"

enum { OCCURRENCES_MOST = 1000 };

int64_t series_start(const struct series *series, uint32_t i)
{
    return recurrence_at(series->rule, series->first, i);
}

static const char *name_field(void)
{
    return lease_terms[TERM_ID_series].name;
}

static void set_name(struct series *series, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, name_field()));
    char at[TIME_TEXT_MAX] = "";
    time_t now = time(NULL);
    struct tm local;

    if (!name && localtime_r(&now, &local))
        strftime(at, sizeof at, "%Y%m%d-%H%M%S", &local);
    if (name)
        snprintf(series->name, sizeof series->name, "%s", name);
    else
        snprintf(series->name, sizeof series->name, "%s-%s", recurrence_name(series->rule), at);
}

int series_make(struct series *series, int64_t times, int64_t until, const json_t *request,
                struct error *err)
{
    series->n = 0;
    while (series->n <= OCCURRENCES_MOST &&
           (times ? series->n < times : series_start(series, series->n) <= until))
        series->n++;
    if (series->n == 0)
        return error_set(err, EINVAL, "until is before the first start");
    if (series->n > OCCURRENCES_MOST)
        return error_set(err, EINVAL, "a series has at most %d occurrences", OCCURRENCES_MOST);
    set_name(series, request);
    return 0;
}

json_t *series_request(const struct series *series, const json_t *request, uint32_t i)
{
    json_t *one = json_deep_copy(request);
    char start[TIME_TEXT_MAX];

    time_text_utc(series_start(series, i), start, sizeof start);
    json_object_set_new(one, "start", json_string(start));
    if (!json_object_get(one, name_field()))
        json_object_set_new(one, name_field(), json_string(series->name));
    return one;
}
