/* VM groups that change: their rules, and which VMs are in them. */
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

/* Arguments: group, template, whether it is added. The roles stay. */
static xmlrpc_value *vmgroup_update(struct oned_call *call)
{
    struct oned_thing *group = call->object;
    struct oned_attributes roles = {0};
    int n = count_members(call->oned, group->id);
    xmlrpc_value *answer;

    if (n > 0)
        return oned_answer_failure(call, 0x2000, "Cannot update template. VM Group has %d VMs", n);
    oned_attributes_move(&roles, &group->template, "ROLE");
    answer = oned_update_template(call, KIND_VMGROUP, group->id, &group->template);
    oned_attributes_remove(&group->template, "ROLE");
    oned_attributes_move(&group->template, &roles, "ROLE");
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
    struct oned_thing *group = call->object;
    struct oned_attributes role = {0};
    const struct oned_attributes *said;
    xmlrpc_value *answer = NULL;
    const char *name;
    struct error err;

    if (oned_attributes_parse(&role, call->argument[2].text, &err))
        answer = oned_answer_failure(call, 0x2000, "%.300s", err.text);
    said = oned_attributes_vector(&role, "ROLE", 0);
    name = said ? oned_attributes_get(said, "NAME") : NULL;
    if (!answer && !name) {
        answer = oned_answer_failure(call, 0x0800, "Missing NAME in VM group role");
    } else if (!answer && find_role(group, name)) {
        answer = oned_answer_failure(call, 0x0800, "Role already exists");
    } else if (!answer) {
        oned_attributes_move(&group->template, &role, "ROLE");
        oned_touch(call->oned, KIND_VMGROUP, group->id);
        answer = oned_answer_int(call, group->id);
    }
    oned_attributes_finish(&role);
    return answer;
}

/* Arguments: VM, group, role. Rules that the VM breaks where it is are not looked at. */
static xmlrpc_value *vm_vmgroupadd(struct oned_call *call)
{
    struct oned_vm *vm = call->object;
    const char *role = call->argument[3].text;
    struct oned_attributes *said;
    xmlrpc_value *answer;
    const struct oned_thing *group =
        oned_call_object(call, KIND_VMGROUP, call->argument[2].number, RIGHT_USE, &answer);

    if (!group)
        return answer;
    if (!find_role(group, role))
        return oned_answer_failure(call, 0x0800, "Role does not exist in VM Group");
    oned_attributes_remove(&vm->template, "VMGROUP");
    said = oned_attributes_add_vector(&vm->template, "VMGROUP");
    oned_attributes_add(said, "ROLE", role);
    oned_attributes_add_number(said, "VMGROUP_ID", group->id);
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

static xmlrpc_value *vm_vmgroupdel(struct oned_call *call)
{
    struct oned_vm *vm = call->object;

    oned_attributes_remove(&vm->template, "VMGROUP");
    oned_touch(call->oned, KIND_VM, vm->id);
    return oned_answer_int(call, vm->id);
}

const struct oned_method oned_vmgroup_methods[] = {
    {"one.vmgroup.update", "A:sisi", .run = vmgroup_update, .object = 1, .kind = KIND_VMGROUP},
    {"one.vmgroup.roleadd", "A:sis", .run = vmgroup_roleadd, .object = 1, .kind = KIND_VMGROUP},
    {"one.vm.vmgroupadd", "A:siis", .run = vm_vmgroupadd, .object = 1, .kind = KIND_VM,
     .right = RIGHT_UNTESTED, .since = ONED_7_4},
    {"one.vm.vmgroupdel", "A:si", .run = vm_vmgroupdel, .object = 1, .kind = KIND_VM,
     .right = RIGHT_UNTESTED, .since = ONED_7_4},
    {.name = NULL},
};
