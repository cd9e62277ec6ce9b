/* galerna lease request: ask for a lease, and wait until it is decided. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_repeat.h"
#include "cli/lease_when.h"
#include "cli/size_options.h"
#include "cli/table.h"
#include "cli/term_options.h"
#include "util/decimal.h"
#include "util/instant.h"
#include "util/recurrence.h"
#include "util/time_parse.h"
#include "util/time_text.h"
#include "util/unqualified.h"

enum { WAIT_MAX = 86400, LOOK_EVERY = 500 /* milliseconds */ };

struct request_arguments {
    struct client client;
    struct term_options terms;
    json_t *request;                    /* NULL: nothing is requested yet */
    const char *start;                  /* as written */
    int64_t at;                         /* the start of a reservation; 0: none */
    int64_t earliest, latest, deadline; /* 0: not given */
    struct lease_repeat repeat;
    bool dry_run, when;
    int64_t wait; /* seconds */
};

/* The document to which options are added. value: its place in the arguments. */
static json_t *document(void *value)
{
    json_t **request = value;

    if (!*request)
        *request = json_object();
    return *request;
}

static int put(void *value, const char *field, json_t *content)
{
    json_object_set_new(document(value), field, content);
    return 0;
}

static int take_text(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    (void)err;
    return put(value, option->name, json_string(text));
}

static int take_integer(const struct command_option *option, void *value, const char *text,
                        struct error *err)
{
    int64_t number;

    if (decimal_parse(text, 0, &number) < 0 || (double)number < option->least)
        return error_set(err, EINVAL, "expected a whole number, %.0f or more", option->least);
    return put(value, option->name, json_integer(number));
}

static int take_cpu(const struct command_option *option, void *value, const char *text,
                    struct error *err)
{
    double processors;

    return size_read_cpu(text, &processors, err) < 0
               ? -1
               : put(value, option->name, json_real(processors));
}

static int take_memory(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    int64_t megabytes;

    return size_read_memory(text, &megabytes, err) < 0
               ? -1
               : put(value, option->name, json_integer(megabytes));
}

/* VMs of another size; may be repeated. */
static int take_also(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    json_t *also = json_object_get(document(value), option->name);
    struct size_of_vms vms;

    if (size_read_vms(text, &vms, err) < 0)
        return -1;
    if (!also) {
        also = json_array();
        json_object_set_new(document(value), option->name, also);
    }
    json_array_append_new(also, json_pack("{s:I, s:f, s:I}", "count", (json_int_t)vms.count, "cpu",
                                          vms.cpu, "memory", (json_int_t)vms.memory));
    return 0;
}

static int take_duration(const struct command_option *option, void *value, const char *text,
                         struct error *err)
{
    int64_t span;
    const char *wrong = time_parse_duration(text, &span);

    if (wrong)
        return error_set(err, EINVAL, "%s", wrong);
    return put(value, option->name,
               span == SPAN_UNLIMITED ? json_string("unlimited") : json_integer(span));
}

#define AT(member) offsetof(struct request_arguments, member)

static const struct command_option request_options[] = {
    {"cpu", .type = ARGUMENT_OWN, .argument = "N", .offset = AT(request), .take = take_cpu,
     .help = "Processors of each VM, such as 0.5"},
    {"memory", .type = ARGUMENT_OWN, .argument = "SIZE", .offset = AT(request), .take = take_memory,
     .help = "Memory of each VM in MB, or with a unit: 512, 512M, 2G"},
    {"count", .type = ARGUMENT_OWN, .argument = "N", .offset = AT(request), .least = 1,
     .take = take_integer,
     .help = "Number of VMs, 1 by default. Several VMs are a group: they start together or not "
             "at all"},
    {"also", .type = ARGUMENT_OWN, .argument = "COUNTxCPU/SIZE", .offset = AT(request),
     .take = take_also,
     .help = "Further VMs of another size in the same lease, such as 3x0.5/2G: three with half a "
             "processor and 2 GB of memory each. May be repeated"},
    {"template", .type = ARGUMENT_OWN, .argument = "ID", .offset = AT(request),
     .take = take_integer,
     .help = "Instantiate this OpenNebula template. --cpu and --memory are then optional and "
             "override it. Without a template the VMs have no disks"},
    {"name", .type = ARGUMENT_OWN, .argument = "NAME", .offset = AT(request), .take = take_text,
     .help = "Name of the VMs; a number is appended when there are several"},
    {"start", .type = ARGUMENT_TEXT, .argument = "WHEN", .offset = AT(start),
     .words = "now|best-effort",
     .help = "When to start. now: immediately or not at all; TIME: exactly at this time; "
             "best-effort (the default): as soon as there is room"},
    {"earliest", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(earliest),
     .take = client_take_time, .help = "Do not start before this time"},
    {"latest", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(latest),
     .take = client_take_time,
     .help = "Start when there is room, but no later than this time. The request is accepted or "
             "refused at once; requires --duration"},
    {"deadline", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(deadline),
     .take = client_take_time,
     .help =
         "Finish by this time. The request is accepted or refused at once; requires --duration"},
    {"duration", .type = ARGUMENT_OWN, .argument = "DURATION", .offset = AT(request),
     .take = take_duration, .help = "How long the lease runs; unlimited by default"},
    {"repeat", .type = ARGUMENT_CHOICE, .argument = "RULE", .offset = AT(repeat.rule),
     .words = "no|" RECURRENCE_WORDS, .unset = "no",
     .help = "Request a series: a reservation at the time of --start hourly, daily, weekdays "
             "(Monday to Friday) or weekly, in local time. Each occurrence is a lease that is "
             "accepted or refused on its own; --series names the series"},
    {"times", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(repeat.times), .unset = "0",
     .least = 0, .most = 1000, .help = "With --repeat: number of occurrences, including the first"},
    {"until", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(repeat.until),
     .take = client_take_time, .help = "With --repeat: no occurrence starts after this time"},
    {"dry-run", .type = ARGUMENT_FLAG, .offset = AT(dry_run),
     .help = "Only show whether the lease would be accepted, when it would start, and which "
             "leases it would preempt"},
    {"when", .type = ARGUMENT_FLAG, .offset = AT(when),
     .help = "Only show when a reservation of this size could start: the earliest times by the "
             "number of leases that it would preempt, down to none, and earlier times with half "
             "the VMs (of each size) or half the duration"},
    {"wait", .type = ARGUMENT_INTEGER, .argument = "SECONDS", .offset = AT(wait), .otherwise = "20",
     .least = 0, .most = WAIT_MAX, .help = "How long to wait for the decision; 0: do not wait"},
};

/* -1: fine, else the exit code. */
static int finish_terms(struct request_arguments *arguments, const char *command)
{
    struct term_options *terms = &arguments->terms;

    if (!terms_settle(&terms->values, terms->given))
        return command_usage_error(command, "--terms %s conflicts with --preemptible",
                                   lease_terms_name(terms->values.terms));
    term_options_put(terms, document(&arguments->request));
    return -1;
}

/* A start excludes other times, and a latest start gives the deadline. -1: fine, else the exit
 * code. */
static int check_times(const struct request_arguments *arguments, bool starts_at,
                       const char *command)
{
    if (starts_at && (arguments->deadline || arguments->latest))
        return command_usage_error(command,
                                   "--start and --%s cannot be combined; use --earliest for the "
                                   "earliest start",
                                   arguments->deadline ? "deadline" : "latest");
    if (starts_at && arguments->earliest)
        return command_usage_error(command, "--start and --earliest cannot be combined");
    if (arguments->deadline && arguments->latest)
        return command_usage_error(command, "--deadline and --latest cannot be combined");
    return -1;
}

/* Derives the kind of lease from the given times. -1: fine, else the exit code. */
static int finish_request(struct request_arguments *arguments, const char *command)
{
    json_t *request = document(&arguments->request);
    const char *start = arguments->start;
    bool immediate = start && strcmp(start, "now") == 0;
    bool reserved = start && !immediate && strcmp(start, "best-effort") != 0 &&
                    strcmp(start, "best_effort") != 0;
    struct error err;
    int code;

    if (reserved && client_take_time(NULL, &arguments->at, start, &err) < 0)
        return command_usage_error(command, "--start %.60s: %s", start, err.text);
    code = check_times(arguments, immediate || reserved, command);
    if (code >= 0)
        return code;
    if (!json_object_get(request, "template"))
        for (int i = 0; i < 2; i++)
            if (!json_object_get(request, i ? "memory" : "cpu"))
                return command_usage_error(command, "--%s is required without --template",
                                           i ? "memory" : "cpu");
    json_object_set_new(request, "kind",
                        json_string(arguments->deadline || arguments->latest ? "deadline"
                                    : immediate                              ? "immediate"
                                    : reserved                               ? "reservation"
                                                                             : "best-effort"));
    client_put_time(request, "start", arguments->at);
    client_put_time(request, "earliest", arguments->earliest);
    client_put_time(request, "latest", arguments->latest);
    client_put_time(request, "deadline", arguments->deadline);
    if (arguments->dry_run)
        json_object_set_new(request, "dry_run", json_true());
    return finish_terms(arguments, command);
}

static int print_trial(const struct client *client, const json_t *answer)
{
    bool accepted = json_is_true(json_object_get(answer, "accepted"));
    int64_t start = client_instant(answer, "start"), now = client_instant(answer, "now");
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (client->json && client_print_json(client, answer) != EXIT_DONE)
        return EXIT_FAILED;
    if (!client->json) {
        printf("%s", accepted ? "The lease would be accepted" : "The lease would be refused: ");
        if (accepted && instant_is_set(start)) {
            time_text_local(start, local, sizeof local);
            time_text_relative(instant_later(start, now), now, relative, sizeof relative);
            printf(" and start at %s (%s, %s)", local, relative, client_text(answer, "promise"));
        }
        if (accepted) {
            printf(".\n");
            client_print_lines(answer, "text");
        } else {
            table_print_text(stdout, client_text(answer, "text"));
            printf(".\n");
        }
    }
    return accepted ? EXIT_DONE : EXIT_REFUSED;
}

/* Has galernad decided on the lease? A waiting best-effort lease is decided when it has a reason to
 * wait. */
static bool is_decided(const json_t *lease)
{
    const char *phase = client_text(lease, "phase");

    if (strcmp(phase, "gathering") == 0)
        return false;
    return strcmp(phase, "waiting") != 0 || client_instant(lease, "expected") != INSTANT_NONE ||
           *client_text(json_object_get(lease, "reason"), "word");
}

/* The lease once it is decided, or as it is at the end of the time; NULL: galernad does not know it
 * yet. */
static json_t *wait_for_decision(const struct client *client, int64_t id, int64_t wait)
{
    struct client patient = *client;
    const struct timespec pause = {.tv_nsec = LOOK_EVERY * 1000000L};
    json_t *lease = NULL;

    /* galernad may not have seen its new VMs when OpenNebula is slow. */
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
    printf("Lease %" PRId64 ": ", client_integer(lease, "lease"));
    table_print_text(stdout, client_text(lease, "activity"));
    printf(".\n");
    return strcmp(client_text(lease, "phase"), "refused") == 0 ? EXIT_REFUSED : EXIT_DONE;
}

static int report(const struct client *client, const json_t *answer, int64_t wait)
{
    int64_t id = client_integer(answer, "lease");
    const json_t *vms = json_object_get(answer, "vms");
    int code = EXIT_DONE;
    json_t *lease;

    if (!client->json) {
        printf("Lease %" PRId64 " requested: VM%s", id, json_array_size(vms) == 1 ? "" : "s");
        for (size_t i = 0; i < json_array_size(vms); i++)
            printf("%s %" PRId64, i ? "," : "",
                   (int64_t)json_integer_value(json_array_get(vms, i)));
        printf(".\n");
        fflush(stdout);
    }
    lease = wait_for_decision(client, id, wait);
    if (client->json) {
        json_t *document = json_copy(unqualified(answer));

        json_object_set(document, "decision", lease ? lease : json_null());
        code = client_print_json(client, document);
        json_decref(document);
        if (code == EXIT_DONE && lease && !strcmp(client_text(lease, "phase"), "refused"))
            code = EXIT_REFUSED;
    } else if (lease) {
        code = print_decision(lease);
    } else if (wait > 0) {
        printf("No decision yet; see 'galerna lease why %" PRId64 "'.\n", id);
    }
    json_decref(lease);
    return code;
}

static void finish_arguments(void *arguments)
{
    json_decref(((struct request_arguments *)arguments)->request);
}

const struct command_line lease_request_line = {
    .name = "galerna lease request",
    .summary = "Request a lease",
    .purpose = "Request a lease: VMs that start and stop together. galernad creates them in "
               "OpenNebula and decides; this command waits for the decision and prints it.",
    .groups = {OPTION_GROUP(request_options),
               {.row = term_option_requested, .offset = AT(terms)},
               CLIENT_GROUP},
    .notes = "TIME is +DURATION from now, 15:04 (the next time the clock shows it), '2026-11-21 "
             "15:04[:05]' in local time, or RFC 3339. DURATION is 90s, 30m, 1h30m, 2d, or "
             "HH:MM[:SS].",
    .codes = {{EXIT_DONE, "The request was accepted or is queued"},
              {EXIT_FAILED, "galernad does not answer or reports an error"},
              {EXIT_REFUSED, "The request was refused"}},
    .size = sizeof(struct request_arguments),
    .finish = finish_arguments,
};

static int ask_for_lease(void *context, const json_t *request)
{
    const struct request_arguments *arguments = context;
    int code;
    json_t *answer =
        client_ask(&arguments->client, "lease-request", json_deep_copy(request), &code);

    if (!answer)
        return code;
    code = arguments->dry_run ? print_trial(&arguments->client, answer)
                              : report(&arguments->client, answer, arguments->wait);
    json_decref(answer);
    return code;
}

int command_lease_request(const struct call *call)
{
    struct request_arguments *arguments = call->arguments;
    struct client *client = &arguments->client;
    struct error err;
    int code = finish_request(arguments, call->name);

    client->command = call->name;
    if (code >= 0)
        return code;
    if (arguments->when &&
        (arguments->start || arguments->latest || arguments->deadline || arguments->repeat.rule))
        return command_usage_error(call->name,
                                   "--when looks for the start: --start, --latest, --deadline and "
                                   "--repeat cannot be combined with it");
    if (arguments->when)
        return lease_when(client, arguments->request, arguments->earliest);
    if (lease_repeat_check(&arguments->repeat, arguments->at, &err) < 0)
        return command_usage_error(call->name, "%s", err.text);
    if (arguments->repeat.rule)
        return lease_repeat_ask_all(&arguments->repeat, arguments->at, arguments->request,
                                    client->json, ask_for_lease, arguments);
    return ask_for_lease(arguments, arguments->request);
}
