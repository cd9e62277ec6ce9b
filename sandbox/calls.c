/* Calls by XML-RPC: to the method of that name, with the faults that were ordered. */
#include "sandbox/calls.h"

#include <stdlib.h>
#include <xmlrpc-c/server.h>

#include "sandbox/method.h"
#include "sandbox/state_file.h"
#include "util/memory.h"

enum { MESSAGE_MAX = 1 << 30 };

struct binding {
    struct oned *oned;
    const struct oned_method *method;
};

struct oned_calls {
    xmlrpc_registry *registry;
    struct binding *bindings;
    size_t count;
    const struct oned_fault *fault; /* of the call that is being answered */
};

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

struct oned_calls *oned_calls_create(struct oned *oned, struct error *err)
{
    static const struct oned_method *const tables[] = {
        oned_vm_methods,      oned_pool_methods,     oned_host_methods,
        oned_user_methods,    oned_site_methods,     oned_document_methods,
        oned_vmgroup_methods, oned_template_methods, oned_sandbox_methods,
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
                         const struct oned_fault **fault)
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
    *fault = oned->calls->fault;
    return answer;
}
