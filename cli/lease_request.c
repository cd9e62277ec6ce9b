/* galerna lease request: ask for a lease, and wait until it is decided. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/table.h"
#include "cli/time_words.h"
#include "core/instant.h"
#include "daemon/control/moment.h"

enum { WAIT_DEFAULT = 20, WAIT_MAX = 86400, LOOK_EVERY = 500 /* milliseconds */ };

struct request_arguments {
    json_t *request;
    int64_t now;
    int64_t start, earliest, deadline;
    bool immediate, dry_run;
    const char *terms;
    int64_t wait; /* seconds */
};

static void print_help(void)
{
    printf("usage: galerna lease request [OPTION]...\n\n"
           "Ask for a lease: VMs that start and stop together. The daemon makes them in\n"
           "OpenNebula; then it decides, and this command says what it decided.\n\n"
           "  --cpu N            processors of a VM, such as 0.5\n"
           "  --memory SIZE      memory of a VM in MB, or with a unit: 512, 512M, 2G\n"
           "  --count N          VMs (1)\n"
           "  --template ID      instantiate this template of OpenNebula; --cpu and --memory\n"
           "                     are then optional\n"
           "  --name NAME        name of the VMs\n"
           "  --start WHEN       now: now or never; a time: a reservation of that time;\n"
           "                     best-effort: as soon as there is room (the default)\n"
           "  --earliest TIME    not before this time\n"
           "  --deadline TIME    finished by this time, accepted or refused at once\n"
           "  --duration SPAN    how long it runs; unlimited is the default\n"
           "  --preemptible      it may be suspended to make room for others\n"
           "  --terms TERMS      what may be done to it to make room: cancelable, suspendable,\n"
           "                     migratable, restartable, non-preemptable (the default)\n"
           "  --priority N       larger wins (0)\n"
           "  --dry-run          only say whether it would fit, and when\n"
           "  --wait SECONDS     how long to wait for the decision (20); 0: do not\n");
    client_help();
    printf("\nTIME is +SPAN from now, 15:04, '2026-11-21 15:04[:05]' in local time, or RFC 3339.\n"
           "SPAN is 90s, 30m, 1h30m, 2d, or HH:MM[:SS].\n\n"
           "Exit code: 0 accepted or waiting, 1 failed, 2 refused, 64 wrong command line.\n");
}

static int take_time(const struct request_arguments *arguments, const char *command,
                     const char *option, const char *value, int64_t *instant)
{
    if (time_words_parse_instant(value, arguments->now, instant))
        return -1;
    return command_usage_error(command,
                               "--%s %.60s: expected a time such as +1h30m, 15:04, '2026-11-21 "
                               "15:04' or 2026-11-21T15:04:05+01:00",
                               option, value);
}

static int take_start(struct request_arguments *arguments, const char *command, const char *value)
{
    arguments->immediate = strcmp(value, "now") == 0;
    arguments->start = INSTANT_NONE;
    if (arguments->immediate || strcmp(value, "best-effort") == 0 ||
        strcmp(value, "best_effort") == 0)
        return -1;
    return take_time(arguments, command, "start", value, &arguments->start);
}

static int take_number(struct request_arguments *arguments, const char *command, const char *field,
                       const char *value, int64_t low)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(value, &end, 10);
    if (!*value || *end || errno || number < low)
        return command_usage_error(
            command, "--%s %.60s: expected a whole number, %" PRId64 " or more", field, value, low);
    json_object_set_new(arguments->request, field, json_integer(number));
    return -1;
}

static int take_cpu(struct request_arguments *arguments, const char *command, const char *value)
{
    char *end;
    double number = strtod(value, &end);

    if (!*value || *end || !isfinite(number) || number < 0.01)
        return command_usage_error(command, "--cpu %.60s: expected processors, 0.01 or more",
                                   value);
    json_object_set_new(arguments->request, "cpu", json_real(number));
    return -1;
}

static int take_memory(struct request_arguments *arguments, const char *command, const char *value)
{
    char *end;
    double number = strtod(value, &end);

    if (end != value && (!strcmp(end, "G") || !strcmp(end, "GB")))
        number *= 1024;
    else if (end == value || (*end && strcmp(end, "M") != 0 && strcmp(end, "MB") != 0))
        number = 0;
    if (!isfinite(number) || number < 1 || number > 1e12)
        return command_usage_error(command, "--memory %.60s: expected MB, such as 512, 512M or 2G",
                                   value);
    json_object_set_new(arguments->request, "memory", json_integer(llround(number)));
    return -1;
}

static int take_duration(struct request_arguments *arguments, const char *command,
                         const char *value)
{
    int64_t span;

    if (!time_words_parse_span(value, &span))
        return command_usage_error(command,
                                   "--duration %.60s: expected a span such as 90s, 1h30m, 2d, "
                                   "01:30:00, or unlimited",
                                   value);
    json_object_set_new(arguments->request, "duration",
                        span == SPAN_UNLIMITED ? json_string("unlimited") : json_integer(span));
    return -1;
}

static int take_wait(struct request_arguments *arguments, const char *command, const char *value)
{
    char *end;

    arguments->wait = strtol(value, &end, 10);
    if (!*value || *end || arguments->wait < 0 || arguments->wait > WAIT_MAX)
        return command_usage_error(command, "--wait %.60s: expected seconds, 0 to %d", value,
                                   WAIT_MAX);
    return -1;
}

static int take_terms(struct request_arguments *arguments, const char *command, const char *value)
{
    if (arguments->terms && strcmp(arguments->terms, value) != 0)
        return command_usage_error(command, "terms are given twice: %.60s and %.60s",
                                   arguments->terms, value);
    arguments->terms = value;
    json_object_set_new(arguments->request, "terms", json_string(value));
    return -1;
}

static int take_option(void *context, const char *command, int letter, const char *value)
{
    struct request_arguments *arguments = context;

    switch (letter) {
    case 'c':
        return take_cpu(arguments, command, value);
    case 'm':
        return take_memory(arguments, command, value);
    case 'n':
        return take_number(arguments, command, "count", value, 1);
    case 't':
        return take_number(arguments, command, "template", value, 0);
    case 'p':
        return take_number(arguments, command, "priority", value, -1000000);
    case 's':
        return take_start(arguments, command, value);
    case 'e':
        return take_time(arguments, command, "earliest", value, &arguments->earliest);
    case 'd':
        return take_time(arguments, command, "deadline", value, &arguments->deadline);
    case 'l':
        return take_duration(arguments, command, value);
    case 'P':
        return take_terms(arguments, command, "suspendable");
    case 'T':
        return take_terms(arguments, command, value);
    case 'N':
        json_object_set_new(arguments->request, "name", json_string(value));
        return -1;
    case 'w':
        return take_wait(arguments, command, value);
    default:
        arguments->dry_run = true;
        return -1;
    }
}

static void put_time(json_t *request, const char *field, int64_t instant)
{
    char text[MOMENT_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return;
    moment_format(instant, text);
    json_object_set_new(request, field, json_string(text));
}

/* What kind of lease follows from the times that were given. -1: fine, else the exit code. */
static int finish_request(const struct request_arguments *arguments, const char *command)
{
    json_t *request = arguments->request;
    const char *kind = "best-effort";

    if (arguments->deadline != INSTANT_NONE)
        kind = "deadline";
    else if (arguments->immediate)
        kind = "immediate";
    else if (arguments->start != INSTANT_NONE)
        kind = "reservation";
    if (arguments->deadline != INSTANT_NONE &&
        (arguments->immediate || arguments->start != INSTANT_NONE))
        return command_usage_error(command, "--start and --deadline exclude each other: not before "
                                            "a time is --earliest");
    if (arguments->earliest != INSTANT_NONE &&
        (arguments->immediate || arguments->start != INSTANT_NONE))
        return command_usage_error(command, "--start and --earliest exclude each other");
    if (!json_object_get(request, "template"))
        for (int i = 0; i < 2; i++)
            if (!json_object_get(request, i ? "memory" : "cpu"))
                return command_usage_error(command,
                                           "--%s is missing; only with --template it need "
                                           "not be said",
                                           i ? "memory" : "cpu");
    json_object_set_new(request, "kind", json_string(kind));
    put_time(request, "start", arguments->start);
    put_time(request, "earliest", arguments->earliest);
    put_time(request, "deadline", arguments->deadline);
    if (arguments->dry_run)
        json_object_set_new(request, "dry_run", json_true());
    return -1;
}

static int print_trial(const struct client *client, const json_t *answer)
{
    bool accepted = json_is_true(json_object_get(answer, "accepted"));
    int64_t start = client_instant(answer, "start");
    char local[TIME_WORDS_MAX], relative[TIME_WORDS_MAX];

    if (client->json && client_print_json(client, answer) != EXIT_DONE)
        return EXIT_FAILED;
    if (!client->json) {
        printf("%s", accepted ? "It would be accepted" : "It would be refused");
        if (accepted && start != INSTANT_NONE && start != INSTANT_NEVER) {
            time_words_local(start, local);
            time_words_relative(start, client_instant(answer, "now"), relative);
            printf(" and start %s (%s, %s)", local, relative, client_text(answer, "promise"));
        }
        printf(".\n");
        for (const char *line = client_text(answer, "text"); *line;) {
            size_t length = strcspn(line, "\n");
            char text[1025];

            snprintf(text, sizeof text, "%.*s", (int)length, line);
            table_print_text(stdout, text);
            putchar('\n');
            line += length + (line[length] == '\n');
        }
    }
    return accepted ? EXIT_DONE : EXIT_REFUSED;
}

/* Is there nothing to be decided any more? A best-effort lease that waits has a reason for it. */
static bool is_decided(const json_t *lease)
{
    const char *phase = client_text(lease, "phase");

    if (strcmp(phase, "gathering") == 0)
        return false;
    return strcmp(phase, "waiting") != 0 || client_instant(lease, "expected") != INSTANT_NONE ||
           *client_text(json_object_get(lease, "reason"), "word");
}

/* The lease once it is decided, or as it is when the time is over; NULL: it is not known yet. */
static json_t *wait_for_decision(const struct client *client, int64_t id, int64_t wait)
{
    struct client patient = *client;
    const struct timespec pause = {.tv_nsec = LOOK_EVERY * 1000000L};
    json_t *lease = NULL;

    /* The daemon sees its own new VMs with its next look at OpenNebula. */
    patient.tolerates = "not-found";
    for (int64_t i = 0; i < wait * 1000 / LOOK_EVERY; i++) {
        json_t *answer;
        int code;

        nanosleep(&pause, NULL);
        answer =
            client_ask(&patient, "lease-show", json_pack("{s:I}", "lease", (json_int_t)id), &code);
        if (!answer && code >= 0)
            return lease;
        if (!answer)
            continue;
        json_decref(lease);
        lease = json_incref(json_object_get(answer, "lease"));
        json_decref(answer);
        if (lease && is_decided(lease))
            return lease;
    }
    return lease;
}

static int print_decision(const json_t *lease)
{
    const json_t *reason = json_object_get(lease, "reason");
    const char *phase = client_text(lease, "phase");
    int64_t expected = client_instant(lease, "expected");
    char local[TIME_WORDS_MAX];

    printf("It is %s", phase);
    if (expected != INSTANT_NONE && expected != INSTANT_NEVER &&
        client_instant(lease, "since") == INSTANT_NONE) {
        time_words_local(expected, local);
        printf(", expected to start %s (%s)", local, client_text(lease, "promise"));
    }
    if (reason && *client_text(reason, "text")) {
        printf(": ");
        table_print_text(stdout, client_text(reason, "text"));
    }
    printf(".\n");
    return strcmp(phase, "refused") == 0 ? EXIT_REFUSED : EXIT_DONE;
}

static int report(const struct client *client, const json_t *answer, int64_t wait)
{
    int64_t id = client_integer(answer, "lease");
    const json_t *vms = json_object_get(answer, "vms");
    int code = EXIT_DONE;
    json_t *lease;

    if (!client->json) {
        printf("Lease %" PRId64 " is requested: VM", id);
        for (size_t i = 0; i < json_array_size(vms); i++)
            printf("%s %" PRId64, i ? "," : "",
                   (int64_t)json_integer_value(json_array_get(vms, i)));
        printf(".\n");
        fflush(stdout);
    }
    lease = wait_for_decision(client, id, wait);
    if (client->json) {
        json_t *document = json_copy((json_t *)answer);

        json_object_set(document, "decision", lease ? lease : json_null());
        code = client_print_json(client, document);
        json_decref(document);
        if (code == EXIT_DONE && lease && !strcmp(client_text(lease, "phase"), "refused"))
            code = EXIT_REFUSED;
    } else if (lease) {
        code = print_decision(lease);
    } else if (wait > 0) {
        printf("It is not decided yet: galerna lease why %" PRId64 " will tell.\n", id);
    }
    json_decref(lease);
    return code;
}

int command_lease_request(int argc, char **argv)
{
    static const struct option options[] = {
        {"cpu", required_argument, NULL, 'c'},
        {"memory", required_argument, NULL, 'm'},
        {"count", required_argument, NULL, 'n'},
        {"template", required_argument, NULL, 't'},
        {"name", required_argument, NULL, 'N'},
        {"start", required_argument, NULL, 's'},
        {"earliest", required_argument, NULL, 'e'},
        {"deadline", required_argument, NULL, 'd'},
        {"duration", required_argument, NULL, 'l'},
        {"preemptible", no_argument, NULL, 'P'},
        {"terms", required_argument, NULL, 'T'},
        {"priority", required_argument, NULL, 'p'},
        {"dry-run", no_argument, NULL, 'D'},
        {"wait", required_argument, NULL, 'w'},
        {NULL, 0, NULL, 0},
    };
    struct request_arguments arguments = {
        .request = json_object(),
        .now = (int64_t)time(NULL),
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .wait = WAIT_DEFAULT,
    };
    struct client client;
    int code = client_parse(&client, argc, argv,
                            &(struct client_options){options, take_option, &arguments, print_help});
    json_t *answer;

    if (code < 0 && optind < argc)
        code = command_usage_error(argv[0], "unknown argument '%.60s'", argv[optind]);
    if (code < 0)
        code = finish_request(&arguments, argv[0]);
    if (code >= 0) {
        json_decref(arguments.request);
        return code;
    }
    answer = client_ask(&client, "lease-request", arguments.request, &code);
    if (!answer)
        return code;
    code =
        arguments.dry_run ? print_trial(&client, answer) : report(&client, answer, arguments.wait);
    json_decref(answer);
    return code;
}
