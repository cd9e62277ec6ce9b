#include <stdlib.h>
#include <string.h>

#include "daemon/live/lease_state.h"
#include "daemon/live/vm_state.h"
#include "daemon/log.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum {
    /* A VM that does not settle is looked at again and planned for anew after so long, when nothing
     * is known of how long it takes. */
    PATIENCE = 5,
    /* Who has not left its hosts so many seconds after the estimate is not waited for: it is taken
     * to need as long again as it has taken, and what was promised its hosts is placed elsewhere.
     */
    OVERDUE = 10,
};

static bool holds_its_hosts(const struct lease_record *lease)
{
    return lease->phase == PHASE_STARTING || lease->phase == PHASE_RUNNING ||
           lease->phase == PHASE_STOPPING;
}

/* When the last of its VMs is likely to be suspended; whether that is long overdue. */
static int64_t leaving_until(const struct planner *planner, const struct lease_record *lease,
                             int64_t now, bool *overdue)
{
    struct estimate estimate = {0};
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    int64_t until = now + 1;

    *overdue = false;
    if (planner->estimates)
        estimate = estimates_of(planner->estimates, OPERATION_SUSPEND);
    for (size_t i = 0; i < n; i++) {
        int64_t span = estimate.n ? estimate_seconds(&estimate, vms[i]->memory) : PATIENCE;
        int64_t begun = now, end;

        if (vms[i]->gone || vms[i]->goal != GOAL_STOP)
            continue;
        /* `suspended_by_us` is set when the command is prepared. */
        if (vms[i]->suspended_by_us && vms[i]->sent != INSTANT_NONE && vms[i]->sent < now)
            begun = vms[i]->sent;
        end = begun + span;
        if (end + OVERDUE < now) {
            end = now + (now - begun);
            *overdue = true;
        } else if (end <= now) {
            end = now + PATIENCE;
        }
        until = end > until ? end : until;
    }
    return until;
}

/* A deadline lease that is being suspended: when it goes on is planned after the reservations that
 * it makes room for. If it is long overdue, they are placed elsewhere. */
static bool leaves_for_a_promise(const struct planner *planner, const struct lease_record *lease,
                                 int64_t now)
{
    bool overdue;

    if (lease->phase != PHASE_STOPPING || lease->kind != LEASE_DEADLINE)
        return false;
    leaving_until(planner, lease, now, &overdue);
    return !overdue;
}

/* The VM's capacity is in the engine by its lease, or will be, or on its way out. */
static bool covered(const struct planner *planner, const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = vm ? store_lease(planner->store, vm->lease) : NULL;

    if (!lease)
        return false;
    if (holds_its_hosts(lease))
        return (lease->planned && lease->planned->in_engine) ||
               leaves_for_a_promise(planner, lease, now);
    /* Over a restart only the time of the next try tells of a refusal. */
    if (vm->refusals > 0 || (vm->next_try != INSTANT_NONE && vm->next_try > now + PATIENCE))
        return false;
    return vm->attempts == 0 &&
           (lease->phase == PHASE_ENDING || (lease->phase == PHASE_FAILED && vm->goal == GOAL_END));
}

static int adopt_block(struct planner *planner, const struct vm_observation *observed, int64_t now,
                       struct error *err)
{
    uint32_t place = host_place(planner, observed->history.host);
    struct node_set nodes = {.count = 1};
    struct adoption adoption = {.as = ADOPTED_RUNNING,
                                .vm_host = &place,
                                .since = now,
                                .until = INSTANT_NEVER,
                                .not_before = INSTANT_NONE};

    if (place == HOST_NONE)
        return 0;
    nodes.amounts.of[RESOURCE_CPU] = observed->cpu;
    nodes.amounts.of[RESOURCE_MEMORY] = observed->memory;
    adoption.request = (struct lease_request){.id = BLOCK_BASE + observed->id,
                                              .kind = LEASE_BEST_EFFORT,
                                              .submit = now,
                                              .start = INSTANT_NONE,
                                              .deadline = INSTANT_NONE,
                                              .duration = SPAN_UNLIMITED,
                                              .duration_original = SPAN_UNLIMITED,
                                              .duration_known = SPAN_NONE,
                                              .terms = TERMS_NON_PREEMPTABLE,
                                              .user = -1,
                                              .node_sets = &nodes,
                                              .n_node_sets = 1};
    return engine_adopt(planner->engine, &adoption, err);
}

static void adopt_blocks(struct planner *planner, int64_t now)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(planner->world, &cursor))) {
        const struct vm_record *vm = store_vm(planner->store, observed->id);
        struct error err = {0};

        if (!observed_holds_host(observed) || covered(planner, vm, now) ||
            (vm && vm->suspended_by_us))
            continue;
        if (adopt_block(planner, observed, now, &err) < 0)
            log_error("VM %d on host %d is left out of the plan: %s", observed->id,
                      observed->history.host, err.text);
    }
}

/* All places known: a VM on a host that OpenNebula no longer has holds nothing. */
static bool have_places(const uint32_t *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (places[i] == HOST_NONE)
            return false;
    return true;
}

static int64_t running_until(const struct lease_record *lease, int64_t now)
{
    int64_t until = lease_end_from(lease, now);

    return until > now ? until : now + 1;
}

/* Does somebody who was promised hosts at that time still have that promise? */
static bool is_promised_at(const struct lease_record *lease, int64_t at)
{
    if (!lease || lease->phase != PHASE_RESERVED)
        return false;
    return lease->kind == LEASE_RESERVATION ||
           (lease->kind == LEASE_DEADLINE && lease->expected == at);
}

/* When it is to leave its hosts for somebody whose promise still stands. */
static int64_t leaves_at(const struct planner *planner, const struct lease_record *lease,
                         int64_t now)
{
    if (lease->preempted_at <= now ||
        !is_promised_at(store_lease(planner->store, lease->preempted_for), lease->preempted_at))
        return INSTANT_NONE;
    return lease->preempted_at;
}

static int adopt_running(struct planner *planner, const struct lease_record *lease, int64_t now,
                         struct error *err)
{
    struct adoption adoption = {
        .as = ADOPTED_RUNNING, .accumulated = lease->accumulated, .not_before = INSTANT_NONE};
    uint32_t *places;
    int result = 0;

    if (!planned_make(planner, lease, now, &adoption.request))
        return 0;
    places = planned_places(planner, lease);
    adoption.vm_host = places;
    adoption.since = lease->since != INSTANT_NONE && lease->since <= now ? lease->since : now;
    adoption.until = running_until(lease, now);
    adoption.suspend_at = leaves_at(planner, lease, now);
    adoption.resume_at = lease->kind == LEASE_DEADLINE ? lease->expected : INSTANT_NONE;
    if (lease->kind == LEASE_IMMEDIATE)
        adoption.request.start = INSTANT_NONE;
    if (have_places(places, lease->planned->n_vms)) {
        result = engine_adopt(planner->engine, &adoption, err);
        lease->planned->in_engine = result == 0;
        lease->planned->end = adoption.until;
    }
    free(places);
    return result < 0 ? -1 : 0;
}

/* 0 taken in, 1 no place for it, -1 an error. */
static int adopted(struct planner *planner, const struct lease_record *lease, int result)
{
    lease->planned->in_engine = result == 0;
    if (result > 0) {
        planner_note_rejection(planner, lease);
        engine_forget(planner->engine, lease->id, NULL);
    }
    planner->n_unplaced += result != 0;
    return result;
}

/* One lease that makes no sense must not keep all others from being planned. */
static void adopt(struct planner *planner, const struct lease_record *lease, int64_t now,
                  int (*how)(struct planner *, const struct lease_record *, int64_t,
                             struct error *))
{
    struct error err = {0};

    if (how(planner, lease, now, &err) >= 0)
        return;
    planner->n_unplaced++;
    log_error("lease %lld is left out of the plan: %s", (long long)lease->id, err.text);
}

/* When the first reservation that was promised a host begins, for each host of the site;
 * INSTANT_NEVER: none. To be freed. */
static int64_t *promised_starts(const struct planner *planner)
{
    size_t n, n_hosts = planner->hosts->pool.n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);
    int64_t *starts = memory_new(n_hosts, sizeof *starts);

    for (size_t host = 0; host < n_hosts; host++)
        starts[host] = INSTANT_NEVER;
    for (size_t i = 0; i < n; i++) {
        size_t n_vms;
        const struct vm_record *const *vms;

        if (leases[i]->phase != PHASE_RESERVED || leases[i]->kind != LEASE_RESERVATION)
            continue;
        vms = store_vms_of(planner->store, leases[i]->id, &n_vms);
        for (size_t j = 0; j < n_vms; j++) {
            uint32_t place = host_place(planner, vms[j]->host);

            if (place != HOST_NONE && leases[i]->start < starts[place])
                starts[place] = leases[i]->start;
        }
    }
    return starts;
}

/* When a reservation that was promised a host of the lease's begins, if that is before `until`. If
 * they are late to leave, it is late; to let others leave other hosts for it would not be faster.
 */
static int64_t until_promised(struct planner *planner, const struct lease_record *lease,
                              int64_t until, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (!planner->promised)
        planner->promised = promised_starts(planner);
    for (size_t i = 0; i < n; i++) {
        uint32_t place = host_place(planner, vms[i]->host);

        if (place != HOST_NONE && planner->promised[place] < until)
            until = planner->promised[place];
    }
    return until > now ? until : now;
}

/* Its place is kept, if there was one. */
static bool has_known_place(const struct lease_record *lease, int64_t now)
{
    return lease->expected != INSTANT_NONE && lease->expected >= now;
}

/* OpenNebula counts the time of the suspension as running time; so what it has run is known only
 * when that is over. */
static int64_t work_kept(const struct lease_record *lease, int64_t now)
{
    if (lease->kind != LEASE_DEADLINE || lease->phase != PHASE_STOPPING ||
        lease->terms == TERMS_RESTARTABLE)
        return lease->accumulated;
    return lease->duration - lease_remaining(lease, now);
}

/* Where its memory is, if that matters: elsewhere it could not be resumed, or would lose the place
 * that was planned for it. NULL: it does not. To be freed. */
static uint32_t *memory_places(const struct planner *planner, const struct lease_record *lease,
                               int64_t now)
{
    bool leaving = lease->phase == PHASE_STOPPING;
    bool anywhere = planner->settings.resumes_anywhere &&
                    !(lease->kind == LEASE_DEADLINE && has_known_place(lease, now));
    uint32_t *places;

    if (!leaving && (anywhere || !lease_is_suspended_by_us(planner, lease)))
        return NULL;
    places = planned_places(planner, lease);
    if (have_places(places, lease->planned->n_vms))
        return places;
    free(places);
    return NULL;
}

/* A lease that waits, or is on its way out of its hosts: they are taken until it is likely to be
 * gone. A deadline lease waits here only for its resumption. */
static int adopt_waiting(struct planner *planner, const struct lease_record *lease, int64_t now,
                         struct error *err)
{
    bool leaving = lease->phase == PHASE_STOPPING, deadline = lease->kind == LEASE_DEADLINE;
    bool suspended = leaving || deadline || lease_is_suspended_by_us(planner, lease);
    bool overdue;
    struct adoption adoption = {.as = suspended ? ADOPTED_SUSPENDED : ADOPTED_QUEUED,
                                .since = deadline ? lease->expected : INSTANT_NONE,
                                .until = INSTANT_NONE,
                                .accumulated = work_kept(lease, now),
                                .not_before = INSTANT_NONE};
    uint32_t *places;
    int result;

    if (!planned_make(planner, lease, now, &adoption.request))
        return 0;
    adoption.vm_host = places = memory_places(planner, lease, now);
    if (leaving && places) {
        adoption.until = leaving_until(planner, lease, now, &overdue);
        if (!overdue)
            adoption.until = until_promised(planner, lease, adoption.until, now);
    }
    if (lease->earliest != INSTANT_NONE && lease->earliest > now)
        adoption.not_before = lease->earliest;
    result = engine_adopt(planner->engine, &adoption, err);
    if (result > 0 && deadline && places && !leaving && planner->settings.resumes_anywhere) {
        engine_forget(planner->engine, lease->id, NULL);
        adoption.vm_host = NULL;
        result = engine_adopt(planner->engine, &adoption, err);
    }
    free(places);
    return adopted(planner, lease, result);
}

static int adopt_reserved(struct planner *planner, const struct lease_record *lease, int64_t now,
                          struct error *err)
{
    struct adoption adoption = {.as = ADOPTED_RESERVED,
                                .since = lease->expected,
                                .until = INSTANT_NONE,
                                .not_before = INSTANT_NONE};
    uint32_t *places;
    int result;

    if (lease->kind == LEASE_RESERVATION && lease_is_over(lease, now))
        return 0; /* missed: said so by the reconciliation */
    if (!planned_make(planner, lease, now, &adoption.request))
        return 0;
    places = planned_places(planner, lease);
    adoption.vm_host = places;
    result = engine_adopt(planner->engine, &adoption, err);
    /* Booting takes longer than it did when it was promised: better late than not at all. */
    if (result > 0 && adoption.request.kind == LEASE_RESERVATION &&
        adoption.request.start < lease->start) {
        engine_forget(planner->engine, lease->id, NULL);
        request_set_start(lease, lease->start, now, &adoption.request);
        result = engine_adopt(planner->engine, &adoption, err);
    }
    free(places);
    return adopted(planner, lease, result);
}

static void adopt_phase(struct planner *planner, enum lease_phase phase, int64_t now,
                        int (*how)(struct planner *, const struct lease_record *, int64_t,
                                   struct error *))
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase == phase && (phase != PHASE_WAITING || leases[i]->accepted) &&
            (phase != PHASE_RESERVED || leases[i]->kind != LEASE_DEADLINE) &&
            !leaves_for_a_promise(planner, leases[i], now))
            adopt(planner, leases[i], now, how);
}

/* Those whose place is known, and those that a place is looked for. */
static void adopt_deadlines(struct planner *planner, bool known, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = leases[i];
        bool leaving = leaves_for_a_promise(planner, lease, now);
        bool begun = leaving || lease->accumulated > 0 || lease_is_suspended_by_us(planner, lease);

        if (lease->kind == LEASE_DEADLINE && (leaving || lease->phase == PHASE_RESERVED) &&
            has_known_place(lease, now) == known)
            adopt(planner, lease, now, begun ? adopt_waiting : adopt_reserved);
    }
}

/* Moves that were wished and not commanded: the new engine wishes what is best now. */
static void forget_wishes(struct planner *planner)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->move != MOVE_NONE && !vms[i]->move_sent)
            vm_end_move(planner->store, vms[i]);
}

/* What holds hosts, what was promised, what waits, what is new. */
void planner_adopt_all(struct planner *planner, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    planner->n_unplaced = 0;
    forget_wishes(planner);
    for (size_t i = 0; i < n; i++)
        planned_drop(planner->store, leases[i]);
    adopt_phase(planner, PHASE_STARTING, now, adopt_running);
    adopt_phase(planner, PHASE_RUNNING, now, adopt_running);
    adopt_phase(planner, PHASE_STOPPING, now, adopt_waiting);
    adopt_blocks(planner, now);
    adopt_phase(planner, PHASE_RESERVED, now, adopt_reserved);
    adopt_deadlines(planner, true, now);
    adopt_deadlines(planner, false, now);
    adopt_phase(planner, PHASE_WAITING, now, adopt_waiting);
    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase == PHASE_WAITING && !leases[i]->accepted)
            planner_new(planner, leases[i]->id);
    free(planner->promised);
    planner->promised = NULL;
}
