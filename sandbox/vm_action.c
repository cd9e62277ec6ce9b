/* Actions on VMs by users and schedulers, with OpenNebula's checks and error texts. */
#include "sandbox/vm_action.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/machine.h"

int oned_refuse(struct oned_refusal *refusal, int code, const char *format, ...)
{
    va_list args;

    refusal->code = code;
    refusal->object = -1;
    va_start(args, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, args);
    va_end(args);
    return -1;
}

static bool is_running(const struct oned_vm *vm)
{
    return vm->state == VM_ACTIVE && (vm->lcm == LCM_RUNNING || vm->lcm == LCM_UNKNOWN);
}

struct actor {
    struct oned *oned;
    struct oned_vm *vm;
    const struct oned_user *user;
    bool hard;
};

/* false: not in this state. */
typedef bool action_function(const struct actor *actor);

static void begin(const struct actor *actor, enum oned_operation operation, int reason)
{
    oned_history_reason(actor->oned, actor->vm, reason, actor->user);
    oned_machine_start(actor->oned, actor->vm, operation);
}

static bool act_hold(const struct actor *actor)
{
    if (actor->vm->state != VM_PENDING)
        return false;
    oned_machine_rest(actor->oned, actor->vm, VM_HOLD);
    return true;
}

static bool act_release(const struct actor *actor)
{
    if (actor->vm->state != VM_HOLD)
        return false;
    oned_machine_rest(actor->oned, actor->vm, VM_PENDING);
    return true;
}

static bool act_suspend(const struct actor *actor)
{
    if (!is_running(actor->vm))
        return false;
    begin(actor, OPERATION_SUSPEND, ACTION_SUSPEND);
    return true;
}

static bool act_stop(const struct actor *actor)
{
    if (is_running(actor->vm))
        begin(actor, OPERATION_STOP, ACTION_STOP);
    else if (actor->vm->state == VM_SUSPENDED)
        begin(actor, OPERATION_STOP_SUSPENDED, ACTION_STOP);
    else
        return false;
    return true;
}

static bool act_poweroff(const struct actor *actor)
{
    if (!is_running(actor->vm))
        return false;
    begin(actor, OPERATION_POWEROFF, actor->hard ? ACTION_POWEROFF_HARD : ACTION_POWEROFF);
    return true;
}

static bool act_undeploy(const struct actor *actor)
{
    int reason = actor->hard ? ACTION_UNDEPLOY_HARD : ACTION_UNDEPLOY;

    if (is_running(actor->vm))
        begin(actor, OPERATION_UNDEPLOY, reason);
    else if (actor->vm->state == VM_POWEROFF)
        begin(actor, OPERATION_UNDEPLOY_POWEROFF, reason);
    else
        return false;
    return true;
}

static bool act_terminate(const struct actor *actor)
{
    int reason = actor->hard ? ACTION_TERMINATE_HARD : ACTION_TERMINATE;

    switch (actor->vm->state) {
    case VM_ACTIVE:
        if (!is_running(actor->vm))
            return false;
        begin(actor, OPERATION_TERMINATE, reason);
        return true;
    case VM_SUSPENDED:
    case VM_POWEROFF:
    case VM_STOPPED:
    case VM_UNDEPLOYED:
        begin(actor, OPERATION_TERMINATE_IDLE, reason);
        return true;
    case VM_INIT:
    case VM_PENDING:
    case VM_HOLD:
    case VM_CLONING_FAILURE:
        oned_history_reason(actor->oned, actor->vm, reason, actor->user);
        oned_machine_rest(actor->oned, actor->vm, VM_DONE);
        return true;
    default:
        return false;
    }
}

static bool act_resume(const struct actor *actor)
{
    struct oned_vm *vm = actor->vm;
    enum oned_operation operation;

    if (vm->state == VM_STOPPED || vm->state == VM_UNDEPLOYED) {
        oned_machine_rest(actor->oned, vm, VM_PENDING);
        return true;
    }
    if (vm->state == VM_SUSPENDED)
        operation = OPERATION_RESUME_SUSPENDED;
    else if (vm->state == VM_POWEROFF)
        operation = OPERATION_RESUME_POWEROFF;
    else if (vm->state == VM_ACTIVE && vm->lcm == LCM_UNKNOWN)
        operation = OPERATION_RESUME_UNKNOWN;
    else
        return false;
    if (operation != OPERATION_RESUME_UNKNOWN) {
        int64_t now = oned_seconds(actor->oned);

        oned_history_last(vm)->etime = now;
        oned_history_begin(actor->oned, vm, NULL, -1)->stime = now;
    }
    oned_machine_start(actor->oned, vm, operation);
    return true;
}

static bool act_reboot(const struct actor *actor)
{
    return actor->vm->state == VM_ACTIVE && actor->vm->lcm == LCM_RUNNING;
}

static bool set_resched(const struct actor *actor, bool resched)
{
    if (!is_running(actor->vm) && actor->vm->state != VM_POWEROFF)
        return false;
    actor->vm->resched = resched;
    oned_touch(actor->oned, KIND_VM, actor->vm->id);
    return true;
}

static bool act_resched(const struct actor *actor)
{
    return set_resched(actor, true);
}

static bool act_unresched(const struct actor *actor)
{
    return set_resched(actor, false);
}

int oned_vm_act(struct oned *oned, struct oned_vm *vm, const char *action,
                const struct oned_user *user, struct oned_refusal *refusal)
{
    static const struct {
        const char *name;
        action_function *run;
        bool hard;
    } actions[] = {
        {"hold", act_hold, false},
        {"release", act_release, false},
        {"stop", act_stop, false},
        {"suspend", act_suspend, false},
        {"resume", act_resume, false},
        {"reboot", act_reboot, false},
        {"reboot-hard", act_reboot, true},
        {"resched", act_resched, false},
        {"unresched", act_unresched, false},
        {"poweroff", act_poweroff, false},
        {"poweroff-hard", act_poweroff, true},
        {"undeploy", act_undeploy, false},
        {"undeploy-hard", act_undeploy, true},
        {"terminate", act_terminate, false},
        {"terminate-hard", act_terminate, true},
    };

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        struct actor actor = {.oned = oned, .vm = vm, .user = user, .hard = actions[i].hard};

        if (strcmp(actions[i].name, action) != 0)
            continue;
        if (actions[i].run(&actor))
            return 0;
        return oned_refuse(refusal, 0x0800,
                           "Error performing action \"%s\": This action is not available for "
                           "state %s",
                           action, oned_state_name(vm));
    }
    return oned_refuse(refusal, 0x0800, "Action \"%.100s\" is not supported", action);
}
