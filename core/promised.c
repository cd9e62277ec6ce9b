/* Places adopted leases at their promised time and hosts, or as close as possible. */
#include "core/promised.h"

#include "core/deadline.h"
#include "core/demand_reason.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/in_front.h"
#include "core/placing.h"
#include "core/rearrangement.h"
#include "core/schedule.h"

/* The previous hosts of the lease; NULL: any. */
static struct placement *preferred_hosts(struct engine *engine, const struct lease *lease,
                                         const struct adoption *adoption)
{
    if (!adoption->vm_host)
        return NULL;
    for (uint32_t vm = 0; vm < lease->n_vms; vm++)
        if (adoption->vm_host[vm] == HOST_NONE)
            return NULL;
    return placement_of_vms(engine, lease, adoption->vm_host, NULL);
}

/* Places the lease on the promised hosts, suspending leases that run until then; else by the rules
 * for new reservations; as a last resort by suspending all leases that can be suspended, or on
 * hosts that close later. */
static bool place_promised(struct engine *engine, struct lease *lease,
                           const struct placement *preferred, struct proposal *proposal)
{
    struct map_request wishes[] = {
        {.lease = lease, .pinned = preferred, .pinned_preempts = true, .forced = true},
        {.lease = lease, .pinned = preferred, .pinned_preempts = true},
        {.lease = lease},
        {.lease = lease, .forced = true},
    };

    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        bool on_preferred = wishes[i].pinned_preempts;

        if (on_preferred && !preferred)
            continue;
        if (place_exact_as(engine, &wishes[i], proposal))
            return true;
        if (!on_preferred && !wishes[i].forced && place_by_moving_others(engine, lease, proposal))
            return true;
    }
    return place_exact_before_closings(engine, lease, proposal);
}

/* The window in which an adopted deadline lease can begin. */
static struct window_request deadline_window(struct engine *engine, struct lease *lease,
                                             const struct adoption *adoption)
{
    int64_t from = instant_later(engine->now, lease->request.start);
    int64_t remaining = remaining_span(lease);

    if (adoption->as == ADOPTED_SUSPENDED)
        from = instant_later(from, instant_later(adoption->not_before, adoption->until));
    return (struct window_request){
        .lease = lease,
        .from = from,
        .latest = lease->request.deadline - remaining - shutdown_span(engine, lease),
        .remaining = remaining,
        .resuming = adoption->as == ADOPTED_SUSPENDED,
    };
}

/* Places the lease at the planned time and on the planned hosts, if they are known and still
 * possible. */
static bool place_as_planned(struct engine *engine, const struct window_request *window,
                             const struct adoption *adoption, struct proposal *proposal)
{
    struct window_request planned = *window;

    if (adoption->since < window->from || adoption->since > window->latest)
        return false;
    planned.from = planned.latest = adoption->since;
    if (planned.pinned && place_again(engine, &planned, proposal))
        return true;
    planned.forced = true;
    return place_within(engine, &planned, proposal);
}

static bool place_deadline_again(struct engine *engine, struct lease *lease,
                                 const struct adoption *adoption, struct placement *preferred,
                                 struct proposal *proposal)
{
    struct window_request window = deadline_window(engine, lease, adoption);

    window.pinned = window.resuming ? lease_plan_memory(lease) : preferred;
    if (place_as_planned(engine, &window, adoption, proposal))
        return true;
    if (!window.resuming && place_deadline(engine, lease, proposal))
        return true;
    if (!window.resuming)
        window.pinned = NULL;
    window.forced = true;
    if (place_within(engine, &window, proposal))
        return true;
    lease->reason =
        (struct reason){.id = REASON_DEADLINE_UNREACHABLE,
                        .n = {lease->request.deadline,
                              instant_add(window.from, instant_add(window.remaining,
                                                                   shutdown_span(engine, lease)))}};
    return false;
}

/* Drops the lease's own outputs, since the driver already knows the state of the adopted lease. */
static void drop_own_outputs(struct engine *engine, const struct lease *lease, size_t first)
{
    struct engine_outputs *outputs = &engine->adopted;
    size_t kept = first;

    for (size_t i = first; i < outputs->n_items; i++)
        if (outputs->items[i].lease != lease)
            outputs->items[kept++] = outputs->items[i];
    outputs->n_items = kept;
}

/* Leases adopted earlier may have taken units on the lease's planned hosts. */
static void rearrange_for_promise(struct engine *engine, const struct lease *lease,
                                  const struct adoption *adoption)
{
    bool exact = lease->request.kind == LEASE_RESERVATION;
    int64_t from = instant_later(exact ? lease->request.start : adoption->since, engine->now);
    int64_t span = instant_add(remaining_span(lease), shutdown_span(engine, lease));

    rearrange_for(engine, lease, adoption->vm_host, from, instant_add(from, span));
}

bool promised_place(struct engine *engine, struct lease *lease, const struct adoption *adoption)
{
    size_t n_outputs = engine->adopted.n_items;
    struct placement *preferred = NULL;
    struct proposal proposal;
    bool placed;

    engine->figures.attempts++;
    if (adoption->as == ADOPTED_RESERVED) {
        preferred = preferred_hosts(engine, lease, adoption);
        lease->state = LEASE_PENDING;
    }
    if (lease->plan->has_demand && adoption->vm_host)
        rearrange_for_promise(engine, lease, adoption);
    if (lease->request.kind == LEASE_DEADLINE)
        placed = place_deadline_again(engine, lease, adoption, preferred, &proposal);
    else
        placed = place_promised(engine, lease, preferred, &proposal);
    placement_destroy(preferred);
    placed = placed && proposal_accept(engine, lease, &proposal);
    if (!placed && lease->plan->has_demand)
        explain_demand(engine, lease);
    drop_own_outputs(engine, lease, n_outputs);
    return placed;
}
