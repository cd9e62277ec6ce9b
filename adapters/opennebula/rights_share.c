/* Sums the holdings of a user's reservations. */
#include "adapters/opennebula/rights_share.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/reason_details.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/time_text.h"

#define SHARE_WHOLE INT64_C(1000000000)

/* A refusal states no more; sums of this do not overflow. */
#define SHARE_MOST (100 * SHARE_WHOLE)

/* A change of the sum of the user's other holdings. */
struct step {
    int64_t at, change;
};

struct steps {
    struct step *of; /* by time */
    size_t n;
};

/* Ends come before beginnings at the same time, so that these are not added to one another. */
static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->change > y->change) - (x->change < y->change);
}

static int64_t share_of(const struct rights_holding *holding)
{
    return holding->share < SHARE_MOST ? holding->share : SHARE_MOST;
}

static void steps_init(struct steps *steps, const struct rights_request *request)
{
    *steps = (struct steps){memory_new(2 * request->n_holdings, sizeof *steps->of), 0};
    for (size_t i = 1; i < request->n_holdings; i++) {
        const struct rights_holding *other = &request->holdings[i];

        steps->of[steps->n++] = (struct step){other->from, share_of(other)};
        steps->of[steps->n++] = (struct step){other->until, -share_of(other)};
    }
    qsort(steps->of, steps->n, sizeof *steps->of, by_time);
}

/* The end of the time before step i; the sum does not change after the last one. */
static int64_t next_time(const struct steps *steps, size_t i)
{
    return i < steps->n ? steps->of[i].at : INSTANT_NEVER;
}

/* The largest sum of other holdings in this time, and when it is first reached; 0: none. */
static int64_t largest_sum(const struct steps *steps, int64_t from, int64_t until, int64_t *at)
{
    int64_t sum = 0, most = 0;

    *at = from;
    for (size_t i = 0; i <= steps->n && from < until; i++) {
        if (next_time(steps, i) > from) {
            if (sum > most)
                *at = from;
            most = sum > most ? sum : most;
            from = next_time(steps, i);
        }
        sum += i < steps->n ? steps->of[i].change : 0;
    }
    return most;
}

/* The earliest time, not before `from`, from which on the others hold at most `most` for `length`
 * seconds; INSTANT_NEVER: none. */
static int64_t possible_start(const struct steps *steps, int64_t from, int64_t length, int64_t most)
{
    int64_t sum = 0;

    for (size_t i = 0; i <= steps->n; i++) {
        if (i > 0 && steps->of[i - 1].at >= instant_add(from, length))
            break;
        if (next_time(steps, i) > from && sum > most)
            from = next_time(steps, i);
        sum += i < steps->n ? steps->of[i].change : 0;
    }
    return from;
}

static int percent(int64_t share)
{
    return (int)(share > 100 * SHARE_WHOLE ? 10000 : (share * 100 + SHARE_WHOLE - 1) / SHARE_WHOLE);
}

/* Suggests fewer VMs, or a later start. `others`: held by the user's other reservations. */
static void suggest(const struct rights_request *request, const struct steps *steps, int64_t most,
                    int64_t others, char text[LEASE_SPEC_TEXT_MAX])
{
    const struct rights_holding *own = request->holdings;
    uint32_t n_vms =
        request->spec->group_size > request->n_vms ? request->spec->group_size : request->n_vms;
    int64_t possible = others < most ? n_vms * (most - others) / own->share : 0, start;
    struct detail detail = {.id = DETAIL_SHARE_OF_VMS, .n = {possible, n_vms}};

    if (possible <= 0) {
        if (own->until == INSTANT_NEVER || own->share > most)
            return;
        start = possible_start(steps, own->from, own->until - own->from, most - own->share);
        if (start == INSTANT_NEVER)
            return;
        detail = (struct detail){.id = DETAIL_SHARE_POSSIBLE, .n = {start}};
    }
    details_add(text, LEASE_SPEC_TEXT_MAX, &detail);
}

bool rights_share_allows(const struct rights_request *request, int64_t most, int64_t after,
                         char text[LEASE_SPEC_TEXT_MAX])
{
    const struct rights_holding *own = request->holdings;
    int64_t from = request->others_wait ? request->now : instant_add(request->now, after);
    int64_t allowed = most * SHARE_WHOLE / 100, others, at;
    bool allows;
    struct steps steps;

    if (request->n_holdings == 0 || own->share <= 0 || own->until <= from ||
        own->until <= own->from)
        return true;
    steps_init(&steps, request);
    others = largest_sum(&steps, from > own->from ? from : own->from, own->until, &at);
    allows = share_of(own) + others <= allowed;
    if (!allows) {
        details_add(text, LEASE_SPEC_TEXT_MAX,
                    &(struct detail){.id = DETAIL_MAX_SHARE,
                                     .n = {percent(share_of(own) + others), at, most,
                                           request->others_wait ? -1 : after}});
        suggest(request, &steps, allowed, others, text);
    }
    free(steps.of);
    return allows;
}
