/* The methods' side of XML-RPC: arguments in, the daemon's arrays of 3 or 5 out. */
#include "sandbox/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmlrpc-c/server.h>

#include "sandbox/store.h"
#include "util/memory.h"

enum { MESSAGE_MAX = 1 << 30 };

struct binding {
    struct oned *oned;
    const struct oned_method *method;
};

struct oned_calls {
    xmlrpc_registry *registry;
    struct binding *bindings;
    size_t count, allocated;
    const struct oned_fault *fault; /* of the call that is being answered */
};

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

static int64_t first_number(struct oned_call *call)
{
    int64_t number = -1;

    for (int i = 1; i < call->count && number < 0; i++) {
        xmlrpc_env quiet;
        struct oned_call probe = *call;

        xmlrpc_env_init(&quiet);
        probe.env = &quiet;
        if (!oned_argument_int(&probe, i, &number))
            number = -1;
        xmlrpc_env_clean(&quiet);
    }
    return number;
}

/* A fault may keep the call from having its effect, or repeat it. */
static xmlrpc_value *run_with_faults(struct oned_call *call, const struct oned_method *method)
{
    const struct oned_fault *fault =
        oned_fault_of_call(call->oned, method->name, first_number(call));
    xmlrpc_value *answer;

    call->oned->calls->fault = fault;
    if (fault && (fault->kind == FAULT_DROP_BEFORE || fault->kind == FAULT_ERROR_500))
        return oned_answer_int(call, 0);
    if (fault && fault->kind == FAULT_REFUSE)
        return oned_answer_failure(call, (int)fault->code, "%.300s",
                                   fault->text ? fault->text : "Refused on command");
    if (fault && fault->kind == FAULT_LOSE)
        return oned_answer_int(call, first_number(call));
    answer = method->run(call);
    if (fault && fault->kind == FAULT_DUPLICATE && answer) {
        xmlrpc_DECREF(answer);
        answer = method->run(call);
    }
    return answer;
}

static xmlrpc_value *dispatch(xmlrpc_env *env, xmlrpc_value *arguments, void *data, void *info)
{
    const struct binding *binding = data;
    struct oned_call call = {
        .oned = binding->oned,
        .method = binding->method->name,
        .env = env,
        .arguments = arguments,
        .count = xmlrpc_array_size(env, arguments),
    };
    char *session;

    (void)info;
    if (env->fault_occurred || !oned_argument_text(&call, 0, &session))
        return NULL;
    call.user = oned_authenticate(binding->oned, session);
    free(session);
    if (!call.user)
        return oned_answer_failure(&call, 0x0100, "User couldn't be authenticated, aborting call.");
    binding->oned->next_request = (int)(oned_random(binding->oned) % 10000);
    return run_with_faults(&call, binding->method);
}

static void count_methods(struct oned_calls *calls, const struct oned_method *methods)
{
    while (methods->name) {
        calls->count++;
        methods++;
    }
}

static void bind_methods(struct oned *oned, struct oned_calls *calls, xmlrpc_env *env,
                         const struct oned_method *methods)
{
    for (; methods->name && !env->fault_occurred; methods++) {
        struct binding *binding = &calls->bindings[calls->count];
        struct xmlrpc_method_info3 info = {
            .methodName = methods->name,
            .methodFunction = dispatch,
            .serverInfo = binding,
            .signatureString = methods->signature,
            .help = "",
        };

        if (methods->since > oned->options.version)
            continue;
        *binding = (struct binding){.oned = oned, .method = methods};
        calls->count++;
        xmlrpc_registry_add_method3(env, calls->registry, &info);
    }
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

struct oned_calls *oned_calls_create(struct oned *oned, struct error *err)
{
    static const struct oned_method *const tables[] = {
        oned_vm_methods,   oned_pool_methods,     oned_host_methods,    oned_user_methods,
        oned_site_methods, oned_document_methods, oned_vmgroup_methods, oned_sandbox_methods,
    };
    struct oned_calls *calls = memory_new(1, sizeof *calls);
    xmlrpc_env env;

    xmlrpc_env_init(&env);
    xmlrpc_limit_set(XMLRPC_XML_SIZE_LIMIT_ID, MESSAGE_MAX);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        count_methods(calls, tables[i]);
    calls->bindings = memory_new(calls->count, sizeof *calls->bindings);
    calls->count = 0;
    calls->registry = xmlrpc_registry_new(&env);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !env.fault_occurred; i++)
        bind_methods(oned, calls, &env, tables[i]);
    if (env.fault_occurred) {
        error_set(err, 5, "XML-RPC methods cannot be registered: %s", env.fault_string);
        oned_calls_destroy(calls);
        calls = NULL;
    }
    xmlrpc_env_clean(&env);
    return calls;
}

void oned_calls_destroy(struct oned_calls *calls)
{
    if (!calls)
        return;
    if (calls->registry)
        xmlrpc_registry_free(calls->registry);
    free(calls->bindings);
    free(calls);
}

char *oned_calls_process(struct oned *oned, const char *request, size_t request_size, size_t *size,
                         struct oned_verdict *verdict)
{
    xmlrpc_mem_block *output = NULL;
    xmlrpc_env env;
    char *answer;

    oned->calls->fault = NULL;
    xmlrpc_env_init(&env);
    xmlrpc_registry_process_call2(&env, oned->calls->registry, request, request_size, NULL,
                                  &output);
    if (env.fault_occurred) {
        *size = 0;
        answer = memory_text("");
    } else {
        *size = XMLRPC_MEMBLOCK_SIZE(char, output);
        answer = memory_copy(XMLRPC_MEMBLOCK_CONTENTS(char, output), *size);
        XMLRPC_MEMBLOCK_FREE(char, output);
    }
    xmlrpc_env_clean(&env);
    oned_store_commit(oned);
    verdict->fault = oned->calls->fault;
    return answer;
}
