/* When those start that the engine has not planned a start for: estimated bit by bit while there is
 * nothing else to do. */
#include <time.h>

#include "core/forecast.h"
#include "daemon/live/clock.h"
#include "daemon/live/lease_state.h"
#include "daemon/planner/planner_inside.h"

enum {
    TURN_WORK = 400 * 1000, /* change points: a millisecond or two */
    REST = 200,            /* a forecast is begun anew after so many times what the last one took */
    PAUSE_MIN = 1000,      /* milliseconds between two of them at least, */
    PAUSE_MAX = 60 * 1000, /* and at most, when there is nothing new */
    GRAIN_SOON = 600,      /* seconds: what is further ahead is told in minutes, */
    GRAIN_FAR = 86400,     /* and further ahead than this in ten minutes */
    TOLERANCE = 20,        /* the same time if it differs by less than a 20th of the wait, */
    TOLERANCE_MIN = 5,     /* or by no more than so many seconds */
};

/* --- what is told ----------------------------------------------------------------------------- */

static int64_t rounded(int64_t at, int64_t now)
{
    int64_t grain = at - now < GRAIN_SOON ? 1 : at - now < GRAIN_FAR ? 60 : 600;

    return (at + grain - 1) / grain * grain;
}

static bool is_the_same(int64_t told, int64_t at, int64_t now)
{
    int64_t off = told > at ? told - at : at - told, tolerance = (at - now) / TOLERANCE;

    return told > now && off <= (tolerance > TOLERANCE_MIN ? tolerance : TOLERANCE_MIN);
}

bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now)
{
    bool told = lease->expected != INSTANT_NONE && lease->expected != INSTANT_NEVER;

    if (at != INSTANT_NONE && at != INSTANT_NEVER) {
        if (told && !lease->contract && is_the_same(lease->expected, at, now))
            return false;
        at = rounded(at, now);
    }
    return lease_expect(planner->store, lease, at, false);
}

/* It waits, and the engine has planned no start for it. */
static bool is_open(const struct planner *planner, const struct lease_record *lease)
{
    const struct lease *known =
        lease && lease->phase == PHASE_WAITING && lease->planned && lease->planned->in_engine
            ? engine_lease(planner->engine, lease->id)
            : NULL;

    return known && !planned_stretch(known);
}

/* The others of the queue are too far back; those that came in meanwhile are behind them. */
static bool note_far_ones(struct planner *planner, int64_t now)
{
    bool any = forecast_left_out(planner->forecast) > 0, news = false;
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        bool far = any && leases[i]->outlook != planner->outlook && is_open(planner, leases[i]);

        if (far)
            news |= planner_estimate(planner, leases[i], INSTANT_NONE, now);
        news |= far != leases[i]->is_far;
        lease_note_far(planner->store, leases[i], far);
    }
    return news;
}

static bool publish(struct planner *planner, int64_t now)
{
    size_t n = forecast_count(planner->forecast);
    bool news = false;

    planner->outlook++;
    for (size_t i = 0; i < n; i++) {
        int64_t start;
        const struct lease_record *lease =
            store_lease(planner->store, forecast_lease(planner->forecast, i, &start));

        if (!is_open(planner, lease))
            continue;
        lease_note_outlook(planner->store, lease, planner->outlook);
        news |= planner_estimate(planner, lease, start, now);
    }
    return note_far_ones(planner, now) || news;
}

/* --- turns ------------------------------------------------------------------------------------ */

static int64_t cpu_us(void)
{
    struct timespec spent;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return spent.tv_sec * INT64_C(1000000) + spent.tv_nsec / 1000;
}

static void begin(struct planner *planner)
{
    planner->forecast_begun = clock_monotonic();
    planner->forecast_us = 0;
    planner->forecast_of = planner->forecast_wanted;
    planner->forecast = forecast_create(planner->engine, (size_t)planner->settings.forecast);
}

void planner_drop_forecast(struct planner *planner)
{
    forecast_destroy(planner->forecast);
    planner->forecast = NULL;
}

static bool end(struct planner *planner, int64_t now)
{
    int64_t pause = planner->forecast_us * REST / 1000;
    bool news = publish(planner, now);

    planner_drop_forecast(planner);
    planner->forecast_next = planner->forecast_begun + (pause > PAUSE_MIN ? pause : PAUSE_MIN);
    return news;
}

void planner_want_forecast(struct planner *planner)
{
    planner->forecast_wanted = forecast_stamp(planner->engine);
}

int64_t planner_forecast_due(const struct planner *planner)
{
    int64_t latest = planner->forecast_begun + PAUSE_MAX;

    if (!planner->engine || !planner->forecast_wanted || planner->settings.forecast == 0)
        return INSTANT_NEVER;
    if (planner->forecast)
        return 0;
    if (planner->forecast_wanted != planner->forecast_of || planner->forecast_next > latest)
        return planner->forecast_next;
    return latest;
}

bool planner_forecast(struct planner *planner, int64_t now)
{
    int64_t began = cpu_us();
    bool more;

    if (!planner->forecast)
        begin(planner);
    more = forecast_go_on(planner->forecast, TURN_WORK);
    planner->forecast_us += cpu_us() - began;
    return !more && end(planner, now);
}
