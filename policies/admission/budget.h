/* budget.h: the users' use of a weekly budget, in VM-hours or CPU-hours.
 *
 * Time is divided into hours, beginning a week before the request. The past and promised use of
 * other leases is summed by hour; a request fits if no week that overlaps it exceeds the budget.
 * Weeks are all intervals of 168 hours, or calendar weeks, which begin on Monday. Waiting leases
 * count from now on; a request without an end, or of more than four weeks, counts for four weeks.
 */
#pragma once

#include <string.h>

#include "unfinished.h"

enum {
    BUDGET_HOUR = 3600,
    BUDGET_WEEK = 168,                /* hours */
    BUDGET_LONGEST = 4 * BUDGET_WEEK, /* for a lease, and for the search for room */
    BUDGET_SLOTS = BUDGET_WEEK + 2 * BUDGET_LONGEST + BUDGET_WEEK,
};

/* A past use. */
struct budget_use {
    int64_t user, from, until;
    int64_t vms, cpu; /* CPU in 1/100 of a processor */
};

struct budget_past {
    struct budget_use *items;
    size_t n, allocated;
};

/* The hours around a request, of one user or group. Amounts are seconds times VMs or 1/100 CPU;
 * they are integers, exact up to 2^53. */
struct budget_hours {
    int64_t origin, now;
    bool calendar;
    double sums[BUDGET_SLOTS + 1];  /* use before the start of hour i */
    double steps[BUDGET_SLOTS + 1]; /* during the sum: change from one hour to the next */
};

struct budget_request {
    int64_t from, until;
    double rate;
};

/* --- past uses -------------------------------------------------------------------------------- */

/* Stores a use, and drops uses that no week of a later request contains. False: out of memory. */
static inline bool budget_remember(struct budget_past *past, const struct budget_use *use)
{
    if (past->n == past->allocated) {
        int64_t oldest = use->until - (int64_t)BUDGET_WEEK * BUDGET_HOUR;
        size_t kept = 0;

        for (size_t i = 0; i < past->n; i++)
            if (past->items[i].until > oldest)
                past->items[kept++] = past->items[i];
        past->n = kept;
        if (kept > past->allocated / 2 || !past->items) {
            size_t more = past->allocated ? 2 * past->allocated : 64;
            void *items = realloc(past->items, more * sizeof *past->items);

            if (!items)
                return false;
            past->items = (struct budget_use *)items;
            past->allocated = more;
        }
    }
    past->items[past->n++] = *use;
    return true;
}

/* --- hours ------------------------------------------------------------------------------------ */

/* The last Monday, 0:00 local time; without local time, weeks begin at time 0. */
static inline int64_t budget_monday(const struct galerna_host *host, int64_t at)
{
    const int64_t week = (int64_t)BUDGET_WEEK * BUDGET_HOUR;
    struct galerna_local_time local;

    if (!host->local_time(host, at, &local))
        return at - (at % week + week) % week;
    return at - (((local.weekday + 6) % 7 * 24 + local.hour) * BUDGET_HOUR + local.minute * 60 +
                 local.second);
}

static inline void budget_begin(struct budget_hours *hours, const struct galerna_host *host,
                                int64_t now, int64_t start, bool calendar)
{
    memset(hours, 0, sizeof *hours);
    hours->now = now;
    hours->calendar = calendar;
    hours->origin = calendar ? budget_monday(host, start)
                             : start - start % BUDGET_HOUR - (int64_t)BUDGET_WEEK * BUDGET_HOUR;
}

static inline int64_t budget_clip(const struct budget_hours *hours, int64_t at)
{
    const int64_t most = (int64_t)BUDGET_SLOTS * BUDGET_HOUR;

    if (at <= hours->origin)
        return 0;
    return at < hours->origin + most ? at - hours->origin : most;
}

/* To be called before budget_sum(). */
static inline void budget_add(struct budget_hours *hours, int64_t from, int64_t until, double rate)
{
    int64_t begin = budget_clip(hours, from), end = budget_clip(hours, until);
    int64_t first = begin / BUDGET_HOUR, last = end / BUDGET_HOUR;

    if (begin >= end)
        return;
    /* Counted from the start of the first hour to the start of the last one, then corrected. */
    hours->steps[first] += rate * BUDGET_HOUR;
    hours->steps[last] -= rate * BUDGET_HOUR;
    hours->sums[first] -= rate * (double)(begin - first * BUDGET_HOUR);
    hours->sums[last] += rate * (double)(end - last * BUDGET_HOUR);
}

static inline void budget_sum(struct budget_hours *hours)
{
    double hourly = 0, sum = 0;

    for (int i = 0; i <= BUDGET_SLOTS; i++) {
        double here;

        hourly += hours->steps[i];
        here = hourly + hours->sums[i];
        hours->sums[i] = sum;
        sum += here;
    }
}

/* Counts an accepted lease: its past and its possible further run time. */
static inline void budget_add_lease(struct budget_hours *hours, const struct live_lease *lease,
                                    double rate)
{
    bool runs = lease->since != GALERNA_NONE;
    int64_t stopped = runs ? lease->since : lease->stopped, now = hours->now, run = lease->ran;
    int64_t begin =
        !runs && lease->start != GALERNA_NONE && lease->start > now ? lease->start : now;

    budget_add(hours, stopped - lease->ran, stopped, rate);
    if (runs && lease->since < now) {
        budget_add(hours, lease->since, now, rate);
        run += now - lease->since;
    }
    if (lease->parked) /* a parked lease has no promise */
        return;
    if (lease->duration == GALERNA_UNLIMITED)
        budget_add(hours, begin, GALERNA_NEVER, rate);
    else if (lease->duration > run)
        budget_add(hours, begin, begin + (lease->duration - run), rate);
}

/* --- checks of a request ---------------------------------------------------------------------- */

static inline double budget_overlap(const struct budget_request *request, int64_t from)
{
    int64_t until = from + (int64_t)BUDGET_WEEK * BUDGET_HOUR;

    from = request->from > from ? request->from : from;
    until = request->until < until ? request->until : until;
    return until > from ? (double)(until - from) * request->rate : 0;
}

/* The most that one week may contain of the request: all of it, or of its first week, wherever
 * sliding weeks begin. */
static inline double budget_most(const struct budget_hours *hours,
                                 const struct budget_request *request, int week)
{
    return budget_overlap(request, hours->calendar ? hours->origin + (int64_t)week * BUDGET_HOUR
                                                   : request->from);
}

/* The first hour of the week with the highest use among the weeks that overlap the request,
 * including the request; *all: this use. */
static inline int budget_fullest(const struct budget_hours *hours,
                                 const struct budget_request *request, double *all)
{
    int step = hours->calendar ? BUDGET_WEEK : 1, fullest = 0;
    int64_t first = (request->from - hours->origin) / BUDGET_HOUR - BUDGET_WEEK;
    int64_t last = (request->until - hours->origin) / BUDGET_HOUR;
    int hour = first > 0 ? (int)first / step * step : 0;

    for (*all = 0; hour <= last && hour + BUDGET_WEEK <= BUDGET_SLOTS; hour += step) {
        double more = budget_overlap(request, hours->origin + (int64_t)hour * BUDGET_HOUR);
        double sum = hours->sums[hour + BUDGET_WEEK] - hours->sums[hour] + more;

        if (more > 0 && sum > *all) {
            *all = sum;
            fullest = hour;
        }
    }
    return fullest;
}

/* The request, limited to the time for which it counts. */
static inline struct budget_request budget_request(int64_t start, int64_t duration, double rate)
{
    const int64_t longest = (int64_t)BUDGET_LONGEST * BUDGET_HOUR;

    return (struct budget_request){start, start + (duration < longest ? duration : longest), rate};
}

/* The first full hour, at or after the request's start, at which the request fits; GALERNA_NONE:
 * none within four weeks. */
static inline int64_t budget_room(const struct budget_hours *hours, struct budget_request request,
                                  double budget)
{
    int64_t span = request.until - request.from;
    double all;
    int64_t first = (request.from - hours->origin + BUDGET_HOUR - 1) / BUDGET_HOUR;

    for (int64_t hour = first; hour < first + BUDGET_LONGEST; hour++) {
        request.from = hours->origin + hour * BUDGET_HOUR;
        request.until = request.from + span;
        budget_fullest(hours, &request, &all);
        if (all <= budget)
            return request.from;
    }
    return GALERNA_NONE;
}

/* Usage in the week that begins with this hour, in whole hours. */
static inline double budget_used(const struct budget_hours *hours, int hour)
{
    int64_t now = budget_clip(hours, hours->now) / BUDGET_HOUR;
    int64_t until = now < hour + BUDGET_WEEK ? now : hour + BUDGET_WEEK;

    return until > hour ? hours->sums[until] - hours->sums[hour] : 0;
}
