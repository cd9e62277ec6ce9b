/* Takes over leases in the state observed by the driver. */
#include "core/adoption.h"

#include <errno.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/memory_files.h"
#include "core/occupancy.h"
#include "core/outputs.h"
#include "core/placing.h"
#include "core/promised.h"
#include "core/scheduling_pass.h"
#include "core/stretches.h"
#include "core/windows.h"

int engine_begin(struct engine *engine, int64_t now, struct error *err)
{
    if (engine->stage != ENGINE_NEW)
        return error_set(err, EINVAL, "the engine has already started, at %lld",
                         (long long)engine->now);
    if (now == INSTANT_NONE || now == INSTANT_NEVER)
        return error_set(err, EINVAL, "an engine needs a start time");
    engine->stage = ENGINE_BEGUN;
    engine->now = now;
    host_binding_is_early(engine);
    slot_table_advance(engine->table, now);
    return 0;
}

/* --- checks ----------------------------------------------------------------------------------- */

static int check_hosts(const struct engine *engine, const struct adoption *adoption, bool preferred,
                       struct error *err)
{
    const struct lease_request *request = &adoption->request;
    uint64_t n_vms = 0;

    for (size_t set = 0; set < request->n_node_sets; set++)
        n_vms += request->node_sets[set].count;
    for (uint64_t vm = 0; adoption->vm_host && vm < n_vms; vm++)
        if (adoption->vm_host[vm] >= engine->site.n_hosts &&
            !(preferred && adoption->vm_host[vm] == HOST_NONE))
            return error_set(err, EINVAL,
                             "lease %lld: VM %llu is on host index %u; the site has %zu hosts",
                             (long long)request->id, (unsigned long long)vm + 1,
                             adoption->vm_host[vm], engine->site.n_hosts);
    return 0;
}

static int check_running(const struct engine *engine, const struct adoption *adoption,
                         struct error *err)
{
    long long id = adoption->request.id;

    if (!adoption->vm_host)
        return error_set(err, EINVAL, "lease %lld runs, but its hosts are missing", id);
    if (adoption->since == INSTANT_NONE)
        return error_set(err, EINVAL, "lease %lld runs, but its start is missing", id);
    if (adoption->until < adoption->since)
        return error_set(err, EINVAL, "lease %lld runs from %lld until %lld", id,
                         (long long)adoption->since, (long long)adoption->until);
    return check_hosts(engine, adoption, false, err);
}

static int check_accumulated(const struct adoption *adoption, struct error *err)
{
    long long id = adoption->request.id, accumulated = adoption->accumulated;
    bool may_have_run = adoption->as != ADOPTED_RESERVED;

    if (accumulated < 0)
        return error_set(err, EINVAL, "lease %lld has run for %lld s", id, accumulated);
    if (accumulated && !may_have_run)
        return error_set(err, EINVAL, "lease %lld has run for %lld s but has not started", id,
                         accumulated);
    if ((adoption->as == ADOPTED_SUSPENDED || adoption->as == ADOPTED_QUEUED) &&
        accumulated > adoption->request.duration)
        return error_set(err, EINVAL, "lease %lld waits after %lld of %lld s", id, accumulated,
                         (long long)adoption->request.duration);
    return 0;
}

static int check_adoption(const struct engine *engine, const struct adoption *adoption,
                          struct error *err)
{
    enum lease_kind kind = adoption->request.kind;
    long long id = adoption->request.id;

    if (engine->stage != ENGINE_BEGUN)
        return error_set(err, EINVAL,
                         "lease %lld: leases can only be adopted before the first step", id);
    if (request_check(engine, &adoption->request, err) < 0 || check_accumulated(adoption, err) < 0)
        return -1;
    switch (adoption->as) {
    case ADOPTED_RUNNING:
    case ADOPTED_CLOSING:
    case ADOPTED_ENDING:
        return check_running(engine, adoption, err);
    case ADOPTED_RESERVED:
        if (kind != LEASE_RESERVATION && kind != LEASE_DEADLINE)
            return error_set(err, EINVAL, "lease %lld is %s: no reservation can be adopted for it",
                             id, lease_kind_name(kind));
        return check_hosts(engine, adoption, true, err);
    case ADOPTED_SUSPENDED:
        if (adoption->until > engine->now && !adoption->vm_host)
            return error_set(err, EINVAL,
                             "lease %lld is being suspended, but its hosts are missing", id);
        return check_hosts(engine, adoption, false, err);
    case ADOPTED_QUEUED:
        if (kind == LEASE_DEADLINE || kind == LEASE_RESERVATION)
            return error_set(err, EINVAL, "lease %lld is %s: it does not wait in the queue", id,
                             lease_kind_name(kind));
        return 0;
    }
    return error_set(err, EINVAL, "lease %lld: adopted as %d", id, (int)adoption->as);
}

/* --- units of the VMs ------------------------------------------------------------------------- */

/* Finds the units of the VMs of one node set, and books them meanwhile so that no other VM of the
 * lease gets the same units. */
static void find_held(struct engine *engine, const struct lease *lease,
                      const struct adoption *adoption, const struct stay *time, size_t set)
{
    const struct occupancy *occupancy = slot_table_occupancy(engine->table);
    const struct node_set *nodes = &lease->request.node_sets[set];
    uint32_t vm = lease->plan->set_first_vm[set], end = vm + nodes->count;

    for (; nodes->demand && vm < end; vm++) {
        const struct unit_question question = {.demand = nodes->demand,
                                               .vm = vm,
                                               .host = adoption->vm_host[vm],
                                               .from = time->from,
                                               .until = time->until};
        struct stay stay = *time;

        stay.held = engine->mapper.vm_held[vm] = occupancy_reported(
            occupancy, &question, adoption->vm_units ? &adoption->vm_units[vm] : NULL);
        occupancy_book(slot_table_occupancy(engine->table), &stay);
    }
}

/* The VMs on their hosts, with the units that they hold until `until`. */
static struct placement *adopted_placement(struct engine *engine, const struct lease *lease,
                                           const struct adoption *adoption, int64_t until)
{
    struct stay stay = {.from = engine->now, .until = until};
    struct placement *placement;

    if (!lease->plan->has_demand || until <= engine->now)
        return placement_of_vms(engine, lease, adoption->vm_host, NULL);
    mapper_prepare(engine, lease);
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        find_held(engine, lease, adoption, &stay, set);
    placement = placement_of_vms(engine, lease, adoption->vm_host, engine->mapper.vm_held);
    for (size_t i = 0; placement->held && i < placement->held->n; i++) {
        stay.held = placement->held->items[i];
        occupancy_release(slot_table_occupancy(engine->table), &stay);
    }
    return placement;
}

/* --- leases that hold hosts ------------------------------------------------------------------- */

/* Places the rest of a deadline lease whose suspension is planned: at its planned time if possible,
 * else at any time that keeps the deadline. */
static bool adopt_rest(struct engine *engine, struct lease *lease, const struct adoption *adoption)
{
    const struct vm_plan *plan = lease_plan_current(lease);
    struct window_request window = {
        .lease = lease,
        .from = instant_later(adoption->resume_at, adoption->suspend_at),
        .remaining = remaining_span(lease) - (plan->vm->until - plan->vm->from),
        .resuming = true,
        .spare_others = true,
        .pinned = plan->vm->placement,
    };
    struct proposal proposal;

    window.latest = window.from;
    if (!place_again(engine, &window, &proposal) && !place_within(engine, &window, &proposal)) {
        window.from = adoption->suspend_at;
        window.latest = lease->request.deadline - window.remaining - shutdown_span(engine, lease);
        if (!place_within(engine, &window, &proposal))
            return false;
    }
    proposal_take_over(engine, lease, &proposal);
    proposal_finish(&proposal);
    return true;
}

/* Suspends the lease as planned if there is still time and, for a deadline lease, the rest can be
 * placed. */
static bool adopt_planned_suspension(struct engine *engine, struct lease *lease,
                                     const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_current(lease);
    struct reservation_list windows = {0};
    int64_t until = plan->vm->until, begins;

    if (adoption->suspend_at <= engine->now || adoption->suspend_at >= until ||
        !may_be_suspended(engine, lease))
        return false;
    begins = suspend_windows(engine, lease, plan->vm->placement, adoption->suspend_at, &windows);
    if (begins >= engine->now && begins > adoption->since) {
        plan->vm->until = begins;
        if (lease->request.kind != LEASE_DEADLINE || adopt_rest(engine, lease, adoption)) {
            lease->plan->vms[0].after = windows;
            return true;
        }
        plan->vm->until = until;
    }
    reservation_list_destroy(&windows);
    return false;
}

static void adopt_running(struct engine *engine, struct lease *lease,
                          const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_add(lease);
    bool makes_room = adoption->makes_room && adoption->leave_by > engine->now;
    int64_t until = makes_room ? adoption->leave_by : instant_later(adoption->until, engine->now);
    int64_t from = adoption->since;
    int64_t off = instant_add(until, shutdown_span(engine, lease));

    /* Booked from now on; the seconds until the VMs run are subtracted from their run time. */
    if (from > engine->now) {
        lease->accumulated -= from - engine->now;
        from = engine->now;
    }

    plan->vm = reservation_create(lease, RESERVATION_VM, from, off,
                                  adopted_placement(engine, lease, adoption, off));
    if (!makes_room && !adopt_planned_suspension(engine, lease, adoption))
        carve_shutdown(engine, lease, plan);
    plan = &lease->plan->vms[0];
    lease->state = LEASE_ACTIVE;
    if (adoption->leave_by && adoption->leave_by != INSTANT_NONE) {
        lease->plan->leave_by = adoption->leave_by;
        lease->plan->leave_for = adoption->leave_for;
        lease->plan->makes_room = makes_room;
        lease->plan->only_wanted = adoption->only_wanted;
        engine->has_leaving = true;
    }
    lease->start_actual = adoption->since;
    lease->reason = (struct reason){.id = REASON_PLANNED, .n = {adoption->since}};
    reservation_adopt(engine, plan->vm);
    reservation_list_book(engine, &plan->after);
    lease_plan_publish(lease);
    if (plan->vm->until != adoption->until)
        engine_output_interval(engine, plan->vm);
}

static void adopt_closing(struct engine *engine, struct lease *lease,
                          const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_add(lease);

    plan->vm = reservation_create(lease, RESERVATION_VM,
                                  instant_later(adoption->since, engine->now), adoption->until,
                                  placement_of_vms(engine, lease, adoption->vm_host, NULL));
    carve_shutdown(engine, lease, plan);
    plan->vm->closes = true;
    lease->state = LEASE_READY;
    reservation_book(engine, plan->vm);
    for (size_t i = 0; i < plan->after.n; i++) {
        plan->after.items[i]->closes = true;
        reservation_book(engine, plan->after.items[i]);
    }
    lease_plan_publish(lease);
}

static void adopt_ending(struct engine *engine, struct lease *lease,
                         const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_add(lease);
    struct reservation *shutdown;

    plan->vm = reservation_create(lease, RESERVATION_VM, engine->now, engine->now,
                                  adopted_placement(engine, lease, adoption, adoption->until));
    plan->vm->state = RESERVATION_DONE;
    shutdown = reservation_create(lease, RESERVATION_SHUTDOWN, engine->now,
                                  instant_later(adoption->until, engine->now),
                                  placement_share(plan->vm->placement));
    reservation_list_append(&plan->after, shutdown);
    lease->state = LEASE_ACTIVE;
    lease->start_actual = adoption->since;
    reservation_adopt(engine, shutdown);
    lease_plan_publish(lease);
}

static int64_t held_until(const struct adoption *adoption, uint32_t vm)
{
    if (!adoption->vm_until || adoption->vm_until[vm] > adoption->until)
        return adoption->until;
    return adoption->vm_until[vm];
}

/* CPU of all VMs on hosts that have a slot. */
static int64_t cpu_on_slots(const struct engine *engine, const struct placement *all)
{
    int64_t cpu = 0;

    for (uint32_t i = 0; i < all->n_hosts; i++)
        if (engine->host_slot[all->hosts[i]] != HOST_NONE)
            cpu += all->amounts[i * all->n_types + RESOURCE_CPU];
    return cpu;
}

/* The VMs suspended by `until` with their amounts and units; the CPU of all VMs on their hosts. */
static struct placement *held_placement(struct engine *engine, const struct lease *lease,
                                        const struct adoption *adoption, int64_t until,
                                        int64_t *cpu)
{
    const struct placement *all = lease_plan_current(lease)->vm->placement;
    struct placement *held = placement_create(all->n_hosts, all->n_vms, all->n_types);

    held->n_hosts = held->n_vms = 0;
    for (uint32_t vm = 0; vm < all->n_vms; vm++) {
        const struct amounts *amounts = lease_vm_amounts(lease, vm);
        uint32_t host = all->vms[vm].host, *slot = &engine->host_slot[host];

        if (held_until(adoption, vm) != until)
            continue;
        if (*slot == HOST_NONE)
            held->hosts[ *slot = held->n_hosts++] = host;
        for (uint32_t type = 0; type < all->n_types; type++)
            held->amounts[*slot * all->n_types + type] += amounts->of[type];
        held->vms[held->n_vms++] = all->vms[vm];
    }
    for (size_t i = 0; all->held && i < all->held->n; i++)
        if (held_until(adoption, all->held->items[i]->vm) == until)
            placement_hold(held, all->held->items[i]);
    *cpu = cpu_on_slots(engine, all);
    for (uint32_t i = 0; i < held->n_hosts; i++)
        engine->host_slot[held->hosts[i]] = HOST_NONE;
    return held;
}

/* One suspension for all VMs that give up their hosts at the same time, the last at `until`. */
static void adopt_suspensions(struct engine *engine, struct lease *lease,
                              const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_current(lease);
    const struct placement *all = plan->vm->placement;
    int64_t at = engine->now;

    while (at < adoption->until) {
        int64_t next = adoption->until, cpu;
        struct placement *held;
        struct reservation *suspension;

        for (uint32_t vm = 0; vm < all->n_vms; vm++)
            if (held_until(adoption, vm) > at && held_until(adoption, vm) < next)
                next = held_until(adoption, vm);
        held = held_placement(engine, lease, adoption, next, &cpu);
        suspension = reservation_create(lease, RESERVATION_SUSPEND, engine->now, next, held);
        suspension->cpu = cpu;
        reservation_list_append(&plan->after, suspension);
        reservation_adopt(engine, suspension);
        at = next;
    }
}

/* Adds the previous stretch, of which only the placement matters, and a suspension under way. */
static void adopt_past(struct engine *engine, struct lease *lease, const struct adoption *adoption)
{
    struct vm_plan *plan = lease_plan_add(lease);
    struct placement *placement = adoption->vm_host
                                      ? adopted_placement(engine, lease, adoption, adoption->until)
                                      : placement_create(0, 0, (uint32_t)engine->site.types.count);

    plan->vm = reservation_create(lease, RESERVATION_VM, engine->now, engine->now, placement);
    plan->vm->state = RESERVATION_DONE;
    lease->state = LEASE_SUSPENDED_PENDING;
    memory_files_add(engine, plan->vm);
    if (adoption->until > engine->now) {
        lease->state = LEASE_SUSPENDING;
        adopt_suspensions(engine, lease, adoption);
    }
    lease_plan_publish(lease);
}

/* --- waiting leases --------------------------------------------------------------------------- */

static bool adopt_waiting(struct engine *engine, struct lease *lease,
                          const struct adoption *adoption)
{
    bool suspended = adoption->as == ADOPTED_SUSPENDED;

    /* A lease that has run on known hosts fits there, even if the mapper would not find this
     * mapping. */
    if (!(suspended && adoption->vm_host) && !could_ever_fit(engine, lease))
        return false;
    lease->reason = (struct reason){0};
    if (suspended)
        adopt_past(engine, lease, adoption);
    else
        lease->state = LEASE_PENDING;
    lease->plan->not_before = adoption->not_before;
    if (suspended && lease->request.kind == LEASE_DEADLINE)
        return promised_place(engine, lease, adoption);
    if (lease->state == LEASE_SUSPENDING)
        return true;
    if (lease_ready_at(lease) > engine->now) {
        keep_early(engine, lease);
        return true;
    }
    lease->state = suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED;
    queue_insert_by_id(engine, lease);
    return true;
}

/* For a lease without placement and bookings. */
static void reject(struct engine *engine, struct lease *lease)
{
    struct vm_plan *past = lease_plan_current(lease);

    for (size_t i = 0; past && i < past->after.n; i++)
        if (past->after.items[i]->state == RESERVATION_ACTIVE)
            reservation_end(engine, past->after.items[i]);
    memory_files_drop(engine, lease);
    engine->figures.unfinished[lease->request.kind]--;
    lease->state = LEASE_REJECTED;
}

int engine_adopt(struct engine *engine, const struct adoption *adoption, struct error *err)
{
    struct lease *lease;
    bool adopted = true;

    if (check_adoption(engine, adoption, err) < 0)
        return -1;
    engine->outputs = &engine->adopted;
    lease = lease_create(&adoption->request, engine->site.n_hosts);
    lease->accumulated = adoption->accumulated;
    lease_table_insert(engine, lease);
    engine->figures.unfinished[lease->request.kind]++;
    switch (adoption->as) {
    case ADOPTED_RUNNING:
        adopt_running(engine, lease, adoption);
        break;
    case ADOPTED_CLOSING:
        adopt_closing(engine, lease, adoption);
        break;
    case ADOPTED_ENDING:
        adopt_ending(engine, lease, adoption);
        break;
    case ADOPTED_RESERVED:
        adopted = promised_place(engine, lease, adoption);
        break;
    case ADOPTED_SUSPENDED:
    case ADOPTED_QUEUED:
        adopted = adopt_waiting(engine, lease, adoption);
        break;
    }
    if (adopted)
        return 0;
    reject(engine, lease);
    return 1;
}
