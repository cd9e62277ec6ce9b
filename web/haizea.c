/* Answers calls of Haizea's XML-RPC interface. */
#include "web/haizea.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmlrpc-c/base.h>
#include <xmlrpc-c/server.h>

#include "util/memory.h"
#include "web/haizea_lease.h"

enum {
    OK = 200,
    BAD_REQUEST = 400,
    NOT_FOUND = 404,
    METHOD_NOT_ALLOWED = 405,
    TOO_LARGE = 413,
    WRONG_TYPE = 415
};

struct haizea {
    const struct api *api;
    xmlrpc_registry *registry;
    char *user;
    const char *password;
};

/* A call in progress. */
struct haizea_call {
    const struct haizea *haizea;
    const struct api_request *request; /* the HTTP request */
};

/* --- the HTTP API ----------------------------------------------------------------------------- */

/* The answer of the HTTP API, to be released; NULL: the fault is set, with the HTTP status and
 * error. */
static json_t *ask(xmlrpc_env *env, const struct haizea_call *call, struct route_request route)
{
    struct api_request request = {.route = route,
                                  .type = "application/json",
                                  .user = call->haizea->user,
                                  .password = call->haizea->password,
                                  .address = call->request->address};
    struct api_answer answer;
    json_t *document;

    api_answer(call->haizea->api, &request, &answer);
    document = json_loadb(answer.body, answer.length, 0, NULL);
    free(answer.body);
    if (json_is_true(json_object_get(document, "ok")))
        return document;
    xmlrpc_env_set_fault(env, (int)answer.status,
                         json_is_string(json_object_get(document, "error"))
                             ? json_string_value(json_object_get(document, "error"))
                             : "unexpected answer");
    json_decref(document);
    return NULL;
}

static json_t *get(xmlrpc_env *env, const struct haizea_call *call, const char *path)
{
    return ask(env, call, (struct route_request){.method = "GET", .path = path});
}

/* --- methods ---------------------------------------------------------------------------------- */

static xmlrpc_value *create_lease(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                                  void *context)
{
    struct route_request route = {.method = "POST", .path = ROUTE_PREFIX "/leases"};
    const char *text = NULL;
    struct error err = {0};
    size_t length = 0;
    json_t *asked, *answer;
    int lease = 0;
    char *body;

    (void)server;
    xmlrpc_decompose_value(env, arguments, "(s#)", &text, &length);
    if (env->fault_occurred)
        return NULL;
    asked = haizea_lease_read(text, length, &err);
    memory_free(text);
    if (!asked) {
        xmlrpc_env_set_fault(env, XMLRPC_TYPE_ERROR, err.text);
        return NULL;
    }
    body = json_dumps(asked, JSON_COMPACT);
    json_decref(asked);
    route.body = body;
    route.length = strlen(body);
    answer = ask(env, context, route);
    free(body);
    if (answer)
        lease = (int)json_integer_value(json_object_get(answer, "lease"));
    json_decref(answer);
    return answer ? xmlrpc_int_new(env, lease) : NULL;
}

static xmlrpc_value *cancel_lease(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                                  void *context)
{
    struct route_request route = {.method = "DELETE"};
    json_t *answer;
    int lease = 0;
    char path[64];

    (void)server;
    xmlrpc_decompose_value(env, arguments, "(i)", &lease);
    if (env->fault_occurred)
        return NULL;
    snprintf(path, sizeof path, ROUTE_PREFIX "/leases/%d", lease);
    route.path = path;
    answer = ask(env, context, route);
    json_decref(answer);
    return answer ? xmlrpc_int_new(env, 0) : NULL;
}

/* Converts the items of a list in an answer. */
static xmlrpc_value *list_of(xmlrpc_env *env, json_t *answer, const char *name,
                             xmlrpc_value *(*write)(xmlrpc_env *env, const json_t *line))
{
    xmlrpc_value *list = xmlrpc_array_new(env), *item;
    json_t *line;
    size_t i;

    json_array_foreach(json_object_get(answer, name), i, line) {
        item = env->fault_occurred ? NULL : write(env, line);
        if (!item)
            break;
        xmlrpc_array_append_item(env, list, item);
        xmlrpc_DECREF(item);
    }
    json_decref(answer);
    return list;
}

static xmlrpc_value *write_lease(xmlrpc_env *env, const json_t *lease)
{
    char *document = haizea_lease_write(lease);
    xmlrpc_value *value = xmlrpc_string_new(env, document);

    free(document);
    return value;
}

static xmlrpc_value *write_host(xmlrpc_env *env, const json_t *host)
{
    double cpu = json_number_value(json_object_get(host, "cpu"));

    return xmlrpc_build_value(
        env, "{s:i,s:s,s:i,s:i}", "id", (int)json_integer_value(json_object_get(host, "host")),
        "hostname", json_string_value(json_object_get(host, "name")), "cpu", (int)lround(cpu * 100),
        "mem", (int)json_integer_value(json_object_get(host, "memory")));
}

static xmlrpc_value *list(xmlrpc_env *env, xmlrpc_value *arguments, void *context, const char *path,
                          const char *name,
                          xmlrpc_value *(*write)(xmlrpc_env *env, const json_t *line))
{
    json_t *answer;

    xmlrpc_decompose_value(env, arguments, "()");
    answer = env->fault_occurred ? NULL : get(env, context, path);
    return answer ? list_of(env, answer, name, write) : NULL;
}

static xmlrpc_value *get_leases(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                                void *context)
{
    (void)server;
    return list(env, arguments, context, ROUTE_PREFIX "/leases", "leases", write_lease);
}

static xmlrpc_value *get_queue(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                               void *context)
{
    (void)server;
    return list(env, arguments, context, ROUTE_PREFIX "/queue", "leases", write_lease);
}

static xmlrpc_value *get_hosts(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                               void *context)
{
    (void)server;
    return list(env, arguments, context, ROUTE_PREFIX "/hosts", "hosts", write_host);
}

/* Haizea answers 0 for any lease. */
static xmlrpc_value *answer_zero(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                                 void *context)
{
    (void)arguments, (void)server, (void)context;
    return xmlrpc_int_new(env, 0);
}

/* Does nothing: galernad gets events from OpenNebula. */
static xmlrpc_value *notify_event(xmlrpc_env *env, xmlrpc_value *arguments, void *server,
                                  void *context)
{
    (void)arguments, (void)server, (void)context;
    return xmlrpc_nil_new(env);
}

static const struct {
    const char *name, *signature;
    xmlrpc_method2 run;
} methods[] = {
    {"create_lease", "i:s", create_lease}, {"cancel_lease", "i:i", cancel_lease},
    {"get_leases", "A:", get_leases},      {"get_queue", "A:", get_queue},
    {"get_hosts", "A:", get_hosts},        {"get_lease", "i:i", answer_zero},
    {"test_func", "i:", answer_zero},      {"notify_event", "?", notify_event},
};

/* --- calls ------------------------------------------------------------------------------------ */

static void refuse(struct api_answer *answer, unsigned status, const char *text)
{
    answer->status = status;
    answer->type = "text/plain";
    answer->body = memory_text(text);
    answer->length = strlen(text);
}

/* Does the call have a DOCTYPE, or zero bytes? The DOCTYPE could declare entities; in encodings
 * other than UTF-8 and its subsets, which have zero bytes, it would not be found. */
static bool has_doctype(const struct route_request *call)
{
    return memchr(call->body, '\0', call->length) || strstr(call->body, "<!DOCTYPE");
}

/* Is the type XML? Pages in a browser on this machine cannot send this type to another site, so
 * they cannot make calls. */
static bool is_xml(const struct api_request *request)
{
    return request->type && strncasecmp(request->type, "text/xml", 8) == 0;
}

static bool is_path(const char *path)
{
    return strcmp(path, "/RPC2") == 0 || strcmp(path, "/") == 0;
}

static void answer_call(const struct haizea *haizea, const struct api_request *request,
                        struct api_answer *answer)
{
    struct haizea_call call = {haizea, request};
    xmlrpc_mem_block *output = NULL;
    xmlrpc_env env;

    xmlrpc_env_init(&env);
    xmlrpc_registry_process_call2(&env, haizea->registry, request->route.body,
                                  request->route.length, &call, &output);
    if (env.fault_occurred) {
        refuse(answer, 500, env.fault_string);
    } else {
        answer->status = OK;
        answer->type = "text/xml";
        answer->length = XMLRPC_MEMBLOCK_SIZE(char, output);
        answer->body = memory_copy(XMLRPC_MEMBLOCK_CONTENTS(char, output), answer->length);
        XMLRPC_MEMBLOCK_FREE(char, output);
    }
    xmlrpc_env_clean(&env);
}

void haizea_answer(const void *haizea, const struct api_request *request, struct api_answer *answer)
{
    *answer = (struct api_answer){.status = OK};
    if (!is_path(request->route.path)) {
        refuse(answer, NOT_FOUND, "Haizea's XML-RPC interface is at /RPC2\n");
    } else if (strcmp(request->route.method, "POST") != 0) {
        refuse(answer, METHOD_NOT_ALLOWED, "calls require POST\n");
        strcpy(answer->allow, "POST");
    } else if (request->too_long) {
        refuse(answer, TOO_LARGE, "the call is too long\n");
    } else if (!is_xml(request)) {
        refuse(answer, WRONG_TYPE, "the Content-Type must be text/xml\n");
    } else if (has_doctype(&request->route)) {
        refuse(answer, BAD_REQUEST, "the call is not UTF-8, or has a DOCTYPE\n");
    } else {
        answer_call(haizea, request, answer);
    }
}

struct haizea *haizea_create(const struct api *api, const char *session, struct error *err)
{
    struct haizea *haizea = memory_new(1, sizeof *haizea);
    const char *colon = strchr(session, ':');
    xmlrpc_env env;

    haizea->api = api;
    haizea->user = memory_format("%.*s", (int)(colon - session), session);
    haizea->password = colon + 1;
    xmlrpc_env_init(&env);
    haizea->registry = xmlrpc_registry_new(&env);
    if (!env.fault_occurred)
        xmlrpc_registry_disable_introspection(haizea->registry);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !env.fault_occurred; i++)
        xmlrpc_registry_add_method2(&env, haizea->registry, methods[i].name, methods[i].run,
                                    methods[i].signature, "", NULL);
    if (env.fault_occurred) {
        error_set(err, EIO, "XML-RPC methods cannot be registered: %s", env.fault_string);
        haizea_destroy(haizea);
        haizea = NULL;
    }
    xmlrpc_env_clean(&env);
    return haizea;
}

void haizea_destroy(struct haizea *haizea)
{
    if (!haizea)
        return;
    if (haizea->registry)
        xmlrpc_registry_free(haizea->registry);
    free(haizea->user);
    free(haizea);
}
