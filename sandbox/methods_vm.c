/* one.vm.* */
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/vm.h"

/* The VM that argument `index` names, if the caller has that right to it. NULL: *answer is what to
 * return. */
static struct oned_vm *get_vm(struct oned_call *call, int index, enum oned_right right,
                              xmlrpc_value **answer)
{
    struct oned_vm *vm = oned_argument_vm(call, index, answer);

    if (!vm)
        return NULL;
    if (!oned_may(call->user, &vm->owner, right)) {
        *answer = oned_answer_forbidden(call, oned_right_name(right), "VM", vm->id);
        return NULL;
    }
    /* A locked VM can always be read. Administrators are locked out like other users. */
    if (vm->lock > 0 && right != RIGHT_USE && (int)right + 1 >= vm->lock) {
        *answer = oned_is_admin(call->user)
                      ? oned_answer_failure(call, 0x0200, "User [%d] : VM is locked. [%d].",
                                            call->user->id, vm->id)
                      : oned_answer_forbidden(call, oned_right_name(right), "VM", vm->id);
        return NULL;
    }
    return vm;
}

/* The lock of another user can be changed by administrators only. refusal: for others. */
static xmlrpc_value *set_lock(struct oned_call *call, int64_t level, const char *refusal)
{
    xmlrpc_value *answer;
    struct oned_vm *vm = oned_argument_vm(call, 1, &answer);

    if (!vm)
        return answer;
    if (!oned_may(call->user, &vm->owner, RIGHT_MANAGE))
        return oned_answer_forbidden(call, "MANAGE", "VM", vm->id);
    if (vm->lock > 0 && vm->lock_owner != call->user->id && !oned_is_admin(call->user))
        return oned_answer_failure(call, 0x0800, "%s", refusal);
    vm->lock = level == 4 ? 1 : (int)level; /* 4: all */
    vm->lock_owner = call->user->id;
    vm->lock_time = oned_seconds(call->oned);
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *lock(struct oned_call *call)
{
    int64_t level;

    if (!oned_argument_int(call, 2, &level))
        return NULL;
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
    struct oned_vm *vm;
    char *template;
    bool hold = false;

    if (!oned_argument_bool_or(call, 2, &hold) || !oned_argument_text(call, 1, &template))
        return NULL;
    vm = oned_vm_allocate(call->oned, call->user, template, hold, &err);
    free(template);
    if (!vm)
        return oned_answer_failure(call, 0x4000, "Error allocating a new virtual machine. %s",
                                   err.text);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *info(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;
    struct oned_vm *vm = get_vm(call, 1, RIGHT_USE, &answer);

    if (!vm)
        return answer;
    oned_vm_document(call->oned, vm, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *deploy(struct oned_call *call)
{
    struct oned_placement placement = {.datastore = -1};
    struct oned_refusal refusal;
    char *networks = NULL;
    xmlrpc_value *answer;
    struct oned_vm *vm;

    if (!oned_argument_int(call, 2, &placement.host) ||
        !oned_argument_bool_or(call, 3, &placement.enforce) ||
        !oned_argument_int_or(call, 4, &placement.datastore) ||
        !oned_argument_text_or(call, 5, &networks))
        return NULL;
    vm = get_vm(call, 1, RIGHT_ADMIN, &answer);
    placement.networks = networks;
    if (vm && oned_vm_deploy(call->oned, vm, &placement, &refusal))
        answer = oned_answer_refusal(call, &refusal);
    else if (vm)
        answer = oned_answer_int(call, vm->id);
    free(networks);
    return answer;
}

static xmlrpc_value *migrate(struct oned_call *call)
{
    struct oned_placement placement = {.datastore = -1};
    struct oned_refusal refusal;
    xmlrpc_value *answer;
    struct oned_vm *vm;

    if (!oned_argument_int(call, 2, &placement.host) ||
        !oned_argument_bool(call, 3, &placement.live) ||
        !oned_argument_bool_or(call, 4, &placement.enforce) ||
        !oned_argument_int_or(call, 5, &placement.datastore) ||
        !oned_argument_int_or(call, 6, &placement.type))
        return NULL;
    vm = get_vm(call, 1, RIGHT_ADMIN, &answer);
    if (!vm)
        return answer;
    if (oned_vm_migrate(call->oned, vm, &placement, call->user, &refusal))
        return oned_answer_refusal(call, &refusal);
    return oned_answer_int(call, vm->id);
}

static bool needs_admin(const char *action)
{
    return !strcmp(action, "resched") || !strcmp(action, "unresched");
}

static xmlrpc_value *action(struct oned_call *call)
{
    struct oned_refusal refusal;
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *name;

    if (!oned_argument_text(call, 1, &name))
        return NULL;
    vm = get_vm(call, 2, needs_admin(name) ? RIGHT_ADMIN : RIGHT_MANAGE, &answer);
    if (vm && oned_vm_act(call->oned, vm, name, call->user, &refusal))
        answer = oned_answer_refusal(call, &refusal);
    else if (vm)
        answer = oned_answer_int(call, vm->id);
    free(name);
    return answer;
}

static xmlrpc_value *recover(struct oned_call *call)
{
    struct oned_refusal refusal;
    xmlrpc_value *answer;
    struct oned_vm *vm;
    int64_t operation;

    if (!oned_argument_int(call, 2, &operation))
        return NULL;
    vm = get_vm(call, 1, RIGHT_ADMIN, &answer);
    if (!vm)
        return answer;
    if (oned_vm_recover(call->oned, vm, operation, call->user, &refusal))
        return oned_answer_refusal(call, &refusal);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_attributes changes = {0};
    struct error err = {0};
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *template;
    int64_t append;

    if (!oned_argument_int(call, 3, &append) || !oned_argument_text(call, 2, &template))
        return NULL;
    vm = get_vm(call, 1, RIGHT_MANAGE, &answer);
    if (vm && oned_attributes_parse(&changes, template, &err)) {
        answer = oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    } else if (vm) {
        if (append)
            oned_attributes_merge(&vm->user_template, &changes);
        else
            oned_attributes_copy(&vm->user_template, &changes);
        oned_touch(call->oned, KIND_VM, vm->id);
        answer = oned_answer_int(call, vm->id);
    }
    oned_attributes_finish(&changes);
    free(template);
    return answer;
}

static xmlrpc_value *resize(struct oned_call *call)
{
    struct oned_refusal refusal;
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *template;
    bool enforce = true;

    if (!oned_argument_bool_or(call, 3, &enforce) || !oned_argument_text(call, 2, &template))
        return NULL;
    vm = get_vm(call, 1, RIGHT_ADMIN, &answer);
    if (vm && oned_vm_resize(call->oned, vm, template, enforce, &refusal))
        answer = oned_answer_refusal(call, &refusal);
    else if (vm)
        answer = oned_answer_int(call, vm->id);
    free(template);
    return answer;
}

static xmlrpc_value *change_name(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *name;

    if (!oned_argument_text(call, 2, &name))
        return NULL;
    vm = get_vm(call, 1, RIGHT_MANAGE, &answer);
    if (!vm) {
        free(name);
        return answer;
    }
    free(vm->name);
    vm->name = name;
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *change_owner(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm;
    int64_t uid, gid;

    if (!oned_argument_int(call, 2, &uid) || !oned_argument_int(call, 3, &gid))
        return NULL;
    vm = get_vm(call, 1, RIGHT_ADMIN, &answer);
    if (!vm)
        return answer;
    if (uid >= 0 && !oned_user(call->oned, uid))
        return oned_answer_missing(call, "user", uid);
    if (gid >= 0 && !oned_pool_get(call->oned, KIND_GROUP, gid))
        return oned_answer_missing(call, "group", gid);
    vm->owner.uid = uid >= 0 ? (int)uid : vm->owner.uid;
    vm->owner.gid = gid >= 0 ? (int)gid : vm->owner.gid;
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *change_rights(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm = get_vm(call, 1, RIGHT_MANAGE, &answer);

    return vm ? oned_change_rights(call, KIND_VM, vm->id, &vm->owner) : answer;
}

static xmlrpc_value *schedule(struct oned_call *call)
{
    struct oned_attributes actions = {0};
    struct error err = {0};
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *template;
    int id = -1;

    if (!oned_argument_text(call, 2, &template))
        return NULL;
    vm = get_vm(call, 1, RIGHT_MANAGE, &answer);
    if (vm) {
        if (!oned_attributes_parse(&actions, template, &err))
            id = oned_vm_schedule(call->oned, vm, &actions, &err);
        answer = id < 0 ? oned_answer_failure(call, 0x2000, "%.300s", err.text)
                        : oned_answer_int(call, id);
    }
    oned_attributes_finish(&actions);
    free(template);
    return answer;
}

static xmlrpc_value *unschedule(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm;
    int64_t id;

    if (!oned_argument_int(call, 2, &id))
        return NULL;
    vm = get_vm(call, 1, RIGHT_MANAGE, &answer);
    if (!vm)
        return answer;
    if (oned_vm_unschedule(call->oned, vm, id))
        return oned_answer_failure(call, 0x0400, "Sched action id %lld does not exist",
                                   (long long)id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *monitoring(struct oned_call *call)
{
    xmlrpc_value *answer;
    static const char empty[] = "<MONITORING_DATA></MONITORING_DATA>";

    if (!get_vm(call, 1, RIGHT_USE, &answer))
        return answer;
    return oned_answer_text(call, empty, sizeof empty - 1);
}

const struct oned_method oned_vm_methods[] = {
    {"one.vm.allocate", "A:ssb", allocate, ONED_6_10},
    {"one.vm.info", "A:sib", info, ONED_6_10},
    {"one.vm.deploy", "A:siibis", deploy, ONED_6_10},
    {"one.vm.migrate", "A:siibbii", migrate, ONED_6_10},
    {"one.vm.action", "A:ssi", action, ONED_6_10},
    {"one.vm.recover", "A:sii", recover, ONED_6_10},
    {"one.vm.update", "A:sisi", update, ONED_6_10},
    {"one.vm.resize", "A:sisb", resize, ONED_6_10},
    {"one.vm.rename", "A:sis", change_name, ONED_6_10},
    {"one.vm.chown", "A:siii", change_owner, ONED_6_10},
    {"one.vm.chmod", "A:siiiiiiiiii", change_rights, ONED_6_10},
    {"one.vm.lock", "A:sii", lock, ONED_6_10},
    {"one.vm.unlock", "A:si", unlock, ONED_6_10},
    {"one.vm.schedadd", "A:sis", schedule, ONED_6_10},
    {"one.vm.scheddelete", "A:sii", unschedule, ONED_6_10},
    {"one.vm.monitoring", "A:si", monitoring, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
