/* Sums the holdings of a user's reservations. */
#include "adapters/opennebula/rights_share.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/instant.h"
#include "util/time_text.h"

#define SHARE_WHOLE INT64_C(1000000000)

enum { SUGGEST_MOST = 200 }; /* holdings; the search for a start is cubic in them */

static bool holds(const struct rights_holding *holding, int64_t at)
{
    return holding->from <= at && at < holding->until;
}

static int64_t sum_at(const struct rights_holding *holdings, size_t n, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (holds(&holdings[i], at) && __builtin_add_overflow(sum, holdings[i].share, &sum))
            return INT64_MAX;
    return sum;
}

/* The largest sum during the first holding, not before `after`, with its first time in *at; 0:
 * none. Sums only grow at the beginnings of holdings. */
static int64_t largest_sum(const struct rights_holding *holdings, size_t n, int64_t after,
                           int64_t *at)
{
    int64_t most = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t time = holdings[i].from > after ? holdings[i].from : after, sum;

        if (time < holdings[0].from)
            time = holdings[0].from;
        if (!holds(&holdings[0], time))
            continue;
        sum = sum_at(holdings, n, time);
        if (sum > most || (sum == most && time < *at)) {
            most = sum;
            *at = time;
        }
    }
    return most;
}

/* Is the limit kept if the first holding begins at `from`? */
static bool fits_from(const struct rights_holding *holdings, size_t n, int64_t from, int64_t most)
{
    int64_t length = holdings[0].until - holdings[0].from, others;
    bool fits;

    others = most - holdings[0].share;
    fits = sum_at(holdings + 1, n - 1, from) <= others;
    for (size_t i = 1; i < n && fits; i++)
        if (holdings[i].from > from && holdings[i].from - from < length)
            fits = sum_at(holdings + 1, n - 1, holdings[i].from) <= others;
    return fits;
}

/* The earliest start of the first holding, with its length, that keeps the sum within `most`;
 * INSTANT_NEVER: none, or too many holdings to search. */
static int64_t possible_start(const struct rights_holding *holdings, size_t n, int64_t most)
{
    int64_t start = INSTANT_NEVER;

    if (n > SUGGEST_MOST || holdings[0].until == INSTANT_NEVER || holdings[0].share > most)
        return INSTANT_NEVER;
    for (size_t i = 1; i < n; i++)
        if (holdings[i].until > holdings[0].from && holdings[i].until < start &&
            fits_from(holdings, n, holdings[i].until, most))
            start = holdings[i].until;
    return start;
}

static int percent(int64_t share)
{
    return (int)(share > 100 * SHARE_WHOLE ? 10000 : (share * 100 + SHARE_WHOLE - 1) / SHARE_WHOLE);
}

/* Suggests fewer VMs, or a later start. `sum`: with all VMs. */
static void suggest(const struct rights_request *request, int64_t most, int64_t sum, char *text,
                    size_t size)
{
    const struct rights_holding *own = request->holdings;
    uint32_t n_vms =
        request->spec->group_size > request->n_vms ? request->spec->group_size : request->n_vms;
    int64_t others = sum - own->share, start;
    int64_t possible = others < most ? n_vms * (most - others) / own->share : 0;
    char time[40];

    text[0] = '\0';
    if (possible > 0) {
        snprintf(text, size, ": %" PRId64 " of its %u VMs", possible, n_vms);
        return;
    }
    start = possible_start(own, request->n_holdings, most);
    if (start == INSTANT_NEVER)
        return;
    time_text_local(start, time, sizeof time);
    snprintf(text, size, ": possible from %s", time);
}

bool rights_share_allows(const struct rights_request *request, int64_t most, int64_t after,
                         char text[RIGHTS_SHARE_TEXT])
{
    int64_t from = request->others_wait ? request->now : instant_add(request->now, after);
    int64_t allowed = most * SHARE_WHOLE / 100, at = INSTANT_NEVER, sum;
    char time[40], ahead[32], instead[60];

    if (request->n_holdings == 0 || request->holdings->share <= 0)
        return true;
    sum = largest_sum(request->holdings, request->n_holdings, from, &at);
    if (sum <= allowed)
        return true;
    time_text_local(at, time, sizeof time);
    time_text_span(after, ahead, sizeof ahead);
    suggest(request, allowed, sum, instead, sizeof instead);
    snprintf(text, RIGHTS_SHARE_TEXT,
             "you would hold %d%% of the cloud at %s, at most %" PRId64 "%% is allowed %s%s "
             "(max-share)%s",
             percent(sum), time, most, request->others_wait ? "while others wait for room" : ahead,
             request->others_wait ? "" : " or more ahead", instead);
    return false;
}
