/* Selects the command that brings a VM closer to its goal. */
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"

/* VMs that a user suspended, stopped or held are left for the user to resume. */
enum command enactor_to_run(const struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed)
{
    if (observed_failed(observed))
        return vm->ran ? COMMAND_RETRY : COMMAND_RECREATE;
    switch (observed->state) {
    case VM_PENDING:
        return COMMAND_DEPLOY;
    case VM_HOLD:
        return enactor->daemon->live->submit_on_hold && !vm->ran ? COMMAND_DEPLOY : COMMAND_NONE;
    case VM_STOPPED:
        return vm->suspended_by_us ? COMMAND_DEPLOY : COMMAND_NONE;
    case VM_SUSPENDED:
        if (!vm->suspended_by_us)
            return move_command(vm, observed);
        return vm->host == observed->history.host ? COMMAND_RESUME : COMMAND_RELOCATE;
    case VM_RUNNING:
    case VM_UNKNOWN:
    case VM_POWEROFF:
        return move_command(vm, observed);
    default:
        return COMMAND_NONE;
    }
}

static enum command to_stop(const struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed)
{
    if (observed_failed(observed))
        return vm->ran ? COMMAND_RETRY : COMMAND_RECREATE;
    if (observed->state != VM_RUNNING)
        return COMMAND_NONE;
    /* A suspended VM keeps its devices and CPUs: OpenNebula would refuse them to other VMs. */
    return enactor->daemon->live->suspend_with == SUSPEND_WITH_STOP || observed->hardware
               ? COMMAND_STOP
               : COMMAND_SUSPEND;
}

static enum command to_end(const struct enactor *enactor, const struct vm_record *vm,
                           const struct vm_observation *observed)
{
    int action = enactor->daemon->live->end_action;

    if (observed_failed(observed))
        return COMMAND_DELETE;
    if (observed_in_transition(observed))
        return COMMAND_NONE;
    if (action == END_TERMINATE || !vm->ran)
        return vm->attempts >= 2 || observed->state == VM_UNKNOWN ? COMMAND_TERMINATE_HARD
                                                                  : COMMAND_TERMINATE;
    if (vm_state_traits[observed->state].active)
        return action == END_POWEROFF ? COMMAND_POWEROFF : COMMAND_UNDEPLOY;
    if (action == END_UNDEPLOY &&
        (observed->state == VM_POWEROFF || observed->state == VM_SUSPENDED))
        return COMMAND_UNDEPLOY;
    return observed->state == VM_PENDING ? COMMAND_HOLD : COMMAND_NONE;
}

static enum command to_hold(const struct enactor *enactor, const struct vm_observation *observed)
{
    switch (enactor->daemon->live->refusal) {
    case REFUSAL_TERMINATE:
        return observed->state == VM_PENDING || observed->state == VM_HOLD ? COMMAND_TERMINATE
                                                                           : COMMAND_NONE;
    case REFUSAL_HOLD:
        return observed->state == VM_PENDING ? COMMAND_HOLD : COMMAND_NONE;
    default:
        return COMMAND_NONE;
    }
}

enum command enactor_command(const struct enactor *enactor, const struct vm_record *vm,
                             const struct vm_observation *observed)
{
    switch (vm->goal) {
    case GOAL_RUN:
        return enactor_to_run(enactor, vm, observed);
    case GOAL_STOP:
        return to_stop(enactor, vm, observed);
    case GOAL_END:
        return to_end(enactor, vm, observed);
    case GOAL_HOLD:
        return observed_failed(observed) ? COMMAND_RECREATE : to_hold(enactor, observed);
    case GOAL_AGAIN:
        return observed->state == VM_PENDING || observed_in_transition(observed) ? COMMAND_NONE
                                                                                 : COMMAND_RECREATE;
    case GOAL_PARK:
        return observed->state == VM_PENDING ? COMMAND_HOLD : COMMAND_NONE;
    case GOAL_FREE:
        return observed->state == VM_HOLD ? COMMAND_RELEASE : COMMAND_NONE;
    default: /* a powered-off VM may move to another host */
        return observed_failed(observed) ? COMMAND_RETRY : move_command(vm, observed);
    }
}
