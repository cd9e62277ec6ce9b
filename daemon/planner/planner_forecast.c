/* Start estimates for leases without a planned start, made by the planner when it is idle. */
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"

enum {
    REST = 200,            /* pause between forecasts, in multiples of the last one's CPU time */
    PAUSE_MIN = 1000,      /* milliseconds between forecasts: minimum, */
    PAUSE_MAX = 60 * 1000, /* and maximum if nothing has changed */
};

int64_t planner_start_ahead(const struct planner *planner, int64_t lease, int64_t now)
{
    const struct planned *planned = planned_of(&planner->planned, lease);
    const int64_t *start = map_value(&planner->ahead, map_find(&planner->ahead, lease));

    return planned && planned->is_placed && start && *start > now && *start < planned->start
               ? *start
               : INSTANT_NONE;
}

struct reason planner_reason_ahead(const struct planned *planned)
{
    return (struct reason){.id = REASON_NO_ROOM_NOW, .n = {planned->n_vms, 0}};
}

/* Notes the start of a lease that the engine has planned. */
static bool note_ahead(struct planner *planner, const struct lease_record *lease, int64_t start,
                       int64_t now)
{
    const struct planned *planned =
        lease && lease->phase == PHASE_WAITING ? planned_of(&planner->planned, lease->id) : NULL;
    struct reason reason;

    if (!planned || !planned->in_engine || !planned->is_placed)
        return false;
    *(int64_t *)map_value(&planner->ahead, map_add(&planner->ahead, lease->id)) = start;
    if (planner_start_ahead(planner, lease->id, now) == INSTANT_NONE)
        return false;
    reason = planner_reason_ahead(planned);
    planner_set_reason(planner, lease, &reason);
    return planner_estimate(planner, lease, start, now);
}

/* Is the lease waiting without a planned start? */
static bool is_open(const struct planner *planner, const struct lease_record *lease)
{
    const struct planned *planned =
        lease && lease->phase == PHASE_WAITING ? planned_of(&planner->planned, lease->id) : NULL;

    return planned && planned->in_engine && !planned->is_placed;
}

/* Marks the other leases as too far back in the queue; leases that arrived meanwhile are behind
 * them. */
static bool note_far_ones(struct planner *planner, bool any, int64_t now)
{
    bool changed = false;
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        bool far = any && leases[i]->outlook != planner->outlook && is_open(planner, leases[i]);

        if (far)
            changed |= planner_estimate(planner, leases[i], INSTANT_NONE, now);
        changed |= far != leases[i]->is_far;
        lease_note_far(planner->store, leases[i], far);
    }
    return changed;
}

static bool publish(struct planner *planner, const struct forecast_reply *reply, int64_t now)
{
    bool changed = false;

    planner->outlook++;
    map_finish(&planner->ahead);
    map_init(&planner->ahead, sizeof(int64_t));
    for (size_t i = 0; i < reply->n; i++) {
        const struct lease_record *lease = store_lease(planner->store, reply->starts[i].lease);

        changed |= note_ahead(planner, lease, reply->starts[i].start, now);
        if (!is_open(planner, lease))
            continue;
        lease_note_outlook(planner->store, lease, planner->outlook);
        changed |= planner_estimate(planner, lease, reply->starts[i].start, now);
    }
    return note_far_ones(planner, reply->left_out > 0, now) || changed;
}

/* --- timing ----------------------------------------------------------------------------------- */

void planner_forecast(struct planner *planner)
{
    struct wire_writer frame = {0};

    planner->forecast_begun = clock_monotonic();
    planner->forecast_of = planner->forecast_wanted;
    planner->forecasting = true;
    wire_begin(&frame);
    wire_put(&frame, FRAME_FORECAST);
    wire_put(&frame, planner->settings.forecast);
    wire_end(&frame);
    if (planner_send(planner, &frame, 0, NULL) < 0)
        planner->forecasting = false;
    wire_writer_finish(&frame);
}

bool planner_take_forecast(struct planner *planner, struct wire_reader *reader)
{
    struct forecast_reply reply = {0};
    bool sound = planner->forecasting && wire_get_forecast(reader, &reply);

    if (sound) {
        int64_t pause = reply.cpu_us * REST / 1000;

        planner->forecasting = false;
        planner->forecast_next = planner->forecast_begun + (pause > PAUSE_MIN ? pause : PAUSE_MIN);
        if (publish(planner, &reply, clock_now()) && planner->settings.changed)
            planner->settings.changed(planner->settings.context);
    }
    free(reply.starts);
    return sound;
}

int64_t planner_forecast_due(const struct planner *planner)
{
    int64_t latest = planner->forecast_begun + PAUSE_MAX;

    if (!planner->ready || planner->in_flight || planner->forecasting ||
        !planner->forecast_wanted || planner->settings.forecast == 0)
        return INSTANT_NEVER;
    if (planner->forecast_wanted != planner->forecast_of || planner->forecast_next > latest)
        return planner->forecast_next;
    return latest;
}
