/* The methods' side of XML-RPC: arguments in, the daemon's arrays of 3 or 5 out. */
#include "sandbox/method.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xmlrpc_value *argument(struct oned_call *call, int index, xmlrpc_type type, const char *name)
{
    xmlrpc_value *value;

    if (index >= call->count) {
        xmlrpc_env_set_fault(call->env, XMLRPC_TYPE_ERROR, "Not enough parameters");
        return NULL;
    }
    xmlrpc_array_read_item(call->env, call->arguments, (unsigned)index, &value);
    if (call->env->fault_occurred)
        return NULL;
    if (xmlrpc_value_type(value) == type)
        return value;
    xmlrpc_DECREF(value);
    xmlrpc_env_set_fault_formatted(call->env, XMLRPC_TYPE_ERROR,
                                   "Parameter that is supposed to be %s is not", name);
    return NULL;
}

bool oned_argument_int(struct oned_call *call, int index, int64_t *value)
{
    xmlrpc_value *found = argument(call, index, XMLRPC_TYPE_INT, "integer");
    int number = 0;

    if (!found)
        return false;
    xmlrpc_read_int(call->env, found, &number);
    xmlrpc_DECREF(found);
    *value = number;
    return !call->env->fault_occurred;
}

bool oned_argument_bool(struct oned_call *call, int index, bool *value)
{
    xmlrpc_value *found = argument(call, index, XMLRPC_TYPE_BOOL, "boolean");
    xmlrpc_bool truth = 0;

    if (!found)
        return false;
    xmlrpc_read_bool(call->env, found, &truth);
    xmlrpc_DECREF(found);
    *value = truth != 0;
    return !call->env->fault_occurred;
}

bool oned_argument_double(struct oned_call *call, int index, double *value)
{
    xmlrpc_value *found = NULL;
    bool whole = false;
    int64_t number = 0;

    if (index < call->count) {
        xmlrpc_array_read_item(call->env, call->arguments, (unsigned)index, &found);
        whole = xmlrpc_value_type(found) == XMLRPC_TYPE_INT;
        xmlrpc_DECREF(found);
    }
    if (whole) {
        if (!oned_argument_int(call, index, &number))
            return false;
        *value = (double)number;
        return true;
    }
    found = argument(call, index, XMLRPC_TYPE_DOUBLE, "floating point number");
    if (!found)
        return false;
    xmlrpc_read_double(call->env, found, value);
    xmlrpc_DECREF(found);
    return !call->env->fault_occurred;
}

bool oned_argument_text(struct oned_call *call, int index, char **text)
{
    xmlrpc_value *found = argument(call, index, XMLRPC_TYPE_STRING, "a string");
    const char *string = NULL;

    if (!found)
        return false;
    xmlrpc_read_string(call->env, found, &string);
    xmlrpc_DECREF(found);
    if (call->env->fault_occurred)
        return false;
    memcpy(text, &string, sizeof string); /* ours, though it is said to be constant */
    return true;
}

bool oned_argument_int_or(struct oned_call *call, int index, int64_t *value)
{
    return index >= call->count || oned_argument_int(call, index, value);
}

bool oned_argument_bool_or(struct oned_call *call, int index, bool *value)
{
    return index >= call->count || oned_argument_bool(call, index, value);
}

bool oned_argument_text_or(struct oned_call *call, int index, char **text)
{
    return index >= call->count || oned_argument_text(call, index, text);
}

xmlrpc_value *oned_answer_int(struct oned_call *call, int64_t value)
{
    return xmlrpc_build_value(call->env, "(bii)", (xmlrpc_bool)1, (xmlrpc_int32)value,
                              (xmlrpc_int32)0);
}

xmlrpc_value *oned_answer_text(struct oned_call *call, const char *text, size_t size)
{
    return xmlrpc_build_value(call->env, "(bs#i)", (xmlrpc_bool)1, text, size, (xmlrpc_int32)0);
}

xmlrpc_value *oned_answer_document(struct oned_call *call, struct oned_text *text)
{
    xmlrpc_value *answer = oned_answer_text(call, text->bytes ? text->bytes : "", text->size);

    oned_text_finish(text);
    return answer;
}

xmlrpc_value *oned_answer_refusal(struct oned_call *call, const struct oned_refusal *refusal)
{
    char text[512];

    snprintf(text, sizeof text, "[%.60s] %s", call->method, refusal->text);
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

xmlrpc_value *oned_answer_missing(struct oned_call *call, const char *what, int64_t id)
{
    struct oned_refusal refusal;

    oned_refuse(&refusal, 0x0400, "Error getting %s [%lld].", what, (long long)id);
    refusal.object = id;
    return oned_answer_refusal(call, &refusal);
}

struct oned_vm *oned_argument_vm(struct oned_call *call, int index, xmlrpc_value **answer)
{
    struct oned_vm *vm;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, index, &id))
        return NULL;
    vm = oned_vm(call->oned, id);
    if (!vm)
        *answer = oned_answer_missing(call, "virtual machine", id);
    return vm;
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
    int64_t rights[RIGHTS];

    for (int i = 0; i < RIGHTS; i++)
        if (!oned_argument_int(call, i + 2, &rights[i]))
            return NULL;
    for (int i = 0; i < RIGHTS; i++)
        if (rights[i] >= 0)
            owner->rights[i] = rights[i] > 0;
    oned_touch(call->oned, kind, (int)id);
    return oned_answer_int(call, id);
}

xmlrpc_value *oned_update_template(struct oned_call *call, enum oned_kind kind, int64_t id,
                                   struct oned_attributes *template)
{
    struct oned_attributes changes = {0};
    xmlrpc_value *answer = NULL;
    struct error err = {0};
    int64_t append;
    char *text;

    if (!oned_argument_int(call, 3, &append) || !oned_argument_text(call, 2, &text))
        return NULL;
    if (oned_attributes_parse(&changes, text, &err))
        answer = oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    else if (append)
        oned_attributes_merge(template, &changes);
    else
        oned_attributes_copy(template, &changes);
    oned_attributes_finish(&changes);
    free(text);
    if (answer || call->env->fault_occurred)
        return answer;
    oned_touch(call->oned, kind, (int)id);
    return oned_answer_int(call, id);
}
