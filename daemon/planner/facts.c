/* Facts for a plan: running leases, promises, waiting leases, new leases. */
#include <stdlib.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

/* --- adoptions -------------------------------------------------------------------------------- */

/* Is the VM waiting to start, but without a host, or on a host where it has just failed or that no
 * longer takes VMs? */
static bool must_go_elsewhere(const struct planner *planner, const struct snapshot *snapshot,
                              const struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = vm->gone ? NULL : world_vm(planner->world, vm->id);
    const struct lease_record *lease = store_lease(planner->store, vm->lease);
    const struct drains *drains = planner->settings.drains;
    struct drain ahead;
    uint32_t place;

    if (!observed || vm->goal != GOAL_RUN || vm->in_flight || vm->command ||
        (vm->next_try != INSTANT_NONE && vm->next_try > now))
        return false;
    if (observed->state != VM_PENDING && (observed->state != VM_STOPPED || !vm->suspended_by_us))
        return false;
    place = snapshot_place(snapshot, vm->host);
    return vm_avoids(vm, vm->host, now) || place == HOST_NONE || snapshot->closed[place] ||
           (drains && lease && drains_ahead(drains, lease, vm->host, now, &ahead) &&
            ahead.from <= now);
}

static bool must_relocate(const struct facts *facts, const struct lease_record *lease,
                          const struct vm_record *vm, size_t n)
{
    return lease->phase == PHASE_STARTING && n > 1 &&
           must_go_elsewhere(facts->planner, facts->snapshot, vm, facts->now);
}

/* Writes the current or planned host of each VM, and the units that the VM holds there. */
static void put_places(struct facts *facts, const struct lease_record *lease,
                       const struct planned *planned)
{
    size_t n;

    store_vms_of(facts->store, lease->id, &n);
    wire_put(&facts->adoption_section, planned->n_vms);
    for (uint32_t i = 0; i < planned->n_vms; i++) {
        const struct vm_record *vm = store_vm(facts->store, planned->vms[i]);
        const struct vm_observation *observed = world_vm(facts->planner->world, vm->id);
        uint32_t place = facts_place(facts, lease, vm_planned_host(vm));
        bool holds = lease_holds_hosts(lease) && observed && observed_holds_host(observed) &&
                     !vm->suspended_by_us;
        bool has_units = facts_has_units(facts, observed, place);
        int32_t filter =
            must_relocate(facts, lease, vm, n) ? facts_relocation_filter(facts, vm) : -1;

        wire_put(&facts->adoption_section, (holds ? PLACE_HOLDS : 0) |
                                               (filter >= 0 ? PLACE_RELOCATE : 0) |
                                               (has_units ? PLACE_HAS_UNITS : 0));
        wire_put(&facts->adoption_section, place == HOST_NONE ? -1 : (int64_t)place);
        if (filter >= 0)
            wire_put(&facts->adoption_section, filter);
        if (has_units)
            facts_put_vm_units(facts, observed, place, &facts->adoption_section);
    }
}

static void put_adoption(struct facts *facts, const struct lease_record *lease,
                         struct asking *asking, const struct fact_adoption *fact)
{
    wire_put_fields(&facts->adoption_section, fact_adoption_fields, n_fact_adoption_fields, fact);
    wire_put_request(&facts->adoption_section, &asking->request, asking->numbers);
    put_places(facts, lease, asking->planned);
    facts->n_adoptions++;
    asking->planned->in_engine = true;
    asking->planned->end =
        fact->adoption.as == ADOPTED_RUNNING ? fact->adoption.until : INSTANT_NONE;
}

/* Is the host of each VM known, or to be found because its group is starting? A VM whose host no
 * longer exists in OpenNebula holds nothing. */
static bool have_places(const struct facts *facts, const struct lease_record *lease,
                        const struct planned *planned)
{
    for (uint32_t i = 0; i < planned->n_vms; i++) {
        const struct vm_record *vm = store_vm(facts->store, planned->vms[i]);
        bool is_homeless = lease->phase == PHASE_STARTING && planned->n_vms > 1 &&
                           vm->goal == GOAL_RUN && vm->host < 0;

        if (snapshot_place(facts->snapshot, vm_planned_host(vm)) == HOST_NONE && !is_homeless)
            return false;
    }
    return true;
}

/* --- leases ----------------------------------------------------------------------------------- */

static int64_t running_until(const struct lease_record *lease, int64_t now)
{
    int64_t until = lease_end_from(lease, now);

    return until > now ? until : now + 1;
}

/* Does a VM of the lease hold units that its host does not report yet? */
static bool is_arriving(const struct facts *facts, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(facts->planner->world, vms[i]->id);
        uint32_t place = facts_place(facts, lease, vm_planned_host(vms[i]));

        if (observed && observed->hardware && !facts_has_units(facts, observed, place))
            return true;
    }
    return false;
}

/* By when the lease leaves its hosts, and why. */
static void note_leaving(struct facts *facts, const struct lease_record *lease,
                         struct adoption *adoption)
{
    adoption->leave_by = facts->n_leaving ? facts->leave_by : INSTANT_NONE;
    facts->leave_by = INSTANT_NONE;
    facts->n_leaving = 0;
    adoption->only_wanted = adoption->leave_by != INSTANT_NONE &&
                            !planner_has_to_leave(facts->planner, facts->drains, lease, facts->now);
    adoption->leave_for = lease->preempted_for;
    adoption->makes_room = adoption->leave_by != INSTANT_NONE &&
                           adoption->leave_by == lease_moves_by(facts->store, lease, facts->now);
}

static void note_times(const struct facts *facts, const struct lease_record *lease,
                       struct adoption *adoption)
{
    int64_t now = facts->now;
    int64_t stops_at = planner_needs_stop(facts->planner, lease, now)
                           ? planner_stops_at(facts->planner, lease)
                           : INSTANT_NEVER;

    adoption->since = lease->since != INSTANT_NONE && lease->since <= now ? lease->since : now;
    adoption->until = running_until(lease, now);
    if (stops_at < adoption->until)
        adoption->until = instant_later(stops_at, now + 1);
    adoption->suspend_at =
        store_moves_away(lease) ? INSTANT_NONE : lease_leaves_at(facts->store, lease, now);
    adoption->resume_at = lease->kind == LEASE_DEADLINE ? lease->expected : INSTANT_NONE;
}

static void gather_running(struct facts *facts, const struct lease_record *lease)
{
    struct fact_adoption fact = {.adoption = {.as = ADOPTED_RUNNING,
                                              .accumulated = lease->accumulated,
                                              .not_before = INSTANT_NONE},
                                 .has_places = true};
    struct asking asking;
    bool possible;

    if (is_arriving(facts, lease) != facts->arriving)
        return;
    if (facts_may_leave(facts, lease) || store_moves_away(lease))
        facts->leave_by = facts_leaves_by(facts, lease);
    possible = asking_make(facts, lease, &asking);
    note_leaving(facts, lease, &fact.adoption);
    if (!possible)
        return;
    note_times(facts, lease, &fact.adoption);
    if (lease->kind == LEASE_IMMEDIATE)
        asking.request.start = INSTANT_NONE;
    if (have_places(facts, lease, asking.planned))
        put_adoption(facts, lease, &asking, &fact);
    asking_finish(&asking);
}

/* For each host, the start of the first reservation promised that host; INSTANT_NEVER: none. To be
 * freed. */
static int64_t *promised_starts(const struct facts *facts)
{
    size_t n, n_hosts = facts->snapshot->hosts->pool.n;
    const struct lease_record *const *leases = store_leases(facts->store, &n);
    int64_t *starts = memory_new(n_hosts, sizeof *starts);

    for (size_t host = 0; host < n_hosts; host++)
        starts[host] = INSTANT_NEVER;
    for (size_t i = 0; i < n; i++) {
        size_t n_vms;
        const struct vm_record *const *vms;

        if (facts_lease(facts, leases[i])->phase != PHASE_RESERVED ||
            leases[i]->kind != LEASE_RESERVATION)
            continue;
        vms = store_vms_of(facts->store, leases[i]->id, &n_vms);
        for (size_t j = 0; j < n_vms; j++) {
            uint32_t place = snapshot_place(facts->snapshot, vms[j]->host);

            if (place != HOST_NONE && leases[i]->start < starts[place])
                starts[place] = leases[i]->start;
        }
    }
    return starts;
}

/* The earliest start of a reservation that is promised a host of the lease, if before `until`. If
 * the VMs leave late, that reservation starts late: preempting VMs on other hosts would not be
 * faster. */
static int64_t until_promised(struct facts *facts, const struct lease_record *lease, int64_t until,
                              int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);

    if (!facts->promised)
        facts->promised = promised_starts(facts);
    for (size_t i = 0; i < n; i++) {
        uint32_t place = snapshot_place(facts->snapshot, vms[i]->host);

        if (place != HOST_NONE && facts->promised[place] < until)
            until = facts->promised[place];
    }
    return until > now ? until : now;
}

/* Is the lease's planned start still ahead? Then its place is kept. */
static bool has_known_place(const struct lease_record *lease, int64_t now)
{
    return lease->expected != INSTANT_NONE && lease->expected >= now;
}

/* OpenNebula counts a suspension as run time: the lease's run time is known only after the
 * suspension. */
static int64_t work_kept(const struct lease_record *lease, int64_t now)
{
    if (lease->kind != LEASE_DEADLINE || lease->phase != PHASE_STOPPING ||
        lease->terms == TERMS_RESTARTABLE)
        return lease->accumulated;
    return lease->duration - lease_remaining(lease, now);
}

/* Are the hosts with the VMs' memory known, and must the lease keep them? Otherwise it could not be
 * resumed, or would lose its planned place. */
static bool has_memory_places(const struct facts *facts, const struct lease_record *lease,
                              const struct planned *planned)
{
    bool leaving = lease->phase == PHASE_STOPPING;
    bool anywhere = facts->planner->settings.resumes_anywhere &&
                    !(lease->kind == LEASE_DEADLINE && has_known_place(lease, facts->now));

    if (!leaving && (anywhere || !lease_is_suspended_by_us(facts->store, lease)))
        return false;
    return have_places(facts, lease, planned);
}

/* A lease that was suspended for a drain is not resumed before the drain begins. */
static int64_t not_resumed_before(const struct facts *facts, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);
    int64_t at = lease->earliest;
    struct drain drain;

    for (size_t i = 0; facts->drains && i < n; i++)
        if (vm_avoids(vms[i], vms[i]->host, facts->now) &&
            drains_ahead(facts->drains, lease, vms[i]->host, facts->now, &drain) && drain.from > at)
            at = drain.from;
    return at;
}

/* Adopts a waiting lease, or one that is leaving its hosts, which stay occupied until it is likely
 * to be gone. Deadline leases come here only to be resumed. */
static void gather_waiting(struct facts *facts, const struct lease_record *lease)
{
    int64_t now = facts->now;
    bool leaving = lease->phase == PHASE_STOPPING, deadline = lease->kind == LEASE_DEADLINE;
    bool suspended = leaving || deadline || lease_is_suspended_by_us(facts->store, lease);
    bool overdue;
    struct fact_adoption fact = {.adoption = {.as = suspended ? ADOPTED_SUSPENDED : ADOPTED_QUEUED,
                                              .since = deadline ? lease->expected : INSTANT_NONE,
                                              .until = INSTANT_NONE,
                                              .accumulated = work_kept(lease, now),
                                              .not_before = INSTANT_NONE}};
    int64_t not_before;
    struct asking asking;

    if (!asking_make(facts, lease, &asking))
        return;
    fact.has_places = has_memory_places(facts, lease, asking.planned);
    if (leaving && fact.has_places) {
        fact.adoption.until = facts_leaving_until(facts, lease, now, &overdue);
        if (!overdue)
            fact.adoption.until = until_promised(facts, lease, fact.adoption.until, now);
    }
    not_before = suspended && !deadline ? not_resumed_before(facts, lease) : lease->earliest;
    if (asking.not_before > not_before)
        not_before = asking.not_before;
    if (not_before != INSTANT_NONE && not_before > now)
        fact.adoption.not_before = not_before;
    if (deadline && fact.has_places && !leaving && facts->planner->settings.resumes_anywhere)
        fact.alternative = ALTERNATIVE_ANYWHERE;
    put_adoption(facts, lease, &asking, &fact);
    asking_finish(&asking);
}

static void gather_reserved(struct facts *facts, const struct lease_record *lease)
{
    struct fact_adoption fact = {.adoption = {.as = ADOPTED_RESERVED,
                                              .since = lease->expected,
                                              .until = INSTANT_NONE,
                                              .not_before = INSTANT_NONE},
                                 .has_places = true};
    struct asking asking;

    if (lease->kind == LEASE_RESERVATION &&
        (lease->at_risk != facts->at_risk || lease_is_over(lease, facts->now)))
        return; /* missed: reported by reconcile */
    if (!asking_make(facts, lease, &asking))
        return;
    /* Booting has become slower since the promise: a late start is better than none. */
    if (asking.request.kind == LEASE_RESERVATION && asking.request.start < lease->start) {
        struct lease_request later = asking.request;

        request_set_start(lease, lease->start, facts->now, &later);
        fact.alternative = ALTERNATIVE_LATER;
        fact.start = later.start;
        fact.duration = later.duration;
    }
    put_adoption(facts, lease, &asking, &fact);
    asking_finish(&asking);
}

static void gather_phase(struct facts *facts, enum lease_phase phase,
                         void (*how)(struct facts *, const struct lease_record *))
{
    size_t n;
    const struct lease_record *const *leases = store_leases(facts->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = facts_lease(facts, leases[i]);

        if (lease->phase == phase && (phase != PHASE_WAITING || lease->accepted) &&
            (phase != PHASE_RESERVED || lease->kind != LEASE_DEADLINE) &&
            !facts_leaves_for_promise(facts, lease))
            how(facts, lease);
    }
}

/* Deadline leases with (known) or without a planned place. */
static void gather_deadlines(struct facts *facts, bool known)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(facts->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = facts_lease(facts, leases[i]);
        bool leaving = facts_leaves_for_promise(facts, lease);
        bool begun =
            leaving || lease->accumulated > 0 || lease_is_suspended_by_us(facts->store, lease);

        if (lease->kind != LEASE_DEADLINE || !(leaving || lease->phase == PHASE_RESERVED) ||
            has_known_place(lease, facts->now) != known)
            continue;
        if (begun)
            gather_waiting(facts, lease);
        else
            gather_reserved(facts, lease);
    }
}

static void gather_arrivals(struct facts *facts)
{
    size_t n, n_arrivals = 0;
    const struct lease_record *const *leases = store_leases(facts->store, &n);
    int64_t *arrivals = memory_new(n, sizeof *arrivals);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = facts_lease(facts, leases[i]);

        if (lease->phase == PHASE_WAITING && !lease->accepted)
            arrivals[n_arrivals++] = lease->id;
    }
    if (!facts->planner->careful)
        facts_add_step(facts, NULL, 0, arrivals, n_arrivals);
    else
        facts_add_step(facts, NULL, 0, NULL, 0);
    for (size_t i = 0; facts->planner->careful && i < n_arrivals; i++)
        facts_add_step(facts, NULL, 0, &arrivals[i], 1);
    free(arrivals);
}

void facts_gather(struct facts *facts)
{
    facts_put_drains(facts);
    facts_gather_blocks(facts, false);
    gather_phase(facts, PHASE_STARTING, gather_running);
    gather_phase(facts, PHASE_RUNNING, gather_running);
    facts->arriving = true; /* these get no device that the host reports as held by another VM */
    gather_phase(facts, PHASE_STARTING, gather_running);
    gather_phase(facts, PHASE_RUNNING, gather_running);
    gather_phase(facts, PHASE_STOPPING, gather_waiting);
    facts_gather_blocks(facts, true);
    gather_phase(facts, PHASE_RESERVED, gather_reserved);
    facts->at_risk = true; /* these get no place that is promised to another lease */
    gather_phase(facts, PHASE_RESERVED, gather_reserved);
    gather_deadlines(facts, true);
    gather_deadlines(facts, false);
    gather_phase(facts, PHASE_WAITING, gather_waiting);
    gather_arrivals(facts);
}

/* --- group members that must move to other hosts ---------------------------------------------- */

bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (!planner->ready || lease->phase != PHASE_STARTING || n < 2)
        return false;
    for (size_t i = 0; i < n; i++)
        if (must_go_elsewhere(planner, &planner->snapshot, vms[i], now))
            return true;
    return false;
}
