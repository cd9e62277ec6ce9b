/* Rebooks planned leases on other hosts for the same time if another lease needs their hosts now.
 */
#include "core/rebooking.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/host_choice.h"
#include "core/mapper_restricted.h"
#include "core/migration.h"
#include "core/placing.h"
#include "core/stretches.h"
#include "util/memory.h"

enum {
    ENDS_LOOKED_AT = 64, /* ends at the same time examined for a reason */
    PLANNED_MOST = 32,   /* the leases that begin first */
    ATTEMPTS = 4,        /* each with other hosts */
};

struct move {
    struct lease *lease;
    struct proposal next; /* without a VM reservation: the lease stays */
};

struct rebooking {
    struct engine *engine;
    struct lease *lease;
    struct lease *planned[PLANNED_MOST];
    size_t n_planned;
    struct move moves[PLANNED_MOST];
    size_t n_moves;
    uint32_t *hosts; /* hosts that the lease may use, ascending */
    size_t n_hosts;
};

/* --- selection -------------------------------------------------------------------------------- */

/* Devices and company are not counted while planned leases are taken out. */
static bool has_demand(const struct lease *lease)
{
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        if (lease->request.node_sets[set].demand)
            return true;
    return false;
}

/* Has no operation of the lease begun, and does a move change only its hosts? */
static bool may_move(const struct engine *engine, const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;
    const struct vm_plan *stretch = lease_plan_current(lease);

    if (lease_is_suspended(lease) || has_image_transfer(engine, lease) || has_demand(lease) ||
        plan->n_vms != 1 || stretch->before.n || stretch->vm->closes ||
        stretch->vm->state != RESERVATION_SCHEDULED || stretch->vm->from <= engine->now)
        return false;
    for (size_t i = 0; i < stretch->after.n; i++)
        if (stretch->after.items[i]->kind != RESERVATION_SHUTDOWN)
            return false;
    return true;
}

static void gather_planned(struct rebooking *rebooking)
{
    struct engine *engine = rebooking->engine;
    struct index_walk walk = reservation_index_after(&engine->bookings.by_start, engine->now);
    const struct index_entry *entry;

    while (rebooking->n_planned < PLANNED_MOST && (entry = index_walk_next(&walk))) {
        const struct reservation *r = entry->reservation;

        if (r->kind == RESERVATION_VM && may_move(engine, r->lease))
            rebooking->planned[rebooking->n_planned++] = r->lease;
    }
}

/* Do all VMs fit at this instant? */
static bool fits_now(struct engine *engine, const struct lease *lease)
{
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        if (mapper_count_now(engine, &lease->request.node_sets[set]) <
            lease->request.node_sets[set].count)
            return false;
    return true;
}

static bool may_gain(const struct engine *engine, const struct lease *lease)
{
    return (lease->request.kind == LEASE_BEST_EFFORT || lease->request.kind == LEASE_IMMEDIATE) &&
           !lease_is_suspended(lease) && !has_image_transfer(engine, lease) && !has_demand(lease);
}

/* The end of the lease's last operation if it starts now. */
static int64_t end_of_run(const struct engine *engine, const struct lease *lease)
{
    return instant_add(instant_add(engine->now, remaining_span(lease)),
                       shutdown_span(engine, lease));
}

/* --- attempts --------------------------------------------------------------------------------- */

static void book(struct engine *engine, const struct vm_plan *stretch)
{
    slot_table_book(engine->table, stretch->vm);
    for (size_t i = 0; i < stretch->after.n; i++)
        slot_table_book(engine->table, stretch->after.items[i]);
}

/* Places the lease as if no lease were planned; the slot table is unchanged. */
static bool place_lease(struct rebooking *rebooking, struct proposal *proposal)
{
    struct engine *engine = rebooking->engine;
    const struct window_request now = {.lease = rebooking->lease,
                                       .from = engine->now,
                                       .latest = engine->now,
                                       .remaining = remaining_span(rebooking->lease),
                                       .spare_others = true,
                                       .hosts = rebooking->hosts,
                                       .n_hosts = rebooking->n_hosts};
    size_t mark = slot_table_mark(engine->table);
    bool placed;

    for (size_t i = 0; i < rebooking->n_planned; i++)
        stretch_release(engine, lease_plan_current(rebooking->planned[i]));
    placed = place_within(engine, &now, proposal);
    slot_table_undo(engine->table, mark);
    return placed;
}

/* Marks the hosts on which a planned lease runs when the host has no more room for a VM. */
static void mark_hosts_in_the_way(const struct rebooking *rebooking, const struct survey *survey,
                                  bool *in_the_way)
{
    for (size_t i = 0; i < rebooking->n_planned; i++) {
        const struct vm_plan *stretch = lease_plan_current(rebooking->planned[i]);
        const struct placement *placement = stretch->vm->placement;

        for (uint32_t place = 0; place < placement->n_hosts; place++) {
            const int64_t full = survey->looks[placement->hosts[place]].fits_until;

            if (full >= stretch->vm->from && full < vm_plan_end(stretch))
                in_the_way[placement->hosts[place]] = true;
        }
    }
}

/* May there be room for the VMs without the planned leases? What fills a host later is not
 * considered, so a search may still fail. */
static bool may_find_room(const struct rebooking *rebooking)
{
    struct engine *engine = rebooking->engine;
    const struct node_set *vms = &rebooking->lease->request.node_sets[0];
    const int64_t end = end_of_run(engine, rebooking->lease);
    const struct survey *survey = mapper_survey(engine, &vms->amounts, engine->now);
    const struct interval now = {engine->now, engine->now + 1};
    bool *in_the_way = memory_new(engine->site.n_hosts, sizeof *in_the_way);
    uint32_t room = 0;

    mark_hosts_in_the_way(rebooking, survey, in_the_way);
    for (uint32_t host = 0; host < engine->site.n_hosts && room < vms->count; host++)
        if (survey->looks[host].fits_until >= end || in_the_way[host])
            room +=
                slot_table_fit_count(engine->table, host, &vms->amounts, now, vms->count - room);
    free(in_the_way);
    return room >= vms->count;
}

static bool share_a_host(const struct placement *a, const struct placement *b)
{
    for (uint32_t i = 0; i < a->n_hosts; i++)
        if (placement_has_host(b, a->hosts[i]))
            return true;
    return false;
}

/* Takes out all planned leases on the newcomer's hosts. */
static void take_out(struct rebooking *rebooking, const struct vm_plan *newcomer)
{
    rebooking->n_moves = 0;
    for (size_t i = 0; i < rebooking->n_planned; i++) {
        struct lease *lease = rebooking->planned[i];
        const struct vm_plan *stretch = lease_plan_current(lease);

        if (stretch->vm->from >= vm_plan_end(newcomer) ||
            !share_a_host(stretch->vm->placement, newcomer->vm->placement))
            continue;
        stretch_release(rebooking->engine, stretch);
        rebooking->moves[rebooking->n_moves++] = (struct move){.lease = lease};
    }
}

/* Books the lease in its old place if there is room beside the newcomer. */
static bool stays(struct engine *engine, const struct lease *lease)
{
    const struct vm_plan *stretch = lease_plan_current(lease);
    size_t mark = slot_table_mark(engine->table);
    struct error err;
    bool fits = slot_table_add(engine->table, stretch->vm, &err) == 0;

    for (size_t i = 0; i < stretch->after.n && fits; i++)
        fits = slot_table_add(engine->table, stretch->after.items[i], &err) == 0;
    if (fits)
        slot_table_keep(engine->table, mark);
    else
        slot_table_undo(engine->table, mark);
    return fits;
}

static bool place_elsewhere(struct engine *engine, struct move *move)
{
    const struct vm_plan *stretch = lease_plan_current(move->lease);
    const struct window_request same_time = {.lease = move->lease,
                                             .from = stretch->vm->from,
                                             .latest = stretch->vm->from,
                                             .remaining = stretch->vm->until - stretch->vm->from,
                                             .spare_others = true};

    engine->queues.rebooking_work++;
    if (!place_within(engine, &same_time, &move->next))
        return false;
    book(engine, &move->next.plan);
    return true;
}

/* Excludes the hosts that this lease cannot leave from those of the newcomer. */
static void avoid(struct rebooking *rebooking, const struct lease *lease)
{
    const struct placement *placement = lease_plan_current(lease)->vm->placement;
    size_t kept = 0;

    for (size_t i = 0; i < rebooking->n_hosts; i++)
        if (!placement_has_host(placement, rebooking->hosts[i]))
            rebooking->hosts[kept++] = rebooking->hosts[i];
    rebooking->n_hosts = kept;
}

static void forget_moves(struct rebooking *rebooking)
{
    for (size_t i = 0; i < rebooking->n_moves; i++)
        proposal_finish(&rebooking->moves[i].next);
    rebooking->n_moves = 0;
}

/* Finds places for all planned leases on the newcomer's hosts; the slot table is unchanged. */
static bool find_places(struct rebooking *rebooking, const struct vm_plan *newcomer)
{
    struct engine *engine = rebooking->engine;
    size_t mark = slot_table_mark(engine->table), n = 0;
    const struct lease *stuck = NULL;

    take_out(rebooking, newcomer);
    book(engine, newcomer);
    for (size_t i = 0; i < rebooking->n_moves; i++)
        if (!stays(engine, rebooking->moves[i].lease))
            rebooking->moves[n++] = rebooking->moves[i];
    rebooking->n_moves = n;
    for (size_t i = 0; i < n && !stuck; i++)
        if (!place_elsewhere(engine, &rebooking->moves[i]))
            stuck = rebooking->moves[i].lease;
    slot_table_undo(engine->table, mark);
    if (!stuck)
        return true;
    forget_moves(rebooking);
    avoid(rebooking, stuck);
    return false;
}

/* --- the result ------------------------------------------------------------------------------- */

static void commit(struct rebooking *rebooking)
{
    for (size_t i = 0; i < rebooking->n_moves; i++)
        stretch_withdraw(rebooking->engine, rebooking->moves[i].lease);
    for (size_t i = 0; i < rebooking->n_moves; i++)
        proposal_take_over(rebooking->engine, rebooking->moves[i].lease, &rebooking->moves[i].next);
    forget_moves(rebooking);
}

static bool try_hosts(struct rebooking *rebooking, struct proposal *proposal)
{
    struct engine *engine = rebooking->engine;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (engine->queues.rebooking_work >= REBOOKING_WORK)
            return false;
        engine->queues.rebooking_work++;
        if (!may_find_room(rebooking) || !place_lease(rebooking, proposal))
            return false;
        if (find_places(rebooking, &proposal->plan))
            return true;
        proposal_finish(proposal);
    }
    return false;
}

/* Moves of planned leases do not change the site's total. */
static bool total_suffices(const struct engine *engine, const struct lease *lease)
{
    return slot_table_least_free_cpu(engine->table, engine->now, end_of_run(engine, lease)) >=
           lease_cpu(lease);
}

static bool is_worth_trying(struct engine *engine, struct lease *lease)
{
    return !engine->settings.behaviour.reservations_keep_their_hosts && !engine->binding.late &&
           may_gain(engine, lease) && engine->queues.rebooking_work < REBOOKING_WORK &&
           total_suffices(engine, lease) && fits_now(engine, lease);
}

static bool rebook(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct rebooking rebooking = {.engine = engine, .lease = lease};
    bool placed;

    gather_planned(&rebooking);
    if (!rebooking.n_planned)
        return false;
    rebooking.hosts = memory_new(engine->site.n_hosts, sizeof *rebooking.hosts);
    for (uint32_t host = 0; host < engine->site.n_hosts; host++)
        rebooking.hosts[rebooking.n_hosts++] = host;
    placed = try_hosts(&rebooking, proposal);
    if (placed)
        commit(&rebooking);
    free(rebooking.hosts);
    return placed;
}

bool place_by_rebooking(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    return is_worth_trying(engine, lease) && rebook(engine, lease, proposal);
}

/* The first host of the class on which a VM fits longest, if not until `until`; else HOST_NONE. */
static uint32_t host_of_longest_class(const struct host_classes *classes, int64_t now,
                                      int64_t until)
{
    uint32_t host = HOST_NONE;
    int64_t longest = now;

    for (size_t i = 0; i < host_classes_count(classes); i++) {
        const int64_t fits_until = host_classes_state(classes, i)->fits_until;
        const uint32_t first = host_classes_first(classes, i);

        if (fits_until <= now || fits_until >= until || fits_until < longest ||
            (fits_until == longest && first > host))
            continue;
        longest = fits_until;
        host = first;
    }
    return host;
}

/* The same for VMs that may not use all hosts, or with too many classes: O(hosts). */
static uint32_t host_of_longest_stay(const struct engine *engine, const struct survey *survey,
                                     const struct node_set *vms, int64_t until)
{
    uint32_t longest = HOST_NONE;

    for (uint32_t host = 0; host < engine->site.n_hosts; host++) {
        int64_t fits_until = survey->looks[host].fits_until;

        if (fits_until > engine->now && fits_until < until && host_is_usable(engine, vms, host) &&
            (longest == HOST_NONE || fits_until > survey->looks[longest].fits_until))
            longest = host;
    }
    return longest;
}

/* Of a lease whose VMs are on the hosts already. */
static bool goes_on(const struct reservation *reservation)
{
    return reservation->kind == RESERVATION_SHUTDOWN || reservation->kind == RESERVATION_SUSPEND;
}

/* The reservation that takes room of the host from that time on; NULL: unknown. */
static const struct reservation *next_on(const struct engine *engine, uint32_t host, int64_t from)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_start, from - 1);
    const struct index_entry *entry;

    while ((entry = index_walk_next(&walk)) && entry->time == from)
        if (placement_has_host(entry->reservation->placement, host) && !goes_on(entry->reservation))
            return entry->reservation;
    return NULL;
}

void explain_by_planned(struct engine *engine, struct lease *lease)
{
    bool at_once = lease->reason.id == REASON_NO_ROOM_AT_ONCE;
    int64_t until = lease->request.duration == SPAN_UNLIMITED
                        ? INSTANT_NEVER
                        : engine->now + lease->request.duration - lease->accumulated;

    if ((!at_once && lease->reason.id != REASON_NO_ROOM_NOW) ||
        lease->reason.n[1] < lease->reason.n[0])
        return;
    if (lease->request.node_sets[0].demand) /* the cause may be a demand: explain_demand() */
        return;
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct node_set *vms = &lease->request.node_sets[set];
        const struct survey *survey = mapper_survey(engine, &vms->amounts, engine->now);
        const struct host_classes *classes =
            is_restricted(engine, lease) ? NULL : mapper_classes_now(engine, &vms->amounts);
        uint32_t host = classes ? host_of_longest_class(classes, engine->now, until)
                                : host_of_longest_stay(engine, survey, vms, until);
        const struct reservation *next =
            host == HOST_NONE ? NULL : next_on(engine, host, survey->looks[host].fits_until);

        if (!next)
            continue;
        lease->reason = (struct reason){
            .id = at_once ? REASON_NO_ROOM_AT_ONCE : REASON_ROOM_RESERVED,
            .n = {lease->n_vms, next->lease->request.id, engine->site.hosts[host].id, next->from}};
        return;
    }
}

/* A host in both placements; any host of `has` if `wants` has no hosts yet; else HOST_NONE. */
static uint32_t host_of_both(const struct placement *wants, const struct placement *has)
{
    if (!has || has->n_hosts == 0)
        return HOST_NONE;
    for (uint32_t place = 0; place < wants->n_hosts; place++)
        if (placement_has_host(has, wants->hosts[place]))
            return wants->hosts[place];
    return wants->n_hosts ? HOST_NONE : has->hosts[0];
}

void explain_future(const struct engine *engine, const struct proposal *proposal,
                    struct reason *reason)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_end, proposal->start - 1);
    const struct index_entry *entry;

    for (int looked = 0; looked < ENDS_LOOKED_AT && (entry = index_walk_next(&walk)); looked++) {
        const struct reservation *r = entry->reservation;
        uint32_t host = host_of_both(proposal->plan.vm->placement, r->placement);

        if (r->until > proposal->start)
            return;
        if (host == HOST_NONE)
            continue;
        reason->n[1] = r->lease->request.id;
        reason->n[2] = engine->site.hosts[host].id;
        reason->n[3] = r->until;
        return;
    }
}
