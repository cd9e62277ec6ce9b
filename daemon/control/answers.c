/* Answers the commands of the control socket. */
#include "daemon/control/answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/fields.h"
#include "util/memory.h"
#include "util/suggest.h"

/* Which peers may use a command. */
enum lease_right { RIGHT_READ, RIGHT_CHANGE };

enum { FIELDS_MOST = 16 }; /* the last one is NULL */

static const struct {
    const char *name;
    enum lease_right right;
    answer_function *answer;
    const char *fields[FIELDS_MOST]; /* besides `command` and `caller` */
    bool terms;                      /* terms of leases are fields too */
} commands[] = {
    {"lease-list", RIGHT_READ, answer_lease_list,
     .fields = {"phase", "user", "series", "host", "all", "limit", "since"}},
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
     .fields = {"dry_run", "kind", "count", "cpu", "memory", "also", "template", "start",
                "earliest", "latest", "deadline", "duration", "name"},
     .terms = true},
    {"host-list", RIGHT_READ, answer_host_list, .fields = {"since"}},
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
    answers->queue = memory_new(1, sizeof *answers->queue);
    answers->leases = memory_new(1, sizeof *answers->leases);
    answers->hosts = memory_new(1, sizeof *answers->hosts);
    revisions_init(&answers->leases->revisions);
    revisions_init(answers->hosts);
    return answers;
}

void answers_destroy(struct answers *answers)
{
    if (!answers)
        return;
    overview_destroy(answers->overview);
    free(answers->queue->ids);
    free(answers->queue);
    revisions_finish(&answers->leases->revisions);
    revisions_finish(answers->hosts);
    free(answers->leases);
    free(answers->hosts);
    free(answers);
}

/* NULL: the fields are valid. */
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

    suggestion_init(&suggestion, name);
    for (int i = 0; i < COMMANDS; i++)
        suggestion_offer(&suggestion, commands[i].name);
    return answer_error(ENOTSUP, "unknown command '%.60s'%s", name, suggestion_text(&suggestion));
}

/* Reads the user for whom a trusted peer, such as galerna-web, makes the request. NULL: valid. */
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

uint64_t answers_state(const struct answers *answers)
{
    const struct answers_daemon *daemon = answers->daemon;

    return store_changes(answers->store) + (uint64_t)store_commits(answers->store) +
           daemon->readings(daemon->context) + daemon->host_changes(daemon->context) +
           answers->n_orders;
}

json_t *answers_handle(void *context, const struct control_peer *peer, const json_t *request)
{
    struct answers *answers = context;
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
        if (commands[i].right == RIGHT_CHANGE)
            answers->n_orders++;
        wrong = check_fields(request, i);
        /* cppcheck-suppress returnDanglingLifetime; it is a new object, not the question */
        return wrong ? wrong : commands[i].answer(&question);
    }
    return unknown_command(name);
}
