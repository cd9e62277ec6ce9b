/* The methods of the XML-RPC interface: their tables, arguments and answers (arrays of 3 or 5). */
#include "sandbox/method.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/site_document.h"

/* The names of the kinds in error texts, as types of objects, and in documents (NULL: the type). */
static const struct {
    const char *what, *type, *element;
} kinds[KINDS] = {
    [KIND_VM] = {"virtual machine", "VM", NULL},
    [KIND_HOST] = {"host", "HOST", NULL},
    [KIND_USER] = {"user", "USER", NULL},
    [KIND_GROUP] = {"group", "GROUP", NULL},
    [KIND_CLUSTER] = {"cluster", "CLUSTER", NULL},
    [KIND_DATASTORE] = {"datastore", "DATASTORE", NULL},
    [KIND_VNET] = {"virtual network", "NET", "VNET"},
    [KIND_VMGROUP] = {"VM group", "VMGROUP", "VM_GROUP"},
    [KIND_ACL] = {"ACL rule", "ACL", NULL},
    [KIND_DOCUMENT] = {"document", "DOCUMENT", NULL},
    [KIND_TEMPLATE] = {"virtual machine template", "TEMPLATE", "VMTEMPLATE"},
};

static bool wrong_type(struct oned_call *call, const char *name)
{
    xmlrpc_env_set_fault_formatted(call->env, XMLRPC_TYPE_ERROR,
                                   "Parameter that is supposed to be %s is not", name);
    return false;
}

static bool read_value(struct oned_call *call, xmlrpc_value *value, char type,
                       struct oned_argument *argument)
{
    xmlrpc_type given = xmlrpc_value_type(value);
    const char *string = NULL;
    xmlrpc_bool truth = 0;
    int number = 0;

    switch (type) {
    case 'b':
        if (given != XMLRPC_TYPE_BOOL)
            return wrong_type(call, "boolean");
        xmlrpc_read_bool(call->env, value, &truth);
        argument->number = truth != 0;
        break;
    case 'd':
        if (given == XMLRPC_TYPE_DOUBLE) {
            xmlrpc_read_double(call->env, value, &argument->real);
            break;
        }
        /* fall through */
    case 'i':
        if (given != XMLRPC_TYPE_INT)
            return wrong_type(call, type == 'i' ? "integer" : "floating point number");
        xmlrpc_read_int(call->env, value, &number);
        argument->number = number;
        argument->real = number;
        break;
    default:
        if (given != XMLRPC_TYPE_STRING)
            return wrong_type(call, "a string");
        xmlrpc_read_string(call->env, value, &string);
        memcpy(&argument->text, &string, sizeof string); /* to be freed by the caller */
    }
    return !call->env->fault_occurred;
}

bool oned_arguments_read(struct oned_call *call, xmlrpc_value *arguments, int from, int until)
{
    const char *types = call->method->signature + strlen("A:");
    int given = xmlrpc_array_size(call->env, arguments), known = (int)strlen(types);

    for (int i = from; i < until && i < known && (i < given || i < known - call->method->optional);
         i++) {
        xmlrpc_value *value;
        bool read;

        if (i >= given) {
            xmlrpc_env_set_fault(call->env, XMLRPC_TYPE_ERROR, "Not enough parameters");
            return false;
        }
        xmlrpc_array_read_item(call->env, arguments, (unsigned)i, &value);
        if (call->env->fault_occurred)
            return false;
        read = read_value(call, value, types[i], &call->argument[i]);
        xmlrpc_DECREF(value);
        if (!read)
            return false;
        call->count = i + 1;
    }
    return true;
}

int64_t oned_argument_or(const struct oned_call *call, int index, int64_t otherwise)
{
    return index < call->count ? call->argument[index].number : otherwise;
}

/* A locked VM can always be read. Administrators are locked out like other users. */
xmlrpc_value *oned_vm_right(struct oned_call *call, const struct oned_vm *vm, enum oned_right right)
{
    bool locked = vm->lock > 0 && right != RIGHT_USE && (int)right + 1 >= vm->lock;

    if (locked && oned_is_admin(call->user))
        return oned_answer_failure(call, 0x0200, "User [%d] : VM is locked. [%d].", call->user->id,
                                   vm->id);
    if (locked || !oned_may(call->user, &vm->owner, right))
        return oned_answer_forbidden(call, oned_right_name(right), "VM", vm->id);
    return NULL;
}

static bool may(const struct oned_call *call, enum oned_kind kind, const void *object,
                enum oned_right right)
{
    switch (kind) {
    case KIND_HOST:
        return oned_is_admin(call->user);
    case KIND_USER:
        return oned_is_admin(call->user) || object == call->user;
    case KIND_DOCUMENT:
    case KIND_TEMPLATE:
        return oned_may(call->user, &((const struct oned_thing *)object)->owner, right);
    default:
        return right == RIGHT_USE || oned_is_admin(call->user);
    }
}

void *oned_call_object(struct oned_call *call, enum oned_kind kind, int64_t id,
                       enum oned_right right, xmlrpc_value **answer)
{
    void *object;

    if (id == -1 && kind == KIND_USER)
        id = call->user->id;
    else if (id == -1 && kind == KIND_GROUP)
        id = call->user->gid;
    object = oned_pool_get(call->oned, kind, id);
    *answer = NULL;
    if (!object)
        *answer = oned_answer_missing(call, kind, id);
    else if (right == RIGHT_UNTESTED)
        return object;
    else if (kind == KIND_VM)
        *answer = oned_vm_right(call, object, right);
    else if (!may(call, kind, object, right))
        *answer = oned_answer_forbidden(call, oned_right_name(right), kinds[kind].type, id);
    return *answer ? NULL : object;
}

xmlrpc_value *oned_method_run(struct oned_call *call)
{
    const struct oned_method *method = call->method;
    xmlrpc_value *answer = NULL;

    if (method->object > 0)
        call->object = oned_call_object(call, method->kind, call->argument[method->object].number,
                                        method->right, &answer);
    if (answer)
        return answer;
    if (method->privilege && !oned_is_admin(call->user))
        return oned_answer_failure(call, 0x0200, "User [%d] : Not authorized to perform %s.",
                                   call->user->id, method->privilege);
    return method->run(call);
}

xmlrpc_value *oned_answer_int(struct oned_call *call, int64_t value)
{
    return xmlrpc_build_value(call->env, "(bii)", (xmlrpc_bool)1, (xmlrpc_int32)value,
                              (xmlrpc_int32)0);
}

xmlrpc_value *oned_answer_text(struct oned_call *call, const char *text)
{
    return xmlrpc_build_value(call->env, "(bsi)", (xmlrpc_bool)1, text, (xmlrpc_int32)0);
}

xmlrpc_value *oned_answer_document(struct oned_call *call, struct oned_text *text)
{
    xmlrpc_value *answer = oned_answer_text(call, text->bytes ? text->bytes : "");

    oned_text_finish(text);
    return answer;
}

xmlrpc_value *oned_answer_refusal(struct oned_call *call, const struct oned_refusal *refusal)
{
    char text[512];

    snprintf(text, sizeof text, "[%.60s] %s", call->method->name, refusal->text);
    return xmlrpc_build_value(call->env, "(bsiiI)", (xmlrpc_bool)0, text,
                              (xmlrpc_int32)refusal->code, (xmlrpc_int32)refusal->object,
                              (xmlrpc_int64)-1);
}

xmlrpc_value *oned_answer_failure(struct oned_call *call, int code, const char *format, ...)
{
    struct oned_refusal refusal = {.code = code, .object = -1};
    va_list args;

    va_start(args, format);
    vsnprintf(refusal.text, sizeof refusal.text, format, args);
    va_end(args);
    return oned_answer_refusal(call, &refusal);
}

xmlrpc_value *oned_answer_missing(struct oned_call *call, enum oned_kind kind, int64_t id)
{
    struct oned_refusal refusal;

    oned_refuse(&refusal, 0x0400, "Error getting %s [%lld].", kinds[kind].what, (long long)id);
    refusal.object = id;
    return oned_answer_refusal(call, &refusal);
}

xmlrpc_value *oned_answer_forbidden(struct oned_call *call, const char *right, const char *what,
                                    int64_t id)
{
    return oned_answer_failure(call, 0x0200, "User [%d] : Not authorized to perform %s %s [%lld].",
                               call->user->id, right, what, (long long)id);
}

xmlrpc_value *oned_change_rights(struct oned_call *call, enum oned_kind kind, int64_t id,
                                 struct oned_owner *owner)
{
    for (int i = 0; i < RIGHTS; i++)
        if (call->argument[i + 2].number >= 0)
            owner->rights[i] = call->argument[i + 2].number > 0;
    oned_touch(call->oned, kind, (int)id);
    return oned_answer_int(call, id);
}

xmlrpc_value *oned_update_template(struct oned_call *call, enum oned_kind kind, int64_t id,
                                   struct oned_attributes *template)
{
    struct oned_attributes changes = {0};
    struct error err = {0};
    int result = oned_attributes_parse(&changes, call->argument[2].text, &err);

    if (result == 0 && call->argument[3].number)
        oned_attributes_merge(template, &changes);
    else if (result == 0)
        oned_attributes_copy(template, &changes);
    oned_attributes_finish(&changes);
    if (result)
        return oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    oned_touch(call->oned, kind, (int)id);
    return oned_answer_int(call, id);
}

xmlrpc_value *oned_answer_update(struct oned_call *call)
{
    struct oned_thing *thing = call->object;

    return oned_update_template(call, call->method->kind, thing->id, &thing->template);
}

xmlrpc_value *oned_answer_allocate(struct oned_call *call)
{
    enum oned_kind kind = call->method->kind;
    struct error err;
    struct oned_thing *thing = oned_thing_create(NULL, call->argument[1].text, &err);

    if (!thing)
        return oned_answer_failure(call, 0x4000, "%.300s", err.text);
    oned_thing_give(thing, call->user);
    if (kind == KIND_DOCUMENT)
        thing->type = call->argument[2].number;
    if (kind == KIND_VNET)
        oned_clusters_add(thing, 0);
    return oned_answer_int(call, oned_thing_add(call->oned, kind, thing, 0));
}

xmlrpc_value *oned_answer_delete(struct oned_call *call)
{
    int64_t id = call->argument[call->method->object].number;

    oned_pool_remove(call->oned, call->method->kind, (int)id);
    return oned_answer_int(call, id);
}

xmlrpc_value *oned_answer_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_object_document(call->oned, call->method->kind, call->object, true, &text);
    return oned_answer_document(call, &text);
}

static bool is_listed(const struct oned_call *call, enum oned_kind kind, const void *object)
{
    if (kind == KIND_GROUP && !oned_is_admin(call->user))
        return ((const struct oned_thing *)object)->id == call->user->gid;
    return may(call, kind, object, RIGHT_USE);
}

xmlrpc_value *oned_answer_pool(struct oned_call *call)
{
    enum oned_kind kind = call->method->kind;
    const char *element = kinds[kind].element ? kinds[kind].element : kinds[kind].type;
    struct oned_text text = {0};

    oned_text_format(&text, "<%s_POOL>", element);
    for (int id = call->oned->pools[kind].count - 1; id >= 0; id--) {
        const void *object = oned_pool_get(call->oned, kind, id);

        if (object && is_listed(call, kind, object))
            oned_object_document(call->oned, kind, object, false, &text);
    }
    oned_default_quotas(kind, &text);
    oned_text_format(&text, "</%s_POOL>", element);
    return oned_answer_document(call, &text);
}
