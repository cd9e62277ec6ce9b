/* Plans of a scheduler driver. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/placer.h"
#include "sandbox/vm_action.h"
#include "util/decimal.h"

/* Only plain whole numbers, as in the real parser. */
static bool read_id(const struct oned_attributes *action, const char *name, int64_t *id)
{
    const char *text = oned_attributes_get(action, name);
    return text && decimal_parse(text, 0, id) == 0;
}

static int check(const struct oned_attributes *plan, struct error *err)
{
    const struct oned_attributes *action;
    int64_t id;

    if (!read_id(plan, "ID", &id) || id != -1)
        return error_set(err, EINVAL, "Error parsing plan XML: no ID, or not that of a placement");
    for (size_t i = 0; (action = oned_attributes_vector(plan, "ACTION", i)); i++)
        if (!read_id(action, "VM_ID", &id) || !read_id(action, "HOST_ID", &id) ||
            !read_id(action, "DS_ID", &id) || !oned_attributes_get(action, "OPERATION"))
            return error_set(err, EINVAL,
                             "Error parsing plan XML: action %zu lacks VM_ID, HOST_ID, DS_ID or "
                             "OPERATION",
                             i);
    return 0;
}

static int execute(struct oned *oned, struct oned_vm *vm, const struct oned_attributes *action,
                   struct oned_refusal *refusal)
{
    const char *operation = oned_attributes_get(action, "OPERATION");
    const struct oned_user *user = oned_user(oned, 0);
    struct oned_placement placement = {.enforce = true};

    read_id(action, "HOST_ID", &placement.host);
    read_id(action, "DS_ID", &placement.datastore);
    if (!strcmp(operation, "deploy"))
        return oned_vm_deploy(oned, vm, &placement, refusal);
    if (!strcmp(operation, "migrate"))
        return oned_vm_migrate(oned, vm, &placement, user, refusal);
    if (vm->history_count == 0)
        return oned_refuse(refusal, 0x0800,
                           "%.40s of a VM that never ran (a real 7.4.0 ends with a crash here)",
                           operation);
    return oned_vm_act(oned, vm, operation, user, refusal);
}

int oned_plan_execute(struct oned *oned, const char *plan, struct error *err)
{
    struct oned_attributes list = {0};
    const struct oned_attributes *action;
    struct oned_refusal refusal;
    int result = -1;
    int64_t id = -1;

    if (oned_attributes_parse_xml(&list, plan, NULL)) {
        error_set(err, EINVAL, "Error parsing plan XML: %.60s", *plan ? plan : "-");
        goto out;
    }
    result = check(&list, err);
    for (size_t i = 0; result == 0 && (action = oned_attributes_vector(&list, "ACTION", i)); i++) {
        struct oned_vm *vm;

        read_id(action, "VM_ID", &id);
        vm = oned_vm(oned, id);
        if (!vm)
            fprintf(stderr, "sandbox: plan: no VM %lld\n", (long long)id);
        else if (execute(oned, vm, action, &refusal))
            fprintf(stderr, "sandbox: plan: VM %lld: %s\n", (long long)id, refusal.text);
    }
out:
    oned_attributes_finish(&list);
    return result;
}
