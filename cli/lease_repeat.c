/* A series of reservations: the start of each occurrence, and a request for each. */
#include "cli/lease_repeat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/client.h"
#include "core/lease_terms.h"
#include "util/instant.h"
#include "util/recurrence.h"
#include "util/time_text.h"

enum { OCCURRENCES_MOST = 1000 };

static int64_t start_of(const struct lease_repeat *repeat, int64_t first, uint32_t n)
{
    return recurrence_at((enum recurrence)(repeat->rule - 1), first, n);
}

/* How many occurrences there are, OCCURRENCES_MOST + 1 at most. */
static uint32_t count(const struct lease_repeat *repeat, int64_t first)
{
    uint32_t n = 0;

    if (repeat->times)
        return (uint32_t)repeat->times;
    while (n <= OCCURRENCES_MOST && start_of(repeat, first, n) <= repeat->until)
        n++;
    return n;
}

int lease_repeat_check(const struct lease_repeat *repeat, int64_t first, struct error *err)
{
    uint32_t n;

    if (!repeat->rule)
        return repeat->times || repeat->until
                   ? error_set(err, EINVAL, "--times and --until need --repeat")
                   : 0;
    if (first == INSTANT_NONE)
        return error_set(err, EINVAL, "--repeat needs the time of the first start (--start TIME)");
    if (!repeat->times == !repeat->until)
        return error_set(err, EINVAL, "--repeat needs either --times or --until");
    n = count(repeat, first);
    if (n == 0)
        return error_set(err, EINVAL, "--until is before the first start");
    if (n > OCCURRENCES_MOST)
        return error_set(err, EINVAL, "a series has at most %d occurrences", OCCURRENCES_MOST);
    return 0;
}

/* The request with the name of the series, for the caller to release. */
static json_t *name_series(const json_t *request, enum recurrence recurrence)
{
    const char *field = lease_terms[TERM_ID_series].name;
    json_t *named = json_deep_copy(request);
    char name[TERM_TEXT_MAX], at[TIME_TEXT_MAX];
    time_t now = time(NULL);
    struct tm local;

    if (json_object_get(named, field) || !localtime_r(&now, &local))
        return named;
    strftime(at, sizeof at, "%Y%m%d-%H%M%S", &local);
    snprintf(name, sizeof name, "%s-%s", recurrence_name(recurrence), at);
    json_object_set_new(named, field, json_string(name));
    return named;
}

static int ask_one(json_t *request, int64_t start, lease_repeat_ask *ask, void *context)
{
    char text[TIME_TEXT_MAX];

    time_text_utc(start, text, sizeof text);
    json_object_set_new(request, "start", json_string(text));
    return ask(context, request);
}

int lease_repeat_ask_all(const struct lease_repeat *repeat, int64_t first, const json_t *request,
                         bool json, lease_repeat_ask *ask, void *context)
{
    json_t *named = name_series(request, (enum recurrence)(repeat->rule - 1));
    uint32_t n = count(repeat, first);
    int code = EXIT_DONE;

    if (!json)
        printf("Series %s, %u occurrences:\n", client_text(named, lease_terms[TERM_ID_series].name),
               n);
    for (uint32_t i = 0; i < n && (code == EXIT_DONE || code == EXIT_REFUSED); i++) {
        int64_t start = start_of(repeat, first, i);
        char local[TIME_TEXT_MAX];
        int asked;

        time_text_local(start, local, sizeof local);
        if (!json)
            printf("Occurrence of %s:\n", local);
        fflush(stdout);
        asked = ask_one(named, start, ask, context);
        code = asked == EXIT_DONE ? code : asked;
        if (asked != EXIT_DONE && asked != EXIT_REFUSED && i + 1 < n)
            fprintf(stderr, "The occurrences after %s were not requested.\n", local);
    }
    json_decref(named);
    return code;
}
