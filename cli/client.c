#include "cli/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "configuration/live.h"
#include "core/instant.h"
#include "daemon/control/control.h"
#include "daemon/control/moment.h"

enum { ANSWER_TIMEOUT = 150000, OPTIONS_MAX = 32 };

enum { LETTER_SOCKET = 256, LETTER_STATE_DIR, LETTER_JSON, LETTER_HELP };

static const struct option shared[] = {
    {"socket", required_argument, NULL, LETTER_SOCKET},
    {"state-dir", required_argument, NULL, LETTER_STATE_DIR},
    {"json", no_argument, NULL, LETTER_JSON},
    {"help", no_argument, NULL, LETTER_HELP},
};

enum { SHARED = sizeof shared / sizeof *shared };

void client_help(void)
{
    printf("  --json             print the daemon's answer, one JSON document, instead\n"
           "  --socket PATH      the daemon's socket\n"
           "  --state-dir DIR    the state directory of the daemon, whose socket is in it\n"
           "  --help             print this\n");
}

static int take_shared(struct client *client, int letter, const struct client_options *own)
{
    switch (letter) {
    case LETTER_SOCKET:
        client->socket = optarg;
        return -1;
    case LETTER_STATE_DIR:
        client->state_dir = optarg;
        return -1;
    case LETTER_JSON:
        client->json = true;
        return -1;
    case LETTER_HELP:
    case 'h':
        own->help();
        return EXIT_DONE;
    default:
        return command_usage_hint(client->command);
    }
}

int client_parse(struct client *client, int argc, char **argv, const struct client_options *own)
{
    struct option options[OPTIONS_MAX];
    int letter, n = 0, code = -1;

    *client = (struct client){.command = argv[0]};
    for (const struct option *at = own->options; at && at->name && n < OPTIONS_MAX - SHARED - 1;
         at++)
        options[n++] = *at;
    for (int i = 0; i < SHARED; i++)
        options[n++] = shared[i];
    memset(&options[n], 0, sizeof options[n]);
    optind = 0;
    while (code < 0 && (letter = getopt_long(argc, argv, "h", options, NULL)) != -1)
        code = letter < LETTER_SOCKET && letter != '?' && letter != 'h'
                   ? own->take(own->context, client->command, letter, optarg)
                   : take_shared(client, letter, own);
    return code;
}

/* The exit code for an answer that says no. */
static int refusal(const struct client *client, const json_t *answer)
{
    const char *word = client_text(answer, "code");

    if (client->tolerates && strcmp(word, client->tolerates) == 0)
        return -1;
    fprintf(stderr, "%s: %s\n", client->command, client_text(answer, "error"));
    if (strcmp(word, "malformed") == 0)
        return EXIT_USAGE;
    return strcmp(word, "refused") == 0 ? EXIT_REFUSED : EXIT_FAILED;
}

json_t *client_ask(const struct client *client, const char *command, json_t *request, int *code)
{
    char *found = NULL;
    const char *path = client->socket;
    json_t *answer = NULL;
    struct error err;

    json_object_set_new(request, "command", json_string(command));
    /* What the command line says goes before what the environment says. */
    if (!path && client->state_dir)
        path = found = live_control_socket(NULL, client->state_dir, client->state_dir);
    else if (!path)
        path = found = live_client_socket(NULL, NULL, &err);
    if (path)
        answer = control_ask(path, request, ANSWER_TIMEOUT, &err);
    json_decref(request);
    free(found);
    if (!answer) {
        *code = command_failed(client->command, &err);
        return NULL;
    }
    if (json_is_true(json_object_get(answer, "ok")))
        return answer;
    *code = refusal(client, answer);
    json_decref(answer);
    return NULL;
}

int client_print_json(const struct client *client, const json_t *answer)
{
    if (json_dumpf(answer, stdout, JSON_INDENT(2)) < 0) {
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
    return moment_parse(text, &instant) ? instant : INSTANT_NONE;
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
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    if (!*text || *end || errno || *number < 0)
        return command_usage_error(
            client->command, "'%.60s' is no number of a lease (galerna lease list shows them)",
            text);
    return -1;
}

/* request is given away. */
static int ask_and_print(const struct client *client, const struct client_question *question,
                         json_t *request)
{
    int code;
    json_t *answer = client_ask(client, question->command, request, &code);

    return answer ? client_print(client, answer, question->print) : code;
}

int client_run(int argc, char **argv, const struct client_question *question)
{
    struct client client;
    int code = client_parse(&client, argc, argv, &(struct client_options){.help = question->help});

    if (code < 0 && optind < argc)
        code = command_usage_error(argv[0], "unknown argument '%.60s'", argv[optind]);
    return code >= 0 ? code : ask_and_print(&client, question, json_object());
}

int client_run_for_lease(int argc, char **argv, const struct client_question *question)
{
    struct client client;
    int code = client_parse(&client, argc, argv, &(struct client_options){.help = question->help});
    int64_t id;

    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_usage_error(argv[0], "expected the number of one lease");
    if ((code = client_lease_number(&client, argv[optind], &id)) >= 0)
        return code;
    return ask_and_print(&client, question, json_pack("{s:I}", "lease", (json_int_t)id));
}
