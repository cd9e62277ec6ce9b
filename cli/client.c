/* Shared by the commands that talk to galernad. */
#include "cli/client.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/table.h"
#include "configuration/live.h"
#include "daemon/control/control.h"
#include "util/decimal.h"
#include "util/instant.h"
#include "util/time_parse.h"
#include "util/time_text.h"

enum { ANSWER_TIMEOUT = 150000, PATIENCE = 5 /* seconds */, SILENCE = 5 /* seconds */ };

const struct command_option client_options[CLIENT_OPTIONS] = {
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct client, json),
     .help = "Print the answer of galernad as a JSON document"},
    {"socket", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = offsetof(struct client, socket),
     .help = "Control socket of galernad. Without --socket and --state-dir: $GALERNA_SOCKET, else "
             "/run/galerna/control.sock, else the one in your state directory"},
    {"state-dir", .type = ARGUMENT_TEXT, .argument = "DIR",
     .offset = offsetof(struct client, state_dir),
     .help = "State directory of galernad, which contains its control socket"},
};

/* The exit code for an answer that is an error or a refusal. */
static int refusal(const struct client *client, const json_t *answer)
{
    const char *word = client_text(answer, "code");

    if (client->tolerates && strcmp(word, client->tolerates) == 0)
        return -1;
    fprintf(stderr, "%s: ", client->command);
    table_print_text(stderr, client_text(answer, "error"));
    fputc('\n', stderr);
    if (strcmp(word, "malformed") == 0)
        return EXIT_USAGE;
    return strcmp(word, "refused") == 0 ? EXIT_REFUSED : EXIT_FAILED;
}

/* Tells since when, and why, the answer may be outdated. The answer of status contains this itself.
 */
static void warn_of_outdated(const struct client *client, const char *command, const json_t *answer)
{
    const json_t *outdated = json_object_get(answer, "outdated");
    char since[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (!outdated || client->json || strcmp(command, "status") == 0)
        return;
    time_text_local(client_instant(outdated, "since"), since, sizeof since);
    time_text_relative(client_instant(outdated, "since"), client_instant(answer, "now"), relative,
                       sizeof relative);
    fprintf(stderr, "%s: may be outdated: ", client->command);
    table_print_text(stderr, client_text(outdated, "text"));
    fprintf(stderr, " (since %s, %s)\n", since, relative);
}

static void tell_wait(int signal)
{
    static const char text[] = "galerna: still waiting for galernad to answer\n";

    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
}

/* Says that it waits, if galernad hangs or plans for long. */
static json_t *ask_once(const char *path, const json_t *request, struct error *err)
{
    json_t *answer;

    signal(SIGALRM, tell_wait);
    alarm(SILENCE);
    answer = control_ask(path, request, ANSWER_TIMEOUT, err);
    alarm(0);
    return answer;
}

/* A dry run changes nothing, so it is requested again while galernad is too busy for it. */
static json_t *ask_patiently(const char *path, const json_t *request, struct error *err)
{
    bool dry_run = json_is_true(json_object_get(request, "dry_run"));

    for (int i = 0;; i++) {
        json_t *answer = ask_once(path, request, err);

        if (!answer || !dry_run || i == PATIENCE ||
            strcmp(client_text(answer, "code"), "not-ready") != 0)
            return answer;
        json_decref(answer);
        sleep(1);
    }
}

json_t *client_ask(const struct client *client, const char *command, json_t *request, int *code)
{
    char *found = NULL;
    const char *path = client->socket;
    json_t *answer = NULL;
    struct error err;

    json_object_set_new(request, "command", json_string(command));
    /* The command line takes precedence over the environment. */
    if (!path && client->state_dir)
        path = found = live_control_socket(NULL, client->state_dir, client->state_dir);
    else if (!path)
        path = found = live_client_socket(NULL, &err);
    if (path)
        answer = ask_patiently(path, request, &err);
    json_decref(request);
    free(found);
    if (!answer) {
        *code = command_failed(client->command, &err);
        return NULL;
    }
    if (json_is_true(json_object_get(answer, "ok"))) {
        warn_of_outdated(client, command, answer);
        return answer;
    }
    *code = refusal(client, answer);
    json_decref(answer);
    return NULL;
}

int client_print_json(const struct client *client, const json_t *answer)
{
    if (json_dumpf(answer, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) < 0) {
        fprintf(stderr, "%s: cannot write the result\n", client->command);
        return EXIT_FAILED;
    }
    putchar('\n');
    return EXIT_DONE;
}

int client_print(const struct client *client, json_t *answer, void (*print)(const json_t *answer))
{
    int code = EXIT_DONE;

    if (client->json)
        code = client_print_json(client, answer);
    else
        print(answer);
    json_decref(answer);
    return code;
}

int client_show(const struct client *client, const char *command, json_t *request,
                void (*print)(const json_t *answer))
{
    int code;
    json_t *answer = client_ask(client, command, request, &code);

    return answer ? client_print(client, answer, print) : code;
}

const char *client_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

int64_t client_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

int64_t client_instant(const json_t *object, const char *key)
{
    const char *text = client_text(object, key);
    int64_t instant;

    if (strcmp(text, "never") == 0)
        return INSTANT_NEVER;
    return time_parse_utc(text, &instant) ? instant : INSTANT_NONE;
}

int64_t client_span(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_integer(value))
        return json_integer_value(value);
    return strcmp(client_text(object, key), "unlimited") == 0 ? SPAN_UNLIMITED : SPAN_NONE;
}

int client_lease_number(const struct client *client, const char *text, int64_t *number)
{
    if (decimal_parse(text, 0, number) < 0 || *number < 0)
        return command_usage_error(
            client->command,
            "'%.60s' is not a lease number ('galerna lease list' shows the numbers)", text);
    return -1;
}

int client_run(const struct call *call, const char *command, void (*print)(const json_t *answer))
{
    struct client *client = call->arguments;
    int64_t id;
    int code;

    client->command = call->name;
    if (call->n && (code = client_lease_number(client, call->operands[0], &id)) >= 0)
        return code;
    return client_show(client, command,
                       call->n ? json_pack("{s:I}", "lease", (json_int_t)id) : json_object(),
                       print);
}

void client_offer(const char *command, const char *list,
                  void (*print)(FILE *stream, const json_t *line), FILE *stream)
{
    const struct client client = {.command = "galerna"};
    const json_t *line;
    json_t *answer;
    size_t i;
    int code;

    answer = client_ask(&client, command, json_object(), &code);
    json_array_foreach(json_object_get(answer, list), i, line)
        print(stream, line);
    json_decref(answer);
}

static void print_lease(FILE *stream, const json_t *lease)
{
    fprintf(stream, "%" PRId64 "\n", client_integer(lease, "lease"));
}

void client_offer_leases(FILE *stream)
{
    client_offer("lease-list", "leases", print_lease, stream);
}

void client_print_lines(const json_t *answer, const char *field)
{
    for (const char *line = client_text(answer, field); *line;) {
        size_t length = strcspn(line, "\n");
        char text[1025];

        snprintf(text, sizeof text, "%.*s", (int)length, line);
        table_print_text(stdout, text);
        putchar('\n');
        line += length + (line[length] == '\n');
    }
}

int client_take_time(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    const char *wrong = time_parse_instant(text, (int64_t)time(NULL), value);

    (void)option;
    return wrong ? error_set(err, EINVAL, "%s", wrong) : 0;
}

void client_put_time(json_t *request, const char *field, int64_t instant)
{
    char text[TIME_TEXT_MAX];

    if (!instant)
        return;
    time_text_utc(instant, text, sizeof text);
    json_object_set_new(request, field, json_string(text));
}

int client_take_past(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    enum { DAY = 86400 };
    int64_t *since = value, now = (int64_t)time(NULL);

    if (*text == '-' && !time_parse_span(text + 1, since)) {
        *since = now - *since;
        return 0;
    }
    if (*text == '+')
        return error_set(err, EINVAL, "is in the future; '-1h' is an hour ago");
    if (client_take_time(option, value, text, err) < 0)
        return -1;
    if (!strchr(text, '-') && *since > now && *since <= now + DAY) /* a time of day */
        *since -= DAY;
    return 0;
}
