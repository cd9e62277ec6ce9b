/* one.vm.* */
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/vm.h"
#include "util/memory.h"

static xmlrpc_value *answer_touched(struct oned_call *call)
{
    const struct oned_vm *vm = call->object;

    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *answer_outcome(struct oned_call *call, int result,
                                    const struct oned_refusal *refusal)
{
    return result ? oned_answer_refusal(call, refusal)
                  : oned_answer_int(call, ((const struct oned_vm *)call->object)->id);
}

/* The lock of another user can be changed by administrators only. refusal: for others. */
static xmlrpc_value *set_lock(struct oned_call *call, int64_t level, const char *refusal)
{
    struct oned_vm *vm = call->object;

    if (!oned_may(call->user, &vm->owner, RIGHT_MANAGE))
        return oned_answer_forbidden(call, "MANAGE", "VM", vm->id);
    if (vm->lock > 0 && vm->lock_owner != call->user->id && !oned_is_admin(call->user))
        return oned_answer_failure(call, 0x0800, "%s", refusal);
    vm->lock = level == 4 ? 1 : (int)level; /* 4: all */
    vm->lock_owner = call->user->id;
    vm->lock_time = oned_seconds(call->oned);
    return answer_touched(call);
}

static xmlrpc_value *lock(struct oned_call *call)
{
    int64_t level = call->argument[2].number;

    if (level < 1 || level > 4)
        return oned_answer_failure(call, 0x0800, "Wrong lock level specified");
    return set_lock(call, level, "Error trying to lock the resource.");
}

static xmlrpc_value *unlock(struct oned_call *call)
{
    return set_lock(call, 0, "Cannot unlock: Lock is owned by another user");
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct error err = {0};
    const struct oned_vm *vm = oned_vm_allocate(call->oned, call->user, call->argument[1].text,
                                                call->argument[2].number != 0, &err);

    if (!vm)
        return oned_answer_failure(call, 0x4000, "Error allocating a new virtual machine. %s",
                                   err.text);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *deploy(struct oned_call *call)
{
    const struct oned_placement placement = {
        .host = call->argument[2].number,
        .enforce = call->argument[3].number != 0,
        .datastore = oned_argument_or(call, 4, -1),
        .networks = call->argument[5].text,
    };
    struct oned_refusal refusal;

    return answer_outcome(call, oned_vm_deploy(call->oned, call->object, &placement, &refusal),
                          &refusal);
}

static xmlrpc_value *migrate(struct oned_call *call)
{
    const struct oned_placement placement = {
        .host = call->argument[2].number,
        .live = call->argument[3].number != 0,
        .enforce = call->argument[4].number != 0,
        .datastore = oned_argument_or(call, 5, -1),
        .type = call->argument[6].number,
    };
    struct oned_refusal refusal;

    return answer_outcome(
        call, oned_vm_migrate(call->oned, call->object, &placement, call->user, &refusal),
        &refusal);
}

static bool needs_admin(const char *action)
{
    return !strcmp(action, "resched") || !strcmp(action, "unresched");
}

static xmlrpc_value *action(struct oned_call *call)
{
    const char *name = call->argument[1].text;
    xmlrpc_value *forbidden =
        oned_vm_right(call, call->object, needs_admin(name) ? RIGHT_ADMIN : RIGHT_MANAGE);
    struct oned_refusal refusal;

    if (forbidden)
        return forbidden;
    return answer_outcome(call, oned_vm_act(call->oned, call->object, name, call->user, &refusal),
                          &refusal);
}

static xmlrpc_value *recover(struct oned_call *call)
{
    struct oned_refusal refusal;
    int result =
        oned_vm_recover(call->oned, call->object, call->argument[2].number, call->user, &refusal);

    return answer_outcome(call, result, &refusal);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_vm *vm = call->object;

    return oned_update_template(call, KIND_VM, vm->id, &vm->user_template);
}

static xmlrpc_value *resize(struct oned_call *call)
{
    struct oned_refusal refusal;
    int result = oned_vm_resize(call->oned, call->object, call->argument[2].text,
                                oned_argument_or(call, 3, true) != 0, &refusal);

    return answer_outcome(call, result, &refusal);
}

static xmlrpc_value *change_name(struct oned_call *call)
{
    struct oned_vm *vm = call->object;

    free(vm->name);
    vm->name = memory_text(call->argument[2].text);
    return answer_touched(call);
}

static xmlrpc_value *change_owner(struct oned_call *call)
{
    struct oned_vm *vm = call->object;
    int64_t uid = call->argument[2].number, gid = call->argument[3].number;

    if (uid >= 0 && !oned_user(call->oned, uid))
        return oned_answer_missing(call, KIND_USER, uid);
    if (gid >= 0 && !oned_pool_get(call->oned, KIND_GROUP, gid))
        return oned_answer_missing(call, KIND_GROUP, gid);
    vm->owner.uid = uid >= 0 ? (int)uid : vm->owner.uid;
    vm->owner.gid = gid >= 0 ? (int)gid : vm->owner.gid;
    return answer_touched(call);
}

static xmlrpc_value *change_rights(struct oned_call *call)
{
    struct oned_vm *vm = call->object;

    return oned_change_rights(call, KIND_VM, vm->id, &vm->owner);
}

static xmlrpc_value *schedule(struct oned_call *call)
{
    struct oned_attributes actions = {0};
    struct error err = {0};
    int id = -1;

    if (!oned_attributes_parse(&actions, call->argument[2].text, &err))
        id = oned_vm_schedule(call->oned, call->object, &actions, &err);
    oned_attributes_finish(&actions);
    return id < 0 ? oned_answer_failure(call, 0x2000, "%.300s", err.text)
                  : oned_answer_int(call, id);
}

static xmlrpc_value *unschedule(struct oned_call *call)
{
    int64_t id = call->argument[2].number;

    if (oned_vm_unschedule(call->oned, call->object, id))
        return oned_answer_failure(call, 0x0400, "Sched action id %lld does not exist",
                                   (long long)id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *monitoring(struct oned_call *call)
{
    return oned_answer_text(call, "<MONITORING_DATA></MONITORING_DATA>");
}

const struct oned_method oned_vm_methods[] = {
    {"one.vm.allocate", "A:ssb", .run = allocate, .optional = 1},
    {"one.vm.info", "A:sib", .run = oned_answer_info, .optional = 1, .object = 1, .kind = KIND_VM},
    {"one.vm.deploy", "A:siibis", .run = deploy, .optional = 3, .object = 1, .kind = KIND_VM,
     .right = RIGHT_ADMIN},
    {"one.vm.migrate", "A:siibbii", .run = migrate, .optional = 3, .object = 1, .kind = KIND_VM,
     .right = RIGHT_ADMIN},
    {"one.vm.action", "A:ssi", .run = action, .object = 2, .kind = KIND_VM,
     .right = RIGHT_UNTESTED},
    {"one.vm.recover", "A:sii", .run = recover, .object = 1, .kind = KIND_VM, .right = RIGHT_ADMIN},
    {"one.vm.update", "A:sisi", .run = update, .object = 1, .kind = KIND_VM, .right = RIGHT_MANAGE},
    {"one.vm.resize", "A:sisb", .run = resize, .optional = 1, .object = 1, .kind = KIND_VM,
     .right = RIGHT_ADMIN},
    {"one.vm.rename", "A:sis", .run = change_name, .object = 1, .kind = KIND_VM,
     .right = RIGHT_MANAGE},
    {"one.vm.chown", "A:siii", .run = change_owner, .object = 1, .kind = KIND_VM,
     .right = RIGHT_ADMIN},
    {"one.vm.chmod", "A:siiiiiiiiii", .run = change_rights, .object = 1, .kind = KIND_VM,
     .right = RIGHT_MANAGE},
    {"one.vm.lock", "A:sii", .run = lock, .object = 1, .kind = KIND_VM, .right = RIGHT_UNTESTED},
    {"one.vm.unlock", "A:si", .run = unlock, .object = 1, .kind = KIND_VM, .right = RIGHT_UNTESTED},
    {"one.vm.schedadd", "A:sis", .run = schedule, .object = 1, .kind = KIND_VM,
     .right = RIGHT_MANAGE},
    {"one.vm.scheddelete", "A:sii", .run = unschedule, .object = 1, .kind = KIND_VM,
     .right = RIGHT_MANAGE},
    {"one.vm.monitoring", "A:si", .run = monitoring, .object = 1, .kind = KIND_VM},
    {.name = NULL},
};
