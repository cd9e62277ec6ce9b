/* one.template.*: templates that VMs are made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"
#include "sandbox/vm.h"
#include "util/memory.h"

/* The template that argument 1 names, if the caller has that right to it. NULL: *answer is what to
 * return. */
static struct oned_thing *get_template(struct oned_call *call, enum oned_right right,
                                       xmlrpc_value **answer)
{
    struct oned_thing *template;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &id))
        return NULL;
    template = oned_pool_get(call->oned, KIND_TEMPLATE, id);
    if (!template) {
        *answer = oned_answer_missing(call, "virtual machine template", id);
    } else if (!oned_may(call->user, &template->owner, right)) {
        *answer = oned_answer_forbidden(call, oned_right_name(right), "TEMPLATE", id);
        template = NULL;
    }
    return template;
}

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

/* Takes the attributes. */
static xmlrpc_value *add_template(struct oned_call *call, struct oned_attributes *attributes)
{
    const char *name = oned_attributes_get(attributes, "NAME");
    struct oned_thing *template;
    char why[80];
    int known;

    if (!name || !*name)
        return cannot_allocate(call, "Invalid NAME, it cannot be empty");
    known = find_name(call->oned, call->user->id, name);
    if (known >= 0) {
        snprintf(why, sizeof why, "NAME is already taken by TEMPLATE %d.", known);
        return cannot_allocate(call, why);
    }
    template = memory_new(1, sizeof *template);
    template->name = memory_text(name);
    template->made = oned_seconds(call->oned);
    template->owner = (struct oned_owner){.uid = call->user->id,
                                          .gid = call->user->gid,
                                          .rights = {[OWNER_U] = true, [OWNER_M] = true}};
    oned_attributes_remove(attributes, "NAME");
    template->template = *attributes;
    *attributes = (struct oned_attributes){0};
    template->id = oned_pool_add(call->oned, KIND_TEMPLATE, template, -1);
    oned_touch(call->oned, KIND_TEMPLATE, template->id);
    return oned_answer_int(call, template->id);
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct oned_attributes attributes = {0};
    xmlrpc_value *answer;
    struct error err;
    char *text;

    if (!oned_argument_text(call, 1, &text))
        return NULL;
    if (oned_attributes_parse(&attributes, text, &err) < 0)
        answer = oned_answer_failure(call, 0x2000, "%.300s", err.text);
    else
        answer = add_template(call, &attributes);
    oned_attributes_finish(&attributes);
    free(text);
    return answer;
}

static xmlrpc_value *info(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;
    const struct oned_thing *template = get_template(call, RIGHT_USE, &answer);

    if (!template)
        return answer;
    oned_template_document(call->oned, template, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *update(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_thing *template = get_template(call, RIGHT_MANAGE, &answer);

    return template ? oned_update_template(call, KIND_TEMPLATE, template->id, &template->template)
                    : answer;
}

static xmlrpc_value *change_rights(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_thing *template = get_template(call, RIGHT_MANAGE, &answer);

    return template ? oned_change_rights(call, KIND_TEMPLATE, template->id, &template->owner)
                    : answer;
}

static xmlrpc_value *remove_template(struct oned_call *call)
{
    xmlrpc_value *answer;
    const struct oned_thing *template = get_template(call, RIGHT_MANAGE, &answer);
    int id;

    if (!template)
        return answer;
    id = template->id;
    oned_pool_remove(call->oned, KIND_TEMPLATE, id);
    return oned_answer_int(call, id);
}

/* What a VM of the template has: its own attributes, or those that the caller gives instead, and
 * where it comes from. */
static int make_attributes(const struct oned_thing *template, const char *given, const char *name,
                           struct oned_attributes *attributes, struct error *err)
{
    struct oned_attributes changes = {0};
    char id[16];
    int result = oned_attributes_parse(&changes, given, err);

    oned_attributes_copy(attributes, &template->template);
    oned_attributes_merge(attributes, &changes);
    oned_attributes_finish(&changes);
    snprintf(id, sizeof id, "%d", template->id);
    oned_attributes_remove(attributes, "NAME");
    oned_attributes_set(attributes, "TEMPLATE_NAME", template->name);
    oned_attributes_set(attributes, "TEMPLATE_ID", id);
    if (*name)
        oned_attributes_set(attributes, "NAME", name);
    return result;
}

static xmlrpc_value *make_vm(struct oned_call *call, const char *name, bool hold, const char *given)
{
    struct oned_attributes attributes = {0};
    xmlrpc_value *answer;
    const struct oned_thing *template = get_template(call, RIGHT_USE, &answer);
    const struct oned_vm *vm;
    struct error err = {0};

    if (!template)
        return answer;
    if (make_attributes(template, given, name, &attributes, &err) < 0) {
        answer = oned_answer_failure(call, 0x2000, "%.300s", err.text);
    } else {
        vm = oned_vm_create(call->oned, call->user, &attributes, hold, &err);
        answer = vm ? oned_answer_int(call, vm->id) : cannot_allocate(call, err.text);
    }
    oned_attributes_finish(&attributes);
    return answer;
}

/* Arguments: template, name, whether on hold, further attributes, whether persistent, for which
 * there are no images here. */
static xmlrpc_value *instantiate(struct oned_call *call)
{
    char *name, *given = NULL;
    xmlrpc_value *answer;
    bool hold = false;

    if (!oned_argument_text(call, 2, &name))
        return NULL;
    if (!oned_argument_bool_or(call, 3, &hold) || !oned_argument_text_or(call, 4, &given)) {
        free(name);
        return NULL;
    }
    answer = make_vm(call, name, hold, given ? given : "");
    free(given);
    free(name);
    return answer;
}

/* Arguments: filter, start, end. */
static xmlrpc_value *pool_info(struct oned_call *call)
{
    struct oned_text text = {0};
    int64_t filter, start, end;

    if (!oned_argument_int(call, 1, &filter) || !oned_argument_int(call, 2, &start) ||
        !oned_argument_int(call, 3, &end))
        return NULL;
    oned_text_put(&text, "<VMTEMPLATE_POOL>");
    for (int id = call->oned->pools[KIND_TEMPLATE].count - 1; id >= 0; id--) {
        const struct oned_thing *template = oned_pool_get(call->oned, KIND_TEMPLATE, id);

        if (template && oned_may(call->user, &template->owner, RIGHT_USE))
            oned_template_document(call->oned, template, &text);
    }
    oned_text_put(&text, "</VMTEMPLATE_POOL>");
    return oned_answer_document(call, &text);
}

const struct oned_method oned_template_methods[] = {
    {"one.template.allocate", "A:ss", allocate, ONED_6_10},
    {"one.template.info", "A:si", info, ONED_6_10},
    {"one.template.update", "A:sisi", update, ONED_6_10},
    {"one.template.chmod", "A:siiiiiiiiii", change_rights, ONED_6_10},
    {"one.template.delete", "A:si", remove_template, ONED_6_10},
    {"one.template.instantiate", "A:sisbsb", instantiate, ONED_6_10},
    {"one.templatepool.info", "A:siii", pool_info, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
