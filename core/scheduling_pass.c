/* The pass over all waiting leases, and new leases. */
#include "core/scheduling_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/demand_reason.h"
#include "core/ending.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/held_room.h"
#include "core/leaving.h"
#include "core/mapper_restricted.h"
#include "core/outputs.h"
#include "core/queue_order.h"
#include "core/schedule.h"
#include "core/turns.h"
#include "core/units.h"
#include "util/memory.h"

int request_check(const struct engine *engine, const struct lease_request *request,
                  struct error *err)
{
    long long id = request->id;

    if (engine_lease(engine, request->id))
        return error_set(err, EINVAL, "lease %lld already exists: ids must be unique", id);
    if (!request->n_node_sets)
        return error_set(err, EINVAL, "lease %lld requests no VMs", id);
    for (size_t set = 0; set < request->n_node_sets; set++) {
        if (!request->node_sets[set].count)
            return error_set(err, EINVAL, "lease %lld: node set %zu has no VMs", id, set + 1);
        for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
            if (request->node_sets[set].amounts.of[type] < 0)
                return error_set(err, EINVAL, "lease %lld: node set %zu requests a negative amount",
                                 id, set + 1);
        if (request->node_sets[set].demand && !demand_is_sound(request->node_sets[set].demand))
            return error_set(err, EINVAL,
                             "lease %lld: node set %zu demands a negative amount or too much", id,
                             set + 1);
    }
    if (request->duration != SPAN_UNLIMITED && request->duration < 0)
        return error_set(err, EINVAL, "lease %lld: its duration %lld is negative", id,
                         (long long)request->duration);
    if (request->kind == LEASE_DEADLINE && request->deadline == INSTANT_NONE)
        return error_set(err, EINVAL, "lease %lld: a deadline lease needs a deadline", id);
    if (request->kind == LEASE_RESERVATION && request->start == INSTANT_NONE)
        return error_set(err, EINVAL, "lease %lld: a reservation needs a start", id);
    return 0;
}

/* Replaces the slot table with that of the empty site; returns the original. */
static struct slot_table *empty_the_site(struct engine *engine)
{
    struct slot_table *table = engine->table;

    if (!engine->empty)
        engine->empty = slot_table_create(&engine->site);
    engine->table = engine->empty;
    slot_table_advance(engine->table, engine->now);
    return table;
}

/* Node sets that fit one by one may not fit together, so a mapping is tried. */
static bool fits_on_empty_site(struct engine *engine, struct lease *lease)
{
    struct slot_table *table = empty_the_site(engine);
    struct map_request request = {.lease = lease,
                                  .from = engine->now,
                                  .until = engine->now + 1,
                                  .shortest = 1,
                                  .strict = true,
                                  .spare_others = true};
    struct mapping mapping;
    bool fits;

    fits = mapper_map(engine, &request, &mapping);
    mapping_finish(&mapping);
    engine->table = table;
    return fits;
}

/* Number of VMs of this size that an empty host holds, at most limit. */
static uint32_t host_holds(const struct site_host *host, const struct amounts *vm, uint32_t limit)
{
    int64_t fit = limit;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (vm->of[type] > 0) {
            int64_t count = host->capacity.of[type] / vm->of[type];

            fit = count < fit ? count : fit;
        }
    return (uint32_t)fit;
}

/* Number of VMs of a node set that the empty site could hold, on the allowed hosts or on all. */
static uint32_t site_holds(const struct engine *engine, const struct node_set *nodes, bool usable)
{
    const struct site_host *hosts = engine->site.hosts;
    uint32_t holds = 0, each = 0;

    for (uint32_t host = 0; host < engine->site.n_hosts && holds < nodes->count; host++) {
        /* Neighboring hosts are mostly alike. */
        if (!host || memcmp(&hosts[host].capacity, &hosts[host - 1].capacity,
                            sizeof hosts[host].capacity) != 0)
            each = host_holds(&hosts[host], &nodes->amounts, nodes->count);
        if (!usable || host_is_usable(engine, nodes, host))
            holds += each < nodes->count - holds ? each : nodes->count - holds;
    }
    return holds;
}

static int64_t usable_hosts(const struct engine *engine, const struct lease *lease)
{
    int64_t n = 0;

    for (uint32_t host = 0; host < engine->site.n_hosts; host++) {
        bool usable = false;

        for (size_t set = 0; set < lease->request.n_node_sets && !usable; set++)
            usable = host_is_usable(engine, &lease->request.node_sets[set], host);
        n += usable;
    }
    return n;
}

static bool demands_could_be_met(struct engine *engine, struct lease *lease)
{
    struct slot_table *table = empty_the_site(engine);
    bool met = true;

    for (size_t set = 0; set < lease->request.n_node_sets && met; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];

        met = !nodes->demand || demand_could_be_met(engine, lease, nodes);
    }
    engine->table = table;
    return met;
}

/* Always returns false. */
static bool refuse_for_hosts(const struct engine *engine, struct lease *lease, uint32_t n_on_usable)
{
    lease->reason = (struct reason){.id = REASON_NO_HOST_ALLOWED,
                                    .n = {lease->n_vms, usable_hosts(engine, lease), n_on_usable}};
    return false;
}

/* Checks each node set on its own, then all together. */
bool could_ever_fit(struct engine *engine, struct lease *lease)
{
    uint32_t n_holdable = 0, n_on_usable = 0;

    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];

        n_holdable += site_holds(engine, nodes, false);
        if (is_restricted(engine, lease))
            n_on_usable += site_holds(engine, nodes, true);
    }
    lease->reason = (struct reason){.id = REASON_TOO_BIG, .n = {lease->n_vms, n_holdable}};
    if (n_holdable < lease->n_vms)
        return false;
    if (is_restricted(engine, lease) && n_on_usable < lease->n_vms)
        return refuse_for_hosts(engine, lease, n_on_usable);
    if (lease->plan->has_demand && !demands_could_be_met(engine, lease))
        return false;
    if (lease->request.n_node_sets == 1 || fits_on_empty_site(engine, lease))
        return true;
    return is_restricted(engine, lease) && refuse_for_hosts(engine, lease, n_on_usable);
}

static bool admit(struct engine *engine, struct lease *lease)
{
    const struct policy_hooks *hooks = engine->hooks;
    struct reason reason = {0};

    /* A lease in the queue must be able to start some day; other kinds are refused during
     * scheduling. */
    if (lease->request.kind == LEASE_BEST_EFFORT) {
        lease->plan->too_big = !could_ever_fit(engine, lease);
        if (lease->plan->too_big && !engine->settings.behaviour.too_big_leases_wait)
            return false;
    }
    lease->reason = (struct reason){0};
    if (!hooks->admit || hooks->admit(hooks->context, lease, engine->now, &reason))
        return true;
    lease->reason = reason;
    lease->reason.text = memory_text(reason.text);
    lease->reason.word = memory_text(reason.word);
    return false;
}

static void insert_by_id(struct lease_list *list, struct lease *lease)
{
    size_t place;

    lease_list_append(list, lease);
    for (place = list->n - 1; place && list->items[place - 1]->request.id > lease->request.id;
         place--)
        list->items[place] = list->items[place - 1];
    list->items[place] = lease;
}

int request_lease(struct engine *engine, const struct lease_request *request, struct error *err)
{
    struct lease *lease;
    bool accepted;

    if (request_check(engine, request, err) < 0)
        return -1;
    lease = lease_create(request, engine->site.n_hosts);
    lease_table_insert(engine, lease);
    engine->figures.unfinished[request->kind]++;
    binding_expect(engine, lease);
    accepted = admit(engine, lease);
    lease_set_state(engine, lease, LEASE_PENDING);
    engine_output(engine, (struct engine_output){
                              .kind = OUTPUT_REQUESTED, .lease = lease, .accepted = accepted});
    if (accepted)
        insert_by_id(&engine->queues.pending, lease);
    else
        lease_finish(engine, lease, LEASE_REJECTED);
    return 0;
}

/* Replaces "no room" with the more precise "too big". */
static void explain_size(struct engine *engine, struct lease *lease)
{
    struct reason refused = lease->reason;

    if (could_ever_fit(engine, lease))
        lease->reason = refused;
}

static void enqueue(struct engine *engine, struct lease *lease)
{
    lease_set_state(engine, lease,
                    lease_is_suspended(lease) ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
    queue_add(engine, lease);
}

static void wait_for_room(struct engine *engine, struct lease *lease)
{
    if (lease_ready_at(lease) > engine->now)
        keep_early(engine, lease);
    else
        enqueue(engine, lease);
}

/* Lets a reservation without room wait like a best-effort lease. */
static bool convert(struct engine *engine, struct lease *lease)
{
    if (!engine->settings.convert_reservations || lease->request.kind != LEASE_RESERVATION ||
        (lease->reason.id != REASON_NO_ROOM_AT_START &&
         lease->reason.id != REASON_OTHERS_WOULD_BE_LATE))
        return false;
    engine->figures.unfinished[LEASE_RESERVATION]--;
    engine->figures.unfinished[LEASE_BEST_EFFORT]++;
    lease->request.kind = LEASE_BEST_EFFORT;
    engine_output(engine, (struct engine_output){.kind = OUTPUT_CONVERTED, .lease = lease});
    wait_for_room(engine, lease);
    return true;
}

static void refuse(struct engine *engine, struct lease *lease)
{
    explain_size(engine, lease);
    if (convert(engine, lease))
        return;
    if (lease->plan->has_demand)
        explain_demand(engine, lease);
    lease_finish(engine, lease, LEASE_REJECTED);
}

/* While leases must leave hosts, leases without room are not refused until later. */
static void schedule_kind(struct engine *engine, enum lease_kind kind, struct lease_list *refused)
{
    for (size_t i = 0; i < engine->queues.pending.n; i++) {
        struct lease *lease = engine->queues.pending.items[i];

        if (lease->request.kind != kind || engine_schedule_lease(engine, lease, false))
            continue;
        if (engine->has_leaving)
            lease_list_append(refused, lease);
        else
            refuse(engine, lease);
    }
}

static void schedule_kinds(struct engine *engine)
{
    struct lease_list refused = {0};

    schedule_kind(engine, LEASE_IMMEDIATE, &refused);
    schedule_kind(engine, LEASE_RESERVATION, &refused);
    schedule_kind(engine, LEASE_DEADLINE, &refused);
    if (refused.n)
        schedule_beside_leaves(engine, &refused);
    for (size_t i = 0; i < refused.n; i++)
        refuse(engine, refused.items[i]);
    free(refused.items);
}

static int64_t time_needed(const struct engine *engine, const struct lease *lease)
{
    return instant_add(remaining_span(lease), shutdown_span(engine, lease));
}

/* Can the queued lease no longer end by its deadline, even if it starts now? */
static bool has_missed_deadline(const struct engine *engine, struct lease *lease)
{
    int64_t end;

    if (lease->request.deadline == INSTANT_NONE)
        return false;
    end = instant_add(engine->now, time_needed(engine, lease));
    if (end <= lease->request.deadline)
        return false;
    lease->reason =
        (struct reason){.id = REASON_DEADLINE_MISSED, .n = {lease->request.deadline, end}};
    return true;
}

/* Is an attempt useless, with no free CPU and no plans for later allowed? */
static bool is_hopeless(const struct engine *engine, const struct lease *lease, bool may_wait)
{
    if (may_wait || slot_table_free_cpu_now(engine->table) > 0 ||
        lease->request.node_sets[0].amounts.of[RESOURCE_CPU] == 0)
        return false;
    return !policy_may_preempt(engine->hooks, lease);
}

static bool is_queued_too_big(const struct lease *lease)
{
    return lease->plan->too_big && lease->state == LEASE_QUEUED;
}

static void end_too_big(struct engine *engine, struct lease *lease)
{
    could_ever_fit(engine, lease); /* the reason */
    lease_finish(engine, lease, LEASE_CANCELLED);
}

/* Schedules one queued lease; false: the pass is over. A lease with leases of lower priority behind
 * it may always be planned for later, or has room held for it, so that they cannot delay it. */
static bool schedule_queued(struct engine *engine, struct lease *lease, bool others_behind,
                            struct held_room *held)
{
    bool may_backfill = engine->settings.backfilling != BACKFILLING_OFF;
    bool may_wait = future_allowed(engine) || (others_behind && may_backfill);

    lease->plan->in_queue = false;
    if (is_hopeless(engine, lease, may_wait)) {
        lease->reason = (struct reason){.id = REASON_NO_ROOM_NOW, .n = {lease->n_vms, 0}};
        explain_by_held(engine, held, lease);
        queue_add(engine, lease);
        return may_backfill;
    }
    if (engine_schedule_lease(engine, lease, may_wait))
        return true;
    if (may_wait && is_queued_too_big(lease)) {
        end_too_big(engine, lease);
        return true;
    }
    if (lease->plan->has_demand)
        explain_demand(engine, lease);
    explain_by_held(engine, held, lease);
    if (others_behind && may_backfill)
        hold_room_for(held, lease);
    queue_add(engine, lease);
    return may_backfill;
}

bool engine_queues_too_big(const struct engine *engine)
{
    for (size_t i = 0; i < engine->queues.queue.n; i++)
        if (is_queued_too_big(engine->queues.queue.items[i]))
            return true;
    return false;
}

void end_all_too_big(struct engine *engine)
{
    struct lease_list *queue = &engine->queues.queue;

    for (size_t i = queue->n; i-- > 0;) {
        struct lease *lease = queue->items[i];

        if (!is_queued_too_big(lease))
            continue;
        queue_remove(engine, lease);
        end_too_big(engine, lease);
    }
}

/* The time at which the next queued lease misses its deadline and must be ended. */
static int64_t next_expiry(const struct engine *engine)
{
    int64_t next = INSTANT_NEVER;

    if (!engine->queues.has_deadlines)
        return next;
    for (size_t i = 0; i < engine->queues.queue.n; i++) {
        const struct lease *lease = engine->queues.queue.items[i];
        int64_t deadline = lease->request.deadline, needed = time_needed(engine, lease);

        if (deadline != INSTANT_NONE && needed != INSTANT_NEVER && deadline - needed + 1 < next)
            next = deadline - needed + 1;
    }
    return next;
}

/* Cancels queued leases that can no longer end by their deadlines, also those whose turn would not
 * come. */
static void end_all_late(struct engine *engine)
{
    struct lease_list *queue = &engine->queues.queue;

    for (size_t i = 0; engine->queues.has_deadlines && i < queue->n;) {
        struct lease *lease = queue->items[i];

        if (!has_missed_deadline(engine, lease)) {
            i++;
            continue;
        }
        queue_remove(engine, lease);
        lease_finish(engine, lease, LEASE_CANCELLED);
    }
}

static bool is_above_any(const struct lease *lease, const struct lease_list *others)
{
    for (size_t i = 0; i < others->n; i++)
        if (lease->request.priority > others->items[i]->request.priority)
            return true;
    return false;
}

/* Would the lease get a place if the holders waited behind it? */
static bool gains_without(struct engine *engine, struct lease *lease,
                          const struct lease_list *waiting, const struct lease_list *holders)
{
    bool may_wait = is_above_any(lease, holders) || is_above_any(lease, waiting) ||
                    future_allowed_without(engine, holders->n);

    return engine_would_schedule(engine, lease, may_wait, holders);
}

/* Lets a lease that goes before leases with a future place start at once, or take their place.
 * These keep it if it would not help the lease. */
static void displace_planned(struct engine *engine, struct lease_list *waiting)
{
    struct lease_list holders = {0};
    struct lease *lease;

    for (size_t i = 0; i < waiting->n; i++)
        waiting->items[i]->plan->stuck = false;
    while ((lease = queue_next_to_displace(engine, waiting, &holders)) != NULL) {
        lease->plan->in_queue = false;
        if (engine_schedule_lease(engine, lease, false)) {
            lease_list_remove(waiting, lease);
            continue;
        }
        if (gains_without(engine, lease, waiting, &holders)) {
            queue_release_future(engine, waiting, &holders);
            break;
        }
        lease->plan->stuck = true;
    }
    free(holders.items);
}

/* Tries the queue in its order; leases that cannot be placed stay, in the order of submission.
 * Leases displaced meanwhile are inserted at their position and wait for the next pass. */
static void schedule_queue(struct engine *engine)
{
    struct lease_list waiting = engine->queues.queue;
    struct held_room held = {0};
    struct lease *lease;
    struct turns turns;
    bool by_priority;

    engine->queues.rebooking_work = 0;
    engine->queues.queue = engine->queues.trying;
    engine->queues.queue.n = 0;
    displace_planned(engine, &waiting);
    by_priority = queue_put_in_order(engine, &waiting);
    turns_begin(&turns, &waiting);
    while ((lease = turns_next(&turns))) {
        bool others_behind = lease->plan->stuck || /* those with a planned start */
                             (by_priority && lease->request.priority >
                                                 waiting.items[waiting.n - 1]->request.priority);

        if (engine->settings.behaviour.queue_pass_by_free_cpu && !future_allowed(engine) &&
            slot_table_free_cpu_now(engine->table) == 0) {
            queue_add(engine, lease);
            break;
        }
        hold_room_against(engine, &held, lease->request.priority);
        if (!schedule_queued(engine, lease, others_behind, &held))
            break;
        if (lease->plan->has_demand && !lease->plan->in_queue)
            turns_placed(&turns, lease);
    }
    hold_room_against(engine, &held, INT64_MIN); /* what planned leases may not take */
    release_held_room(engine, &held);
    while ((lease = turns_next(&turns)))
        queue_add(engine, lease);
    turns_end(&turns);
    engine->queues.trying = waiting;
    engine->queues.next_expiry = next_expiry(engine);
}

static void enqueue_ready(struct engine *engine)
{
    while (engine->queues.early.n && lease_ready_at(engine->queues.early.items[0]) <= engine->now) {
        struct lease *lease = engine->queues.early.items[0];

        lease_list_remove(&engine->queues.early, lease);
        enqueue(engine, lease);
    }
}

void schedule_pending(struct engine *engine)
{
    enqueue_ready(engine);
    for (size_t i = 0; i < engine->queues.pending.n; i++) {
        struct lease *lease = engine->queues.pending.items[i];

        if (lease->request.kind == LEASE_BEST_EFFORT)
            wait_for_room(engine, lease);
    }
    leave_hosts(engine, LEAVING_FIRM);
    schedule_kinds(engine);
    engine->queues.pending.n = 0;
    end_all_late(engine);
    leave_hosts(engine, LEAVING_YIELDS); /* before queued leases take the room */
    schedule_queue(engine);
}
