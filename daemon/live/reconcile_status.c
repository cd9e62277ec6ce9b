/* Derives a VM's status from OpenNebula's data. */
#include "daemon/live/daemon.h"
#include "daemon/live/moves.h"
#include "daemon/live/reconcile.h"
#include "daemon/live/reconcile_inside.h"

/* Before the VM's run time is read, its lease would return to the queue with too much time left. */
static bool is_to_be_read(const struct vm_record *vm, const struct vm_observation *observed)
{
    return !observed->has_times && observed->history.sequence > vm->sequence &&
           !vm_state_traits[observed->state].active;
}

/* Another galernad has announced the suspension (promises.h), now or before this one began to act:
 * the command may be in flight. */
static bool is_being_suspended(const struct daemon *daemon, const struct vm_record *vm)
{
    return vm->suspended_by_us && !daemon_acts(daemon);
}

bool reconcile_is_another(const struct vm_record *vm, const struct vm_observation *observed)
{
    return world_is_another(vm->created, observed->created);
}

enum vm_status reconcile_vm_status(const struct daemon *daemon, const struct vm_record *vm,
                                   const struct vm_observation *observed)
{
    if (vm->gone)
        return STATUS_GONE;
    if (!observed || vm->in_flight || observed->asked <= vm->settled)
        return STATUS_UNKNOWN;
    if (!observed->present || reconcile_is_another(vm, observed))
        return STATUS_GONE;
    if (is_to_be_read(vm, observed))
        return STATUS_UNKNOWN;
    if (observed->state == VM_PENDING)
        return STATUS_PENDING;
    if (observed->state == VM_HOLD)
        return daemon->live->submit_on_hold && vm->goal != GOAL_HOLD && !vm->ran
                   ? STATUS_PENDING
                   : STATUS_STOPPED_BY_USER;
    if (observed_running(observed))
        return is_being_suspended(daemon, vm) ? STATUS_IN_TRANSITION : STATUS_RUNNING;
    if (observed_failed(observed))
        return STATUS_FAILED;
    if (vm->goal == GOAL_NONE && vm_moves(vm) && observed_in_transition(observed))
        return STATUS_STOPPED_BY_USER; /* off, even while it moves to another host */
    if (observed_in_transition(observed) || observed->state == VM_CLONING)
        return STATUS_IN_TRANSITION;
    if (vm->suspended_by_us && (observed->state == VM_STOPPED || observed->state == VM_SUSPENDED))
        return STATUS_PREEMPTED;
    return STATUS_STOPPED_BY_USER;
}

bool reconcile_not_begun(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        enum vm_status status = reconcile_vm_status(daemon, vms[i], observed);

        if (vms[i]->command ||
            (status != STATUS_PENDING && status != STATUS_PREEMPTED && status != STATUS_GONE))
            return false;
    }
    return true;
}

bool reconcile_may_have_begun(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->last)
            return true;
    return !reconcile_not_begun(daemon, lease);
}
