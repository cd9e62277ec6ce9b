/* one.template.*: templates from which VMs are created. */
#include <stdio.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/vm.h"

/* The user's template of that name; -1: none. */
static int find_name(const struct oned *oned, int user, const char *name)
{
    for (int id = 0; id < oned->pools[KIND_TEMPLATE].count; id++) {
        const struct oned_thing *template = oned_pool_get(oned, KIND_TEMPLATE, id);

        if (template && template->owner.uid == user && strcmp(template->name, name) == 0)
            return id;
    }
    return -1;
}

static xmlrpc_value *cannot_allocate(struct oned_call *call, const char *why)
{
    return oned_answer_failure(call, 0x4000,
                               "Error allocating a new virtual machine template. %.300s", why);
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct error err;
    struct oned_thing *template = oned_thing_create(NULL, call->argument[1].text, &err);
    char why[80] = "";
    int known;

    if (!template)
        return oned_answer_failure(call, 0x2000, "%.300s", err.text);
    known = find_name(call->oned, call->user->id, template->name);
    if (!*template->name)
        snprintf(why, sizeof why, "Invalid NAME, it cannot be empty");
    else if (known >= 0)
        snprintf(why, sizeof why, "NAME is already taken by TEMPLATE %d.", known);
    if (*why) {
        oned_object_free(KIND_TEMPLATE, template);
        return cannot_allocate(call, why);
    }
    template->made = oned_seconds(call->oned);
    oned_thing_give(template, call->user);
    return oned_answer_int(call, oned_thing_add(call->oned, KIND_TEMPLATE, template, 0));
}

static xmlrpc_value *change_rights(struct oned_call *call)
{
    struct oned_thing *template = call->object;

    return oned_change_rights(call, KIND_TEMPLATE, template->id, &template->owner);
}

/* What a VM of the template has: its own attributes, or those that the caller gives instead, and
 * where it comes from. */
static int make_attributes(const struct oned_thing *template, const char *given, const char *name,
                           struct oned_attributes *attributes, struct error *err)
{
    struct oned_attributes changes = {0};
    int result = oned_attributes_parse(&changes, given, err);

    oned_attributes_copy(attributes, &template->template);
    oned_attributes_merge(attributes, &changes);
    oned_attributes_finish(&changes);
    oned_attributes_remove(attributes, "NAME");
    oned_attributes_set(attributes, "TEMPLATE_NAME", template->name);
    oned_attributes_set_number(attributes, "TEMPLATE_ID", template->id);
    if (*name)
        oned_attributes_set(attributes, "NAME", name);
    return result;
}

/* Arguments: template, name, whether on hold, further attributes, whether persistent, for which
 * there are no images here. */
static xmlrpc_value *instantiate(struct oned_call *call)
{
    const char *given = call->argument[4].text;
    struct oned_attributes attributes = {0};
    const struct oned_vm *vm;
    struct error err = {0};
    xmlrpc_value *answer;

    if (make_attributes(call->object, given ? given : "", call->argument[2].text, &attributes,
                        &err) < 0) {
        answer = oned_answer_failure(call, 0x2000, "%.300s", err.text);
    } else {
        vm = oned_vm_create(call->oned, call->user, &attributes, call->argument[3].number != 0,
                            &err);
        answer = vm ? oned_answer_int(call, vm->id) : cannot_allocate(call, err.text);
    }
    oned_attributes_finish(&attributes);
    return answer;
}

const struct oned_method oned_template_methods[] = {
    {"one.template.allocate", "A:ss", .run = allocate},
    {"one.template.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_TEMPLATE},
    {"one.template.update", "A:sisi", .run = oned_answer_update, .object = 1, .kind = KIND_TEMPLATE,
     .right = RIGHT_MANAGE},
    {"one.template.chmod", "A:siiiiiiiiii", .run = change_rights, .object = 1,
     .kind = KIND_TEMPLATE, .right = RIGHT_MANAGE},
    {"one.template.delete", "A:si", .run = oned_answer_delete, .object = 1, .kind = KIND_TEMPLATE,
     .right = RIGHT_MANAGE},
    {"one.template.instantiate", "A:sisbsb", .run = instantiate, .optional = 3, .object = 1,
     .kind = KIND_TEMPLATE},
    {"one.templatepool.info", "A:siii", .run = oned_answer_pool, .kind = KIND_TEMPLATE},
    {.name = NULL},
};
