/* Answers requests over HTTP. */
#include "web/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/control.h"
#include "util/memory.h"
#include "util/printable.h"
#include "web/access.h"
#include "web/occurrences.h"

enum {
    ASK_TIMEOUT =
        130 * 1000, /* milliseconds; galernad delays some answers by two minutes at most */
    OK = 200,
    BAD_REQUEST = 400,
    UNAUTHORIZED = 401,
    FORBIDDEN = 403,
    NOT_FOUND = 404,
    METHOD_NOT_ALLOWED = 405,
    CONFLICT = 409,
    TOO_LARGE = 413,
    UNSUPPORTED_TYPE = 415,
    TOO_MANY = 429,
    FAILED = 500,
    NOT_IMPLEMENTED = 501,
    UNAVAILABLE = 503,
};

static const char media_type[] = "application/json";

/* --- answers ---------------------------------------------------------------------------------- */

static void give(struct api_answer *answer, unsigned status, const json_t *document)
{
    answer->status = status;
    answer->type = media_type;
    answer->body = json_dumps(document, JSON_COMPACT);
    if (!answer->body)
        answer->body = memory_text("{\"ok\":false,\"error\":\"the answer cannot be written\","
                                   "\"code\":\"failed\"}");
    answer->length = strlen(answer->body);
}

static void refuse(struct api_answer *answer, unsigned status, const char *code, const char *text)
{
    char *shown = memory_text(text); /* may quote the request */
    json_t *document;

    mask_controls(shown, '?');
    document = json_pack("{s:b, s:s, s:s}", "ok", 0, "error", shown, "code", code);
    give(answer, status, document);
    json_decref(document);
    free(shown);
}

/* Answers with an error of this process, not of galernad. */
static void refuse_error(struct api_answer *answer, const struct error *err)
{
    switch (err->code) {
    case EINVAL:
        refuse(answer, BAD_REQUEST, "malformed", err->text);
        break;
    case EACCES:
        refuse(answer, UNAUTHORIZED, "unauthenticated", err->text);
        break;
    case EPERM:
        refuse(answer, FORBIDDEN, "denied", err->text);
        break;
    case ENOENT:
        refuse(answer, NOT_FOUND, "not-found", err->text);
        break;
    case ENOTSUP:
        refuse(answer, METHOD_NOT_ALLOWED, "unsupported", err->text);
        break;
    case EBUSY:
        refuse(answer, TOO_MANY, "too-many", err->text);
        break;
    default:
        refuse(answer, UNAVAILABLE, "not-ready", err->text);
        break;
    }
}

/* The HTTP status for galernad's answer. Not accepted: 200 for a question (a dry run, or a request
 * for a new lease, which has `accepted` only in a dry run), 409 for an order that was not carried
 * out. Without `accepted` the order was carried out: the route's status, which is 201 if it creates
 * a lease. */
static unsigned status_of(const struct route *route, const json_t *document)
{
    static const struct {
        const char *code;
        unsigned status;
    } statuses[] = {
        {"malformed", BAD_REQUEST}, {"unsupported", NOT_IMPLEMENTED}, {"not-found", NOT_FOUND},
        {"denied", FORBIDDEN},      {"not-ready", UNAVAILABLE},       {"refused", CONFLICT},
        {"conflict", CONFLICT},     {"too-long", TOO_LARGE},          {"busy", UNAVAILABLE},
    };
    const char *code = json_string_value(json_object_get(document, "code"));
    bool dry_run = json_is_true(json_object_get(document, "dry_run"));

    if (json_is_true(json_object_get(document, "ok"))) {
        if (json_is_false(json_object_get(document, "accepted")))
            return dry_run || route->status != OK ? OK : CONFLICT;
        return json_object_get(document, "accepted") ? OK : route->status;
    }
    for (size_t i = 0; code && i < sizeof statuses / sizeof *statuses; i++)
        if (strcmp(statuses[i].code, code) == 0)
            return statuses[i].status;
    return FAILED;
}

/* --- galernad --------------------------------------------------------------------------------- */

static json_t *no_answer(struct error *err)
{
    return error_null(err, EAGAIN, "galernad does not answer; try again later");
}

static json_t *ask(const void *context, json_t *request, struct error *err)
{
    const struct api *api = context;
    json_t *answer = galernad_ask(api->galernad, request, ASK_TIMEOUT, err);

    json_decref(request);
    return answer ? answer : no_answer(err);
}

/* Names the user of the request for galernad, and whether the user is an operator, if that makes a
 * difference to the answer. */
static void name_caller(json_t *asked, const struct route *route, const struct caller *caller)
{
    json_t *named;

    if (route->same_for_all)
        return;
    named = json_pack("{s:s, s:b}", "user", caller->name, "operator", caller->is_operator);
    if (route->as_caller)
        json_object_set_new(named, "session", json_string(caller->session));
    json_object_set_new(asked, "caller", named);
}

static int take_query(const struct api_request *request, const struct route *route, json_t *asked,
                      struct error *err)
{
    for (size_t i = 0; i < request->n_query; i++)
        if (route_take_query(route, asked, request->query[i].name, request->query[i].value, err) <
            0)
            return -1;
    return 0;
}

/* NULL with err; or NULL if *answer is galernad's own text, passed on unchanged: parsing and
 * writing a long list takes many times as long. */
static json_t *look(const struct access *access, const json_t *asked, bool passes,
                    struct api_answer *answer, struct error *err)
{
    static const char good[] = "{\"ok\":true,";
    const struct api *api = access->context;
    char *text = galernad_look(api->galernad, asked, ASK_TIMEOUT, err);

    if (!text || !passes || strncmp(text, good, sizeof good - 1) != 0)
        return text ? control_read_answer(text, "its socket", err) : no_answer(err);
    answer->status = OK;
    answer->type = media_type;
    answer->body = text;
    answer->length = strlen(text);
    return NULL;
}

static json_t *ask_galernad(const struct access *access, const struct route *route, json_t *asked,
                            struct api_answer *answer, struct error *err)
{
    name_caller(asked, route, access->caller);
    if (strcmp(route->method, "GET") == 0)
        return look(access, asked, !access_reduces(access, route), answer, err);
    if (route->as_caller && series_is_asked(asked))
        return series_ask(access, asked, err);
    return access->ask(access->context, json_incref(asked), err);
}

static void answer_route(const struct access *access, const struct route *route,
                         const struct api_request *request, const char *captured,
                         struct api_answer *answer)
{
    struct error err = {0};
    json_t *asked = route_ask(route, &request->route, captured, &err), *document = NULL;

    if (asked && take_query(request, route, asked, &err) == 0 &&
        access_check(access, route, asked, &err) == 0)
        document = ask_galernad(access, route, asked, answer, &err);
    if (document && json_is_true(json_object_get(document, "ok")) &&
        access_reduce(access, route, asked, document, &err) < 0) {
        json_decref(document);
        document = NULL;
    }
    if (document)
        give(answer, status_of(route, document), document);
    else if (!answer->body)
        refuse_error(answer, &err);
    json_decref(document);
    json_decref(asked);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Is the body JSON? A page of another site can send a form with the password that a user's browser
 * knows, but cannot send this type. */
static bool is_json(const struct api_request *request)
{
    size_t n = sizeof media_type - 1;

    return request->type && strncasecmp(request->type, media_type, n) == 0 &&
           (request->type[n] == '\0' || request->type[n] == ';' || request->type[n] == ' ');
}

static bool is_get(const struct api_request *request)
{
    return strcmp(request->route.method, "GET") == 0 || strcmp(request->route.method, "HEAD") == 0;
}

static bool refuse_unless_get(const struct api_request *request, struct api_answer *answer)
{
    if (is_get(request))
        return false;
    refuse(answer, METHOD_NOT_ALLOWED, "unsupported", "only GET is allowed on this path");
    strcpy(answer->allow, "GET");
    return true;
}

/* Files are public. */
static bool answer_files(const struct api *api, const struct api_request *request,
                         struct api_answer *answer)
{
    const struct file *file = files_find(api->files, request->route.path);

    if (file && !refuse_unless_get(request, answer)) {
        answer->status = OK;
        answer->file = file;
        answer->type = file->type;
    }
    return file != NULL;
}

static bool answer_events(const struct api_request *request, struct api_answer *answer)
{
    if (strcmp(request->route.path, ROUTE_PREFIX "/events") != 0)
        return false;
    if (!refuse_unless_get(request, answer)) {
        answer->status = OK;
        answer->type = "text/event-stream";
    }
    return true;
}

static void answer_signed_in(const struct api *api, const struct caller *caller,
                             const struct api_request *request, struct api_answer *answer)
{
    const struct access access = {api->callers, api->views, caller, ask, api};
    struct error err = {0};
    const struct route *route;
    const char *captured;

    if (answer_events(request, answer))
        return;
    route = route_find(request->route.method, request->route.path, &captured, answer->allow,
                       sizeof answer->allow, &err);
    if (!route)
        refuse_error(answer, &err);
    else if (route->body && !is_json(request))
        refuse(answer, UNSUPPORTED_TYPE, "malformed", "the Content-Type must be application/json");
    else
        answer_route(&access, route, request, captured, answer);
}

/* Logs changes and denied requests. */
static void log_request(const struct api_request *request, const struct api_answer *answer)
{
    char line[512];

    if (is_get(request) && answer->status != FORBIDDEN &&
        (answer->status != UNAUTHORIZED || !request->user))
        return;
    snprintf(line, sizeof line, "%s %.64s %.10s %.200s: %u", request->address,
             *answer->who    ? answer->who
             : request->user ? request->user
                             : "-",
             request->route.method, request->route.path, answer->status);
    mask_controls(line, '?');
    fprintf(stderr, "galerna-web: %s\n", line);
}

static void answer_request(const struct api *api, const struct api_request *request,
                           struct api_answer *answer)
{
    struct error err = {0};
    struct caller caller;

    *answer = (struct api_answer){.status = FAILED};
    if (request->too_long) {
        refuse(answer, TOO_LARGE, "too-long", "the request is too long");
        return;
    }
    if (answer_files(api, request, answer))
        return;
    if (!request->user) {
        refuse(answer, UNAUTHORIZED, "unauthenticated",
               "sign in with the name of an OpenNebula user and a password or token");
        return;
    }
    if (callers_sign_in(api->callers,
                        &(struct caller_signs){request->user, request->password, request->address},
                        &caller, &err) < 0) {
        refuse_error(answer, &err);
        return;
    }
    strcpy(answer->who, caller.name);
    answer_signed_in(api, &caller, request, answer);
    caller_finish(&caller);
}

void api_answer(const void *api, const struct api_request *request, struct api_answer *answer)
{
    answer_request(api, request, answer);
    log_request(request, answer);
}
