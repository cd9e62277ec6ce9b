/* Paths of the HTTP API: what they ask galernad for, what is refused, and that the OpenAPI file
 * describes them all and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lease_terms.h"
#include "web/route.h"

/* What a request becomes, as text; the error's text if it is refused. To be freed. */
static char *asked_by(const char *method, const char *path, const char *body, const char *query)
{
    struct route_request request = {method, path, body, body ? strlen(body) : 0};
    char allow[64], *text = NULL, *value, name[64];
    struct error err = {0};
    const char *captured;
    const struct route *route = route_find(method, path, &captured, allow, sizeof allow, &err);
    json_t *asked = route ? route_ask(route, &request, captured, &err) : NULL;

    if (asked && query) {
        snprintf(name, sizeof name, "%s", query);
        value = strchr(name, '=');
        if (value)
            *value++ = '\0';
        if (route_take_query(route, asked, name, value, &err) < 0) {
            json_decref(asked);
            asked = NULL;
        }
    }
    text = asked ? json_dumps(asked, JSON_COMPACT | JSON_SORT_KEYS) : strdup(err.text);
    json_decref(asked);
    return text;
}

static void becomes(const char *method, const char *path, const char *body, const char *query,
                    const char *expected)
{
    char *text = asked_by(method, path, body, query);

    assert_string_equal(text, expected);
    free(text);
}

static void requests(void **state)
{
    becomes("GET", "/api/v1/queue", NULL, NULL, "{\"command\":\"queue\"}");
    becomes("HEAD", "/api/v1/queue", NULL, NULL, "{\"command\":\"queue\"}");
    becomes("GET", "/api/v1/leases/17", NULL, NULL, "{\"command\":\"lease-show\",\"lease\":17}");
    becomes("GET", "/api/v1/leases/17/why", NULL, NULL, "{\"command\":\"lease-why\",\"lease\":17}");
    becomes("GET", "/api/v1/leases", NULL, "phase=waiting,running",
            "{\"command\":\"lease-list\",\"phase\":[\"waiting\",\"running\"]}");
    becomes("GET", "/api/v1/leases", NULL, "all=true", "{\"all\":true,\"command\":\"lease-list\"}");
    becomes("GET", "/api/v1/hosts/3/timeline", NULL, NULL,
            "{\"command\":\"host-timeline\",\"host\":3}");
    becomes("GET", "/api/v1/hosts/alpha/timeline", NULL, NULL,
            "{\"command\":\"host-timeline\",\"host\":\"alpha\"}");
    becomes("PATCH", "/api/v1/leases/17", "{\"extend\": 60}", NULL,
            "{\"command\":\"lease-change\",\"extend\":60,\"lease\":17}");
}

static void refusals(void **state)
{
    becomes("GET", "/api/v1", NULL, NULL, "no such path; /api/v1/openapi.json lists all");
    becomes("GET", "/api/v2/queue", NULL, NULL, "no such path; /api/v1/openapi.json lists all");
    becomes("GET", "/api/v1/queue/", NULL, NULL, "no such path; /api/v1/openapi.json lists all");
    becomes("GET", "/api/v1/leases/", NULL, NULL, "no such path; /api/v1/openapi.json lists all");
    becomes("PUT", "/api/v1/leases", NULL, NULL, "only GET, POST is allowed on this path");
    becomes("GET", "/api/v1/leases/x", NULL, NULL, "lease: expected a whole number");
    becomes("GET", "/api/v1/leases/-1", NULL, NULL, "lease: expected a whole number");
    becomes("GET", "/api/v1/leases/99999999999999999999", NULL, NULL,
            "lease: expected a whole number");
    becomes("GET", "/api/v1/leases", NULL, "all=yes", "all: expected true or false");
    becomes("GET", "/api/v1/leases", NULL, "limi=1",
            "unknown parameter 'limi', did you mean 'limit'?");
    becomes("DELETE", "/api/v1/leases/17", "{}", NULL, "DELETE does not take a body");
    becomes("POST", "/api/v1/leases", "[]", NULL, "the body is not a JSON object");
    becomes("POST", "/api/v1/leases", "{\"command\": \"wake\"}", NULL, "unknown field 'command'");
    becomes("POST", "/api/v1/leases", "{\"caller\": {\"user\": \"oneadmin\"}}", NULL,
            "unknown field 'caller'");
    becomes("PATCH", "/api/v1/leases/17", "{\"lease\": 18}", NULL, "unknown field 'lease'");
}

/* --- the description -------------------------------------------------------------------------- */

static json_t *description(void)
{
    json_error_t error;
    json_t *file = json_load_file(DESCRIPTION, JSON_REJECT_DUPLICATES, &error);

    if (!file)
        fail_msg("line %d: %s", error.line, error.text);
    return file;
}

/* Follows {"$ref": "#/components/..."}. */
static const json_t *resolved(const json_t *file, const json_t *value)
{
    const char *reference = json_string_value(json_object_get(value, "$ref"));
    char path[128], *rest = path, *part;

    if (!reference)
        return value;
    snprintf(path, sizeof path, "%s", reference + strlen("#/"));
    for (value = file; (part = strsep(&rest, "/"));)
        value = json_object_get(value, part);
    assert_non_null(value);
    return value;
}

static bool has_parameter(const json_t *file, const json_t *list, const char *name,
                          const char *place)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) {
        const json_t *found = resolved(file, one);

        if (!strcmp(json_string_value(json_object_get(found, "name")), name) &&
            !strcmp(json_string_value(json_object_get(found, "in")), place))
            return true;
    }
    return false;
}

static void check_route(const json_t *file, const struct route *route)
{
    const json_t *path = json_object_get(json_object_get(file, "paths"), route->path);
    char method[16] = "";
    const json_t *operation;
    size_t n_query = 0;

    for (size_t i = 0; route->method[i]; i++)
        method[i] = (char)(route->method[i] | ' ');
    operation = json_object_get(path, method);
    if (!operation)
        fail_msg("%s %s is not described", route->method, route->path);
    if (route->parameter.name)
        assert_true(has_parameter(file, json_object_get(path, "parameters"), route->parameter.name,
                                  "path"));
    for (; n_query < ROUTE_PARAMETERS && route->query[n_query].name; n_query++)
        if (!has_parameter(file, json_object_get(operation, "parameters"),
                           route->query[n_query].name, "query"))
            fail_msg("%s %s: %s is not described", route->method, route->path,
                     route->query[n_query].name);
    assert_int_equal(json_array_size(json_object_get(operation, "parameters")), n_query);
    assert_int_equal(json_object_get(operation, "requestBody") != NULL, route->body);
}

static void each_route_is_described(void **state)
{
    json_t *file = description();

    for (size_t i = 0; i < n_routes; i++)
        check_route(file, &routes[i]);
    json_decref(file);
}

/* Apart from those that are files or streams. */
static bool is_route(const char *path, const char *method)
{
    for (size_t i = 0; i < n_routes; i++)
        if (!strcmp(routes[i].path, path) && !strcasecmp(routes[i].method, method))
            return true;
    return !strcmp(path, "/openapi.json") || !strcmp(path, "/events");
}

static void nothing_else_is_described(void **state)
{
    json_t *file = description(), *operations, *operation;
    const char *path, *method;

    json_object_foreach(json_object_get(file, "paths"), path, operations) {
        json_object_foreach(operations, method, operation) {
            if (strcmp(method, "parameters") != 0 && !is_route(path, method))
                fail_msg("%s %s does not exist", method, path);
        }
    }
    json_decref(file);
}

static void terms_are_described(void **state)
{
    json_t *file = description();
    const json_t *schemas = json_object_get(json_object_get(file, "components"), "schemas");
    static const char *const names[] = {"Lease", "LeaseRequest", "LeaseChange"};

    for (size_t i = 0; i < 3; i++)
        for (size_t term = 0; term < LEASE_TERM_COUNT; term++)
            if (!json_object_get(json_object_get(json_object_get(schemas, names[i]), "properties"),
                                 lease_terms[term].name))
                fail_msg("%s has no %s", names[i], lease_terms[term].name);
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(refusals),
        cmocka_unit_test(each_route_is_described),
        cmocka_unit_test(nothing_else_is_described),
        cmocka_unit_test(terms_are_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
