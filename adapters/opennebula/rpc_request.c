/* Encodes a call. */
#include "adapters/opennebula/rpc_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xmlrpc-c/base.h>

#include "adapters/opennebula/xml_bytes.h"
#include "util/memory.h"

static bool is_text(const char *text, size_t length)
{
    size_t n;

    for (size_t i = 0; i < length; i += n) {
        n = xml_character(text + i, length - i);
        if (n == 0)
            return false;
    }
    return true;
}

/* NULL with err. */
static xmlrpc_value *value_of(xmlrpc_env *env, const struct rpc_argument *argument,
                              struct error *err)
{
    const char *text = argument->text ? argument->text : "";

    switch (argument->type) {
    case RPC_INTEGER:
        if (argument->number == (int32_t)argument->number)
            return xmlrpc_int_new(env, (int)argument->number);
        return error_null(err, EINVAL, "%" PRId64 " does not fit into 32 bits", argument->number);
    case RPC_BOOLEAN:
        return xmlrpc_bool_new(env, argument->number != 0);
    case RPC_STRING:
        if (is_text(text, strlen(text)))
            return xmlrpc_string_new(env, text);
        return error_null(err, EINVAL, "the text is not UTF-8 or contains control characters");
    }
    return error_null(err, EINVAL, "unknown type %d", (int)argument->type);
}

static int append(xmlrpc_env *env, xmlrpc_value *array, const struct rpc_argument *argument,
                  struct error *err)
{
    xmlrpc_value *value = value_of(env, argument, err);

    if (!env->fault_occurred && value)
        xmlrpc_array_append_item(env, array, value);
    if (env->fault_occurred)
        error_set(err, EINVAL, "%s", env->fault_string);
    if (value)
        xmlrpc_DECREF(value);
    return value && !env->fault_occurred ? 0 : -1;
}

static int append_all(xmlrpc_env *env, xmlrpc_value *array, const struct rpc_request *request,
                      const char *session, struct error *err)
{
    if (append(env, array, &RPC_TEXT(session), err) < 0)
        return error_set(err, EINVAL, "%s: the session is not UTF-8 or contains control characters",
                         request->method);
    for (size_t i = 0; i < request->n_arguments; i++)
        if (append(env, array, &request->arguments[i], err) < 0)
            return error_prefix(err, "%s: argument %zu", request->method, i + 1);
    return 0;
}

char *rpc_request_encode(const struct rpc_request *request, const char *session, size_t *length,
                         struct error *err)
{
    xmlrpc_mem_block *block;
    xmlrpc_value *array;
    char *body = NULL;
    xmlrpc_env env;

    xmlrpc_env_init(&env);
    array = xmlrpc_array_new(&env);
    block = xmlrpc_mem_block_new(&env, 0);
    if (append_all(&env, array, request, session, err) == 0) {
        xmlrpc_serialize_call(&env, block, request->method, array);
        if (env.fault_occurred) {
            error_set(err, EINVAL, "%s: %s", request->method, env.fault_string);
        } else {
            *length = xmlrpc_mem_block_size(block);
            body = memory_copy(xmlrpc_mem_block_contents(block), *length);
        }
    }
    explicit_bzero(xmlrpc_mem_block_contents(block), xmlrpc_mem_block_size(block));
    xmlrpc_mem_block_free(block);
    xmlrpc_DECREF(array);
    xmlrpc_env_clean(&env);
    return body;
}

void rpc_request_forget(char *body, size_t length)
{
    if (body)
        explicit_bzero(body, length);
    free(body);
}
