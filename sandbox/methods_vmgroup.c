/* VM groups that change: their rules, and which VMs are in them. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"

/* The VM's VMGROUP section, if it names that group; else NULL. */
static struct oned_attributes *membership(const struct oned_vm *vm, int group)
{
    struct oned_attributes *said = oned_attributes_vector(&vm->template, "VMGROUP", 0);

    return said && vm->state != VM_DONE && oned_attributes_number(said, "VMGROUP_ID", -1) == group
               ? said
               : NULL;
}

static int count_members(const struct oned *oned, int group)
{
    int n = 0;

    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);

        n += vm && membership(vm, group);
    }
    return n;
}

/* The group of argument `index`. NULL: *answer is the refusal. */
static struct oned_thing *group_of(struct oned_call *call, int index, xmlrpc_value **answer)
{
    struct oned_thing *group;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, index, &id))
        return NULL;
    group = oned_pool_get(call->oned, KIND_VMGROUP, id);
    if (!group)
        *answer = oned_answer_missing(call, "VM group", id);
    return group;
}

/* Arguments: group, template, whether it is added. */
static xmlrpc_value *vmgroup_update(struct oned_call *call)
{
    struct oned_attributes changes = {0}, roles = {0};
    xmlrpc_value *answer;
    struct oned_thing *group = group_of(call, 1, &answer);
    struct error err;
    int64_t append;
    char *text;
    int n;

    if (!group || !oned_argument_int(call, 3, &append) || !oned_argument_text(call, 2, &text))
        return answer;
    n = count_members(call->oned, group->id);
    if (n > 0) {
        answer =
            oned_answer_failure(call, 0x2000, "Cannot update template. VM Group has %d VMs", n);
    } else if (oned_attributes_parse(&changes, text, &err)) {
        answer = oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    } else {
        oned_attributes_remove(&changes, "ROLE");
        oned_attributes_move(&roles, &group->template, "ROLE");
        if (append)
            oned_attributes_merge(&group->template, &changes);
        else
            oned_attributes_copy(&group->template, &changes);
        oned_attributes_move(&group->template, &roles, "ROLE");
        oned_touch(call->oned, KIND_VMGROUP, group->id);
        answer = oned_answer_int(call, group->id);
    }
    oned_attributes_finish(&changes);
    oned_attributes_finish(&roles);
    free(text);
    return answer;
}

static const struct oned_attributes *find_role(const struct oned_thing *group, const char *name)
{
    const struct oned_attributes *role;

    for (size_t i = 0; (role = oned_attributes_vector(&group->template, "ROLE", i)); i++) {
        const char *known = oned_attributes_get(role, "NAME");

        if (known && strcmp(known, name) == 0)
            return role;
    }
    return NULL;
}

/* Arguments: group, ROLE = [...]. */
static xmlrpc_value *vmgroup_roleadd(struct oned_call *call)
{
    struct oned_attributes role = {0};
    xmlrpc_value *answer;
    struct oned_thing *group = group_of(call, 1, &answer);
    const struct oned_attributes *said;
    const char *name;
    struct error err;
    char *text;

    if (!group || !oned_argument_text(call, 2, &text))
        return answer;
    if (oned_attributes_parse(&role, text, &err)) {
        answer = oned_answer_failure(call, 0x2000, "%.300s", err.text);
    } else {
        said = oned_attributes_vector(&role, "ROLE", 0);
        name = said ? oned_attributes_get(said, "NAME") : NULL;
        if (!name) {
            answer = oned_answer_failure(call, 0x0800, "Missing NAME in VM group role");
        } else if (find_role(group, name)) {
            answer = oned_answer_failure(call, 0x0800, "Role already exists");
        } else {
            oned_attributes_move(&group->template, &role, "ROLE");
            oned_touch(call->oned, KIND_VMGROUP, group->id);
            answer = oned_answer_int(call, group->id);
        }
    }
    oned_attributes_finish(&role);
    free(text);
    return answer;
}

/* Arguments: VM, group, role. Rules that the VM breaks where it is are not looked at. */
static xmlrpc_value *vm_vmgroupadd(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm = oned_argument_vm(call, 1, &answer);
    struct oned_thing *group = vm ? group_of(call, 2, &answer) : NULL;
    struct oned_attributes *said;
    char *role;

    if (!group || !oned_argument_text(call, 3, &role))
        return answer;
    if (!find_role(group, role)) {
        answer = oned_answer_failure(call, 0x0800, "Role does not exist in VM Group");
    } else {
        oned_attributes_remove(&vm->template, "VMGROUP");
        said = oned_attributes_add_vector(&vm->template, "VMGROUP");
        oned_attributes_add(said, "ROLE", role);
        oned_attributes_add_number(said, "VMGROUP_ID", group->id);
        oned_touch(call->oned, KIND_VM, vm->id);
        answer = oned_answer_int(call, vm->id);
    }
    free(role);
    return answer;
}

static xmlrpc_value *vm_vmgroupdel(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm = oned_argument_vm(call, 1, &answer);

    if (!vm)
        return answer;
    oned_attributes_remove(&vm->template, "VMGROUP");
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

const struct oned_method oned_vmgroup_methods[] = {
    {"one.vmgroup.update", "A:sisi", vmgroup_update, ONED_6_10},
    {"one.vmgroup.roleadd", "A:sis", vmgroup_roleadd, ONED_6_10},
    {"one.vm.vmgroupadd", "A:siis", vm_vmgroupadd, ONED_7_4},
    {"one.vm.vmgroupdel", "A:si", vm_vmgroupdel, ONED_7_4},
    {NULL, NULL, NULL, ONED_6_10},
};
