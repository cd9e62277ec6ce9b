/* Commands and promises: which command waits for a promise, and which serves one. */
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/promises.h"
#include "daemon/state/lease_state.h"

void enactor_ask_again(struct enactor *enactor)
{
    map_finish(&enactor->announced);
    map_init(&enactor->announced, sizeof(bool));
}

/* Determined once per cycle for all VMs of a lease. */
bool enactor_waits_for_promise(struct enactor *enactor, const struct vm_record *vm)
{
    size_t known = enactor->announced.n;
    bool *waits = map_value(&enactor->announced, map_add(&enactor->announced, vm->lease));

    if (enactor->announced.n > known)
        *waits = promises_precede_group(enactor->daemon, vm->lease);
    return *waits;
}

bool enactor_serves_promise(const struct enactor *enactor, const struct vm_record *vm)
{
    const struct store *store = enactor->daemon->store;
    const struct lease_record *lease = store_lease(store, vm->lease), *other;

    other = lease && store_is_preempted(lease) ? store_lease(store, lease->preempted_for) : NULL;
    return other && other->accepted && other->kind != LEASE_BEST_EFFORT;
}

/* An owner's lock is respected unless it would break the promise to another owner. */
bool enactor_may_unlock(const struct enactor *enactor, const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);

    if (!enactor->daemon->live->unlock || !lease || vm->goal == GOAL_RUN)
        return false;
    return (lease->phase == PHASE_ENDING && lease_is_over(lease, now)) ||
           enactor_serves_promise(enactor, vm);
}
