/* SCHED_ACTION: actions that the daemon performs on VMs at a given time. */
#include <errno.h>
#include <stdlib.h>

#include "sandbox/vm.h"
#include "sandbox/vm_action.h"

static void find_next(struct oned_vm *vm)
{
    const struct oned_attributes *action;

    vm->next_action = 0;
    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++) {
        int64_t time = oned_attributes_number(action, "TIME", 0);

        if (oned_attributes_number(action, "DONE", -1) < 0 && time > 0 &&
            (vm->next_action == 0 || time < vm->next_action))
            vm->next_action = time;
    }
}

static void copy_text(struct oned_attributes *to, const struct oned_attributes *from,
                      const char *name, const char *otherwise)
{
    const char *value = oned_attributes_get(from, name);

    oned_attributes_add(to, name, value ? value : otherwise);
}

static int add_action(struct oned *oned, struct oned_vm *vm, const struct oned_attributes *said,
                      struct error *err)
{
    const char *action = oned_attributes_get(said, "ACTION");
    const char *time = oned_attributes_get(said, "TIME");
    struct oned_attributes *made;
    int64_t moment;
    int id;

    if (!action || !time)
        return error_set(err, EINVAL, "SCHED_ACTION needs ACTION and TIME");
    moment = strtoll(time, NULL, 10);
    if (*time == '+')
        moment += vm->stime;
    id = oned->next_action++;
    made = oned_attributes_add_vector(&vm->template, "SCHED_ACTION");
    oned_attributes_add_number(made, "ID", id);
    oned_attributes_add_number(made, "PARENT_ID", vm->id);
    oned_attributes_add(made, "TYPE", "VM");
    oned_attributes_add(made, "ACTION", action);
    copy_text(made, said, "ARGS", "");
    oned_attributes_add_number(made, "TIME", moment);
    copy_text(made, said, "REPEAT", "-1");
    copy_text(made, said, "DAYS", "");
    copy_text(made, said, "END_TYPE", "-1");
    copy_text(made, said, "END_VALUE", "-1");
    copy_text(made, said, "DONE", "-1");
    copy_text(made, said, "MESSAGE", "");
    copy_text(made, said, "WARNING", "0");
    return id;
}

int oned_vm_schedule(struct oned *oned, struct oned_vm *vm, const struct oned_attributes *from,
                     struct error *err)
{
    const struct oned_attributes *said;
    int id = -1;

    for (size_t i = 0; (said = oned_attributes_vector(from, "SCHED_ACTION", i)); i++) {
        id = add_action(oned, vm, said, err);
        if (id < 0)
            break;
    }
    if (id < 0 && (!err || err->code == 0))
        error_set(err, EINVAL, "No SCHED_ACTION in the template");
    find_next(vm);
    oned_touch(oned, KIND_VM, vm->id);
    return id;
}

int oned_vm_unschedule(struct oned *oned, struct oned_vm *vm, int64_t id)
{
    struct oned_attributes kept = {0}, all = {0};
    const struct oned_attributes *action;
    int result = -1;

    oned_attributes_move(&all, &vm->template, "SCHED_ACTION");
    for (size_t i = 0; (action = oned_attributes_vector(&all, "SCHED_ACTION", i)); i++)
        if (oned_attributes_number(action, "ID", -1) == id)
            result = 0;
        else
            oned_attributes_copy(oned_attributes_add_vector(&kept, "SCHED_ACTION"), action);
    oned_attributes_move(&vm->template, &kept, "SCHED_ACTION");
    oned_attributes_finish(&kept);
    oned_attributes_finish(&all);
    find_next(vm);
    oned_touch(oned, KIND_VM, vm->id);
    return result;
}

/* One action of a VM at a time, as the daemon does at each tick. */
static void run_one(struct oned *oned, struct oned_vm *vm, int64_t now)
{
    struct oned_attributes *action;
    struct oned_refusal refusal;

    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++) {
        if (oned_attributes_number(action, "DONE", -1) >= 0 ||
            oned_attributes_number(action, "TIME", 0) > now)
            continue;
        oned_attributes_set_number(action, "DONE", now);
        if (oned_vm_act(oned, vm, oned_attributes_get(action, "ACTION"), NULL, &refusal))
            oned_attributes_set(action, "MESSAGE", refusal.text);
        break;
    }
    find_next(vm);
    oned_touch(oned, KIND_VM, vm->id);
}

int64_t oned_scheduled_actions_run(struct oned *oned)
{
    int64_t now = oned_seconds(oned), next = INT64_MAX;

    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        struct oned_vm *vm = oned_vm(oned, id);

        if (!vm || vm->next_action == 0 || vm->state == VM_DONE)
            continue;
        if (vm->next_action <= now)
            run_one(oned, vm, now);
        if (vm->next_action > 0 && vm->next_action < next)
            next = vm->next_action;
    }
    return next;
}
