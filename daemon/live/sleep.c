/* Wakes the leases that a cycle must examine, and lets unchanged leases sleep. */
#include "daemon/live/sleep.h"

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/moves.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/store/awake.h"

enum { ALL_AGAIN = 60 * 1000 /* milliseconds */ };

/* --- who may sleep ---------------------------------------------------------------------------- */

/* Is no command, message or move of the VM in flight or due again? */
static bool is_left_alone(const struct vm_record *vm)
{
    return !vm->in_flight && !vm->command && !vm->last && !vm->message_in_flight &&
           vm->next_try == INSTANT_NONE && vm->attempts == 0 && vm->refusals == 0 &&
           !vm_moves(vm) && !vm->resched && !vm->wanted && vm->promise_state != PROMISE_DAMAGED;
}

/* Is the observation up to date and stable? */
static bool is_settled(const struct vm_record *vm, const struct vm_observation *observed)
{
    return observed && observed->present && !observed->missing && observed->asked > vm->settled &&
           (observed->history.sequence < 0 || observed->has_times) &&
           observed->history.sequence <= vm->sequence + 1 && !observed_in_transition(observed) &&
           !observed_failed(observed);
}

static bool is_where_it_should_be(const struct lease_record *lease, const struct vm_record *vm,
                                  const struct vm_observation *observed)
{
    if (vm->goal != GOAL_NONE && (vm->goal != GOAL_RUN || !observed_running(observed)))
        return false;
    /* A parked or final lease with a pending VM stays awake until the VM's request has been read
     * from its extended form. */
    return lease->phase < PHASE_PARKED || observed->state != VM_PENDING;
}

static bool vm_may_sleep(const struct daemon *daemon, const struct lease_record *lease,
                         const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);

    return vm->gone || (is_left_alone(vm) && is_settled(vm, observed) &&
                        is_where_it_should_be(lease, vm, observed));
}

static bool phase_may_sleep(const struct daemon *daemon, const struct lease_record *lease)
{
    switch (lease->phase) {
    case PHASE_RUNNING:
        return !store_is_preempted(lease) && !store_is_leaving(lease) &&
               (daemon->live->unused_after <= 0 || lease->plain);
    case PHASE_PARKED:
        return !store_is_leaving(lease);
    case PHASE_WAITING:
    case PHASE_RESERVED:
    case PHASE_ENDED:
    case PHASE_REFUSED:
    case PHASE_FAILED:
    case PHASE_MISSED:
        return true;
    default:
        return false;
    }
}

static bool may_sleep(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n, n_gone = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    if (store_stirred(lease) > daemon->sleep.cycle || !phase_may_sleep(daemon, lease))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!vm_may_sleep(daemon, lease, vms[i]))
            return false;
        n_gone += vms[i]->gone;
    }
    return n_gone < n; /* otherwise the lease will be forgotten */
}

/* --- until when ------------------------------------------------------------------------------- */

static void earlier(int64_t *until, int64_t at, int64_t now)
{
    if (instant_is_set(at) && at > now && at < *until)
        *until = at;
}

/* The first time at which the lease's message or possible actions change: at the time itself, or a
 * second later. */
static int64_t sleeps_until(const struct daemon *daemon, const struct lease_record *lease,
                            int64_t now)
{
    const int64_t times[] = {
        lease->start,
        lease->earliest,
        lease->deadline,
        lease->end,
        lease->expected,
        lease->retry,
        lease->unused_until,
        lease->kind == LEASE_RESERVATION ? lease_end_from(lease, now) : INSTANT_NONE};
    int64_t until = reconcile_lease_time(daemon, lease, now);

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        earlier(&until, times[i], now);
        if (times[i] == now)
            earlier(&until, times[i] + 1, now);
    }
    return until;
}

/* --- a cycle ---------------------------------------------------------------------------------- */

static void wake_all_if_needed(struct daemon *daemon)
{
    struct sleep *sleep = &daemon->sleep;
    int64_t now = clock_monotonic();
    bool acts = daemon_acts(daemon), breaks = daemon->broken_rules.n > 0;

    if (acts == sleep->acted && !breaks && !sleep->broke_rule && now - sleep->all_at < ALL_AGAIN)
        return;
    store_wake_all(daemon->store);
    *sleep = (struct sleep){.all_at = now, .acted = acts, .broke_rule = breaks};
}

void sleep_begin(struct daemon *daemon, int64_t now)
{
    size_t n;
    const int32_t *changed_vms = world_take_changed_vms(daemon->world, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *vm = store_vm(daemon->store, changed_vms[i]);

        if (vm)
            store_wake(daemon->store, vm->lease);
    }
    wake_all_if_needed(daemon);
    store_wake_due(daemon->store, now);
    daemon->sleep.cycle = store_stirs(daemon->store);
}

void sleep_end(struct daemon *daemon)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++)
        if (may_sleep(daemon, leases[i]))
            store_let_sleep(daemon->store, leases[i],
                            sleeps_until(daemon, leases[i], daemon->reconciled));
}
