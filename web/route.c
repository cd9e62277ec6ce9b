/* The table of paths, and the request to galernad for each. */
#include "web/route.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/append.h"
#include "util/decimal.h"
#include "util/suggest.h"
#include "util/unqualified.h"

#define LEASE .parameter = {"lease", PARAMETER_NUMBER}
#define HOST  .parameter = {"host", PARAMETER_EITHER}
#define LIMIT                                                                                      \
    {                                                                                              \
        "limit", PARAMETER_NUMBER                                                                  \
    }

enum { OK = 200, CREATED = 201 };

const struct route routes[] = {
    {"GET", "/status", "status", RIGHT_OPERATOR, .same_for_all = true, .status = OK},
    {"GET", "/leases", "lease-list", RIGHT_OWN_LEASES,
     .query = {{"phase", PARAMETER_WORDS},
               {"user", PARAMETER_TEXT},
               {"series", PARAMETER_TEXT},
               {"all", PARAMETER_FLAG},
               LIMIT,
               {"since", PARAMETER_TEXT}},
     .same_for_all = true, .status = OK},
    {"POST", "/leases", "lease-request", RIGHT_SIGNED_IN, .body = true, .as_caller = true,
     .status = CREATED},
    {"GET", "/leases/{lease}", "lease-show", RIGHT_USE, LEASE, .same_for_all = true, .status = OK},
    {"PATCH", "/leases/{lease}", "lease-change", RIGHT_MANAGE, LEASE, .body = true, .status = OK},
    {"DELETE", "/leases/{lease}", "lease-cancel", RIGHT_MANAGE, LEASE, .status = OK},
    {"POST", "/leases/{lease}/hold", "lease-hold", RIGHT_MANAGE, LEASE, .body = true, .status = OK},
    {"POST", "/leases/{lease}/release", "lease-release", RIGHT_MANAGE, LEASE, .body = true,
     .status = OK},
    {"GET", "/leases/{lease}/why", "lease-why", RIGHT_USE, LEASE, .same_for_all = true,
     .status = OK},
    {"GET", "/leases/{lease}/trace", "lease-trace", RIGHT_OPERATOR, LEASE, .status = OK},
    {"GET", "/leases/{lease}/history", "lease-history", RIGHT_USE, LEASE, .query = {LIMIT},
     .same_for_all = true, .status = OK},
    {"GET", "/history", "lease-history", RIGHT_OPERATOR, .query = {LIMIT}, .same_for_all = true,
     .status = OK},
    {"GET", "/usage", "usage", RIGHT_OWN_USAGE,
     .query = {{"since", PARAMETER_TEXT},
               {"until", PARAMETER_TEXT},
               {"by", PARAMETER_TEXT},
               {"user", PARAMETER_TEXT}},
     .status = OK},
    {"GET", "/queue", "queue", RIGHT_OWN_LEASES, .same_for_all = true, .status = OK},
    {"GET", "/hosts", "host-list", RIGHT_OWN_HOSTS, .query = {{"since", PARAMETER_TEXT}},
     .same_for_all = true, .status = OK},
    {"GET", "/hosts/{host}/timeline", "host-timeline", RIGHT_HOST, HOST, .same_for_all = true,
     .status = OK},
    {"POST", "/drains", "host-drain", RIGHT_OPERATOR, .body = true, .status = OK},
    {"DELETE", "/hosts/{host}/drain", "host-undrain", RIGHT_OPERATOR, HOST,
     .query = {{"at", PARAMETER_TEXT}, {"all", PARAMETER_FLAG}}, .status = OK},
    {"GET", "/bookings", "booking-list", RIGHT_SIGNED_IN, .status = OK},
    {"POST", "/bookings", "host-book", RIGHT_SIGNED_IN, .body = true, .status = OK},
    {"DELETE", "/bookings/{booking}", "host-unbook", RIGHT_SIGNED_IN,
     .parameter = {"booking", PARAMETER_TEXT},
     .query = {{"at", PARAMETER_TEXT}, {"dry_run", PARAMETER_FLAG}}, .status = OK},
    {"DELETE", "/hosts/{host}/quarantine", "host-release", RIGHT_OPERATOR, HOST, .status = OK},
    {"POST", "/clusters/{cluster}/rebalancing", "host-rebalance", RIGHT_OPERATOR,
     .parameter = {"cluster", PARAMETER_EITHER}, .body = true, .status = OK},
    {"GET", "/log", "log-levels", RIGHT_OPERATOR, .status = OK},
    {"PATCH", "/log", "log-set", RIGHT_OPERATOR, .body = true, .status = OK},
    {"POST", "/wake", "wake", RIGHT_OPERATOR, .body = true, .status = OK},
    {"POST", "/policies/reload", "reload-policies", RIGHT_OPERATOR, .body = true, .status = OK},
    {"POST", "/policies/{policy}/enable", "enable-policy", RIGHT_OPERATOR,
     .parameter = {"policy", PARAMETER_TEXT}, .body = true, .status = OK},
};

const size_t n_routes = sizeof routes / sizeof *routes;

/* --- paths ------------------------------------------------------------------------------------ */

/* Does the path match the route's? *captured: the parameter's value, up to the end of the
 * segment. */
static bool matches(const char *pattern, const char *path, const char **captured)
{
    *captured = NULL;
    while (*pattern) {
        if (*pattern == '{') {
            *captured = path;
            pattern = strchr(pattern, '}') + 1;
            path += strcspn(path, "/");
            if (path == *captured)
                return false;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

const struct route *route_find(const char *method, const char *path, const char **captured,
                               char *allow, size_t size, struct error *err)
{
    size_t prefix = strlen(ROUTE_PREFIX), length = 0;

    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    *allow = '\0';
    for (size_t i = 0; strncmp(path, ROUTE_PREFIX, prefix) == 0 && i < n_routes; i++) {
        if (!matches(routes[i].path, path + prefix, captured))
            continue;
        if (strcmp(routes[i].method, method) == 0)
            return &routes[i];
        length = append_text(allow, size, length, "%s%s", length ? ", " : "", routes[i].method);
    }
    *captured = NULL;
    if (*allow)
        error_set(err, ENOTSUP, "only %s is allowed on this path", allow);
    else
        error_set(err, ENOENT, "no such path; " ROUTE_PREFIX "/openapi.json lists all");
    return NULL;
}

/* --- parameters ------------------------------------------------------------------------------- */

static json_t *number_of(const char *text)
{
    int64_t number;

    return *text != '+' && decimal_parse(text, 0, &number) == 0 && number >= 0
               ? json_integer(number)
               : NULL;
}

static json_t *words_of(const char *text)
{
    json_t *words = json_array();

    for (size_t n; *text; text += n + (text[n] == ',')) {
        json_t *word;

        n = strcspn(text, ",");
        word = json_stringn(text, n);
        if (!word || json_array_append_new(words, word) < 0) {
            json_decref(words);
            return NULL;
        }
    }
    return words;
}

/* NULL: the text is not a value of that type. */
static json_t *value_of(enum parameter_type type, const char *text)
{
    json_t *value = NULL;

    switch (type) {
    case PARAMETER_NUMBER:
        return number_of(text);
    case PARAMETER_EITHER:
        value = number_of(text);
        return value ? value : json_string(text);
    case PARAMETER_TEXT:
        return json_string(text);
    case PARAMETER_FLAG:
        return strcmp(text, "true") == 0    ? json_true()
               : strcmp(text, "false") == 0 ? json_false()
                                            : NULL;
    case PARAMETER_WORDS:
        return words_of(text);
    case PARAMETER_NONE:
        break;
    }
    return NULL;
}

static int put(json_t *asked, const struct route_parameter *parameter, const char *text,
               struct error *err)
{
    static const char *const expected[] = {[PARAMETER_NUMBER] = "a whole number",
                                           [PARAMETER_TEXT] = "a text",
                                           [PARAMETER_EITHER] = "an id or a name",
                                           [PARAMETER_FLAG] = "true or false",
                                           [PARAMETER_WORDS] = "words separated by commas"};
    json_t *value = value_of(parameter->type, text);

    if (!value)
        return error_set(err, EINVAL, "%s: expected %s", parameter->name,
                         expected[parameter->type]);
    json_object_set_new(asked, parameter->name, value);
    return 0;
}

int route_take_query(const struct route *route, json_t *asked, const char *name, const char *value,
                     struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, name);
    for (int i = 0; i < ROUTE_PARAMETERS && route->query[i].name; i++) {
        if (strcmp(route->query[i].name, name) != 0) {
            suggestion_offer(&suggestion, route->query[i].name);
            continue;
        }
        if (json_object_get(asked, name))
            return error_set(err, EINVAL, "%s: given twice", name);
        return put(asked, &route->query[i], value ? value : "", err);
    }
    return error_set(err, EINVAL, "unknown parameter '%.60s'%s", name,
                     suggestion_text(&suggestion));
}

/* --- bodies ----------------------------------------------------------------------------------- */

static int take_body(json_t *asked, const struct route_request *request, struct error *err)
{
    json_error_t error;
    json_t *body = json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, &error);
    const char *key;
    json_t *value;
    int result = 0;

    if (!json_is_object(body)) {
        json_decref(body);
        return error_set(err, EINVAL, "the body is not a JSON object%s%s", body ? "" : ": ",
                         body ? "" : error.text);
    }
    json_object_foreach(unqualified(body), key, value) {
        /* A body must not set the command, the caller or the path's parameter. */
        if (json_object_get(asked, key) || strcmp(key, "caller") == 0) {
            result = error_set(err, EINVAL, "unknown field '%.60s'", key);
            break;
        }
        json_object_set(asked, key, value);
    }
    json_decref(body);
    return result;
}

static int take_captured(const struct route *route, json_t *asked, const char *captured,
                         struct error *err)
{
    char text[256];
    size_t n = strcspn(captured, "/");

    if (n >= sizeof text)
        return error_set(err, EINVAL, "%s: too long", route->parameter.name);
    memcpy(text, captured, n);
    text[n] = '\0';
    return put(asked, &route->parameter, text, err);
}

json_t *route_ask(const struct route *route, const struct route_request *request,
                  const char *captured, struct error *err)
{
    json_t *asked = json_object();
    int result = 0;

    json_object_set_new(asked, "command", json_string(route->command));
    if (captured)
        result = take_captured(route, asked, captured, err);
    if (result == 0 && request->length > 0)
        result = route->body ? take_body(asked, request, err)
                             : error_set(err, EINVAL, "%s does not take a body", request->method);
    if (result == 0)
        return asked;
    json_decref(asked);
    return NULL;
}
