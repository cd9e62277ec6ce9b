/* XML-RPC calls: runs the method, with the faults that apply to the call. */
#include "sandbox/calls.h"

#include <stdlib.h>
#include <string.h>
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

static int64_t first_number(const struct oned_call *call)
{
    const char *types = call->method->signature + strlen("A:");

    for (int i = 1; i < call->count; i++)
        if (types[i] == 'i' && call->argument[i].number >= 0)
            return call->argument[i].number;
    return -1;
}

/* A fault may keep the call from having its effect, or repeat it. */
static xmlrpc_value *run_with_faults(struct oned_call *call)
{
    const struct oned_fault *fault =
        oned_fault_of_call(call->oned, call->method->name, first_number(call));
    xmlrpc_value *answer;

    call->oned->calls->fault = fault;
    if (fault && (fault->kind == FAULT_DROP_BEFORE || fault->kind == FAULT_ERROR_500))
        return oned_answer_int(call, 0);
    if (fault && fault->kind == FAULT_REFUSE)
        return oned_answer_failure(call, (int)fault->code, "%.300s",
                                   fault->text ? fault->text : "Refused on command");
    if (fault && fault->kind == FAULT_LOSE)
        return oned_answer_int(call, first_number(call));
    answer = oned_method_run(call);
    if (fault && fault->kind == FAULT_DUPLICATE && answer) {
        xmlrpc_DECREF(answer);
        answer = oned_method_run(call);
    }
    return answer;
}

static xmlrpc_value *answer(struct oned_call *call, xmlrpc_value *arguments)
{
    if (!oned_arguments_read(call, arguments, 0, 1))
        return NULL;
    call->user = oned_authenticate(call->oned, call->argument[0].text);
    if (!call->user)
        return oned_answer_failure(call, 0x0100, "User couldn't be authenticated, aborting call.");
    if (!oned_arguments_read(call, arguments, 1, ARGUMENTS_MAX))
        return NULL;
    call->oned->next_request = (int)(oned_random(call->oned) % 10000);
    return run_with_faults(call);
}

static xmlrpc_value *dispatch(xmlrpc_env *env, xmlrpc_value *arguments, void *data, void *info)
{
    const struct binding *binding = data;
    struct oned_call call = {.oned = binding->oned, .method = binding->method, .env = env};
    xmlrpc_value *result = answer(&call, arguments);

    (void)info;
    for (int i = 0; i < ARGUMENTS_MAX; i++)
        free(call.argument[i].text);
    return result;
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

/* The answer cannot be written: it is larger than XML-RPC's documents may be. */
static xmlrpc_mem_block *fault_document(const xmlrpc_env *fault)
{
    xmlrpc_mem_block *output;
    xmlrpc_env env;

    xmlrpc_env_init(&env);
    output = XMLRPC_MEMBLOCK_NEW(char, &env, 0);
    xmlrpc_serialize_fault(&env, output, fault);
    xmlrpc_env_clean(&env);
    return output;
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
    if (env.fault_occurred)
        output = fault_document(&env);
    *size = XMLRPC_MEMBLOCK_SIZE(char, output);
    answer = memory_copy(XMLRPC_MEMBLOCK_CONTENTS(char, output), *size);
    XMLRPC_MEMBLOCK_FREE(char, output);
    xmlrpc_env_clean(&env);
    oned_store_commit(oned);
    *fault = oned->calls->fault;
    return answer;
}
