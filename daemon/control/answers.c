/* Answers the commands of the control socket. */
#include "daemon/control/answers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/fields.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/time_parse.h"

/* Which peers may use a command. */
enum lease_right { RIGHT_READ, RIGHT_CHANGE };

enum { FIELDS_MOST = 16 }; /* the last one is NULL */

static const struct {
    const char *name;
    enum lease_right right;
    answer_function *answer;
    const char *fields[FIELDS_MOST]; /* beside `command` and `caller` */
    bool terms;                      /* those of leases are fields, too */
} commands[] = {
    {"lease-list", RIGHT_READ, answer_lease_list,
     .fields = {"phase", "user", "series", "all", "limit"}},
    {"lease-show", RIGHT_READ, answer_lease_show, .fields = {"lease"}},
    {"lease-why", RIGHT_READ, answer_lease_why, .fields = {"lease"}},
    {"lease-trace", RIGHT_CHANGE, answer_lease_trace, .fields = {"lease"}},
    {"lease-history", RIGHT_READ, answer_lease_history, .fields = {"lease", "limit"}},
    {"lease-cancel", RIGHT_CHANGE, answer_lease_cancel, .fields = {"lease"}},
    {"lease-hold", RIGHT_CHANGE, answer_lease_hold, .fields = {"lease"}},
    {"lease-release", RIGHT_CHANGE, answer_lease_release, .fields = {"lease", "dry_run"}},
    {"lease-change", RIGHT_CHANGE, answer_lease_change,
     .fields = {"lease", "duration", "extend", "shorten", "start", "shift", "deadline", "kind",
                "cpu", "memory", "dry_run"},
     .terms = true},
    {"lease-request", RIGHT_CHANGE, answer_lease_request,
     .fields = {"dry_run", "kind", "count", "cpu", "memory", "template", "start", "earliest",
                "latest", "deadline", "duration", "name"},
     .terms = true},
    {"host-list", RIGHT_READ, .answer = answer_host_list},
    {"host-timeline", RIGHT_READ, answer_host_timeline, .fields = {"host"}},
    {"queue", RIGHT_READ, .answer = answer_queue},
    {"status", RIGHT_READ, .answer = answer_status},
    {"usage", RIGHT_READ, answer_usage, .fields = {"since", "until", "by", "user"}},
    {"log-levels", RIGHT_READ, .answer = answer_log_levels},
    {"log-set", RIGHT_CHANGE, answer_log_set, .fields = {"level", "subsystem"}},
    {"wake", RIGHT_CHANGE, answer_wake, .fields = {"vm"}},
    {"reload-policies", RIGHT_CHANGE, .answer = answer_reload_policies},
    {"host-drain", RIGHT_CHANGE, answer_host_drain,
     .fields = {"hosts", "count", "cluster", "from", "until", "dry_run", "booking"}},
    {"host-book", RIGHT_CHANGE, answer_host_book,
     .fields = {"hosts", "count", "cluster", "from", "until", "dry_run", "booking"}},
    {"host-undrain", RIGHT_CHANGE, answer_host_undrain, .fields = {"host", "at", "all"}},
    {"host-unbook", RIGHT_CHANGE, answer_host_unbook, .fields = {"booking", "at", "dry_run"}},
    {"booking-list", RIGHT_READ, .answer = answer_booking_list},
    {"host-rebalance", RIGHT_CHANGE, answer_host_rebalance, .fields = {"cluster", "action"}},
    {"host-release", RIGHT_CHANGE, answer_host_release, .fields = {"host"}},
    {"enable-policy", RIGHT_CHANGE, answer_enable_policy, .fields = {"policy"}},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

struct answers *answers_create(struct store *store, const struct answers_daemon *daemon)
{
    struct answers *answers = memory_new(1, sizeof *answers);

    answers->store = store;
    answers->daemon = daemon;
    answers->overview = overview_create();
    answers->list = memory_new(1, sizeof *answers->list);
    answers->queue = memory_new(1, sizeof *answers->queue);
    return answers;
}

void answers_destroy(struct answers *answers)
{
    if (!answers)
        return;
    overview_destroy(answers->overview);
    json_decref(answers->list->request);
    json_decref(answers->list->answer);
    free(answers->list);
    free(answers->queue->ids);
    free(answers->queue);
    free(answers);
}

static const char *code_word(int code)
{
    switch (code) {
    case EPERM:
    case EACCES:
        return "denied";
    case ENOENT:
        return "not-found";
    case EINVAL:
        return "malformed";
    case EAGAIN:
        return "not-ready";
    case ENOTSUP:
        return "unsupported";
    case ENOSPC:
        return "refused";
    case EALREADY:
    case EEXIST:
        return "conflict";
    default:
        return "failed";
    }
}

json_t *answers_refused(const struct error *err)
{
    json_t *answer;

    if (err->code == EINPROGRESS)
        return NULL;
    answer = json_object();
    json_put(answer, "ok", json_false());
    json_put(answer, "error", json_from_text(err->text));
    json_put(answer, "code", json_string(code_word(err->code)));
    return answer;
}

json_t *answer_error(int code, const char *format, ...)
{
    struct error err = {.code = code};
    va_list args;

    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    return answers_refused(&err);
}

/* Adds since when, and why, the answer may not be what OpenNebula is now. */
static void put_outdated(const struct question *question, json_t *answer)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    char text[ERROR_TEXT_MAX];
    int64_t since;
    json_t *outdated;

    if (!daemon->outdated(daemon->context, text, sizeof text, &since))
        return;
    outdated = json_object();
    json_put(outdated, "text", json_from_text(text));
    json_put(outdated, "since", json_from_instant(since));
    json_put(answer, "outdated", outdated);
}

json_t *answer_begin(const struct question *question, const char *schema)
{
    json_t *answer = json_object();

    json_put(answer, "ok", json_true());
    json_put(answer, "schema", json_string(schema));
    json_put(answer, "now", json_from_instant(question->now));
    put_outdated(question, answer);
    return answer;
}

json_t *question_number(const struct question *question, const char *field, int64_t high,
                        int64_t *number, bool *there)
{
    const json_t *value = json_object_get(question->request, field);

    *there = value && !json_is_null(value);
    if (!*there)
        return NULL;
    *number = json_integer_value(value);
    if (json_is_integer(value) && *number >= 0 && *number <= high)
        return NULL;
    return answer_error(EINVAL, "%s: expected a whole number from 0 to %" PRId64, field, high);
}

json_t *question_time(const struct question *question, const char *field, int64_t *instant)
{
    const json_t *value = json_object_get(question->request, field);

    if (!value || json_is_null(value) ||
        (json_is_string(value) && time_parse_utc(json_string_value(value), instant)))
        return NULL;
    return answer_error(EINVAL, "%s: expected a time such as 2026-11-21T15:00:00Z", field);
}

json_t *question_text(const struct question *question, const char *field, const char **text)
{
    const json_t *value = json_object_get(question->request, field);

    *text = json_string_value(value);
    if (!value || json_is_null(value) || *text)
        return NULL;
    return answer_error(EINVAL, "%s: expected a string", field);
}

/* NULL: valid. */
static json_t *check_fields(const json_t *request, int command)
{
    const char *known[FIELDS_MOST + 2] = {"command", "caller"};
    struct error err;

    memcpy(known + 2, commands[command].fields, sizeof commands[command].fields);
    if (fields_check(request, known, commands[command].terms, &err) == 0)
        return NULL;
    return answer_error(EINVAL, "%s", err.text);
}

static json_t *unknown_command(const char *name)
{
    struct suggestion suggestion;
    char near[80];

    suggestion_init(&suggestion, name);
    for (int i = 0; i < COMMANDS; i++)
        suggestion_offer(&suggestion, commands[i].name);
    return answer_error(ENOTSUP, "unknown command '%.60s'%s", name,
                        suggestion_text(&suggestion, near, sizeof near));
}

/* For whom a trusted peer, such as galerna-web, asks; NULL: valid. */
static json_t *read_caller(struct question *question)
{
    const json_t *caller = json_object_get(question->request, "caller"), *session, *is_operator;

    question->of_operator = question->peer->trusted && !caller;
    if (!caller)
        return NULL;
    if (!question->peer->trusted)
        return answer_error(EPERM, "caller: user %ld may not act for other users",
                            (long)question->peer->uid);
    question->user = json_string_value(json_object_get(caller, "user"));
    is_operator = json_object_get(caller, "operator");
    question->of_operator = json_is_true(is_operator);
    session = json_object_get(caller, "session");
    question->session = json_string_value(session);
    if (!question->user || !*question->user || (session && !question->session) ||
        (is_operator && !json_is_boolean(is_operator)))
        return answer_error(EINVAL, "caller: expected an object with user and, optionally, "
                                    "session and operator (true or false)");
    return NULL;
}

const char *answers_plain_user(const struct question *question)
{
    return question->of_operator ? NULL : question->user;
}

json_t *answers_handle(void *context, const struct control_peer *peer, const json_t *request)
{
    const struct answers *answers = context;
    struct question question = {.answers = answers, .peer = peer, .request = request};
    const char *name = json_string_value(json_object_get(request, "command"));
    json_t *wrong;

    if (!name)
        return answer_error(EINVAL, "command: missing");
    wrong = read_caller(&question);
    if (wrong)
        return wrong;
    question.now = answers->daemon->now(answers->daemon->context);
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) != 0)
            continue;
        if (commands[i].right == RIGHT_CHANGE && !peer->trusted)
            return answer_error(EPERM,
                                "%s: user %ld has read-only access; ask root, the daemon's user or "
                                "a member of its control-group",
                                name, (long)peer->uid);
        wrong = check_fields(request, i);
        /* cppcheck-suppress returnDanglingLifetime; it is a new object, not the question */
        return wrong ? wrong : commands[i].answer(&question);
    }
    return unknown_command(name);
}
