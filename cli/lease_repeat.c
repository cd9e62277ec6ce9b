/* A series of reservations: the start of each occurrence, and a request for each. */
#include "cli/lease_repeat.h"

#include <errno.h>
#include <stdio.h>

#include "cli/client.h"
#include "daemon/control/series.h"
#include "util/time_text.h"

static int make(const struct lease_repeat *repeat, int64_t first, const json_t *request,
                struct series *series, struct error *err)
{
    series->rule = (enum recurrence)(repeat->rule - 1);
    series->first = first;
    return series_make(series, repeat->times, repeat->until, request, err);
}

int lease_repeat_check(const struct lease_repeat *repeat, int64_t first, struct error *err)
{
    struct series series;

    if (!repeat->rule)
        return repeat->times || repeat->until
                   ? error_set(err, EINVAL, "--times and --until require --repeat")
                   : 0;
    if (!first)
        return error_set(err, EINVAL,
                         "--repeat requires the time of the first start (--start TIME)");
    if (!repeat->times == !repeat->until)
        return error_set(err, EINVAL, "--repeat requires either --times or --until");
    return make(repeat, first, NULL, &series, err);
}

static int ask_one(const struct series *series, uint32_t i, const json_t *request,
                   lease_repeat_ask *ask, void *context)
{
    json_t *one = series_request(series, request, i);
    int code = ask(context, one);

    json_decref(one);
    return code;
}

int lease_repeat_ask_all(const struct lease_repeat *repeat, int64_t first, const json_t *request,
                         bool json, lease_repeat_ask *ask, void *context)
{
    int code = EXIT_DONE;
    struct series series;

    if (make(repeat, first, request, &series, NULL) < 0)
        return EXIT_USAGE; /* checked before */
    if (!json)
        printf("Series %s, %u occurrence%s:\n", series.name, series.n, series.n == 1 ? "" : "s");
    for (uint32_t i = 0; i < series.n && (code == EXIT_DONE || code == EXIT_REFUSED); i++) {
        char local[TIME_TEXT_MAX];
        int asked;

        time_text_local(series_start(&series, i), local, sizeof local);
        if (!json)
            printf("Occurrence of %s:\n", local);
        fflush(stdout);
        asked = ask_one(&series, i, request, ask, context);
        code = asked == EXIT_DONE ? code : asked;
        if (asked != EXIT_DONE && asked != EXIT_REFUSED && i + 1 < series.n)
            fprintf(stderr, "No occurrences after %s were requested.\n", local);
    }
    return code;
}
