/* galerna lease list, galerna queue. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"
#include "core/instant.h"

struct list_arguments {
    json_t *request;
    bool start;
};

static void print_help(void)
{
    printf("usage: galerna lease list [OPTION]...\n\n"
           "List leases: those that run first, then reservations by their start, then the queue\n"
           "in its order. START is when a lease started or will; ~ marks an estimate.\n\n"
           "  --phase PHASE      only leases in this phase, such as waiting, reserved, running,\n"
           "                     parked, refused; may be given several times\n"
           "  --user NAME        only leases of this user\n"
           "  --all              those that are over too\n"
           "  --limit N          of those that are over and put away the newest N (1000)\n"
           "  --start            when each lease starts, and whether that is a contract or an\n"
           "                     estimate\n");
    client_help();
    printf("\nExit code: 0 done, 1 the daemon does not answer, 64 wrong command line.\n");
}

static int take_option(void *context, const char *command, int letter, const char *value)
{
    struct list_arguments *arguments = context;
    json_t *phases;
    char *end;
    long number;

    switch (letter) {
    case 'p':
        phases = json_object_get(arguments->request, "phase");
        if (!phases) {
            phases = json_array();
            json_object_set_new(arguments->request, "phase", phases);
        }
        json_array_append_new(phases, json_string(value));
        return -1;
    case 'u':
        json_object_set_new(arguments->request, "user", json_string(value));
        return -1;
    case 'a':
        json_object_set_new(arguments->request, "all", json_true());
        return -1;
    case 'l':
        number = strtol(value, &end, 10);
        if (!*value || *end || number < 0 || number > 10000)
            return command_usage_error(command, "--limit %.60s: a number from 0 to 10000", value);
        json_object_set_new(arguments->request, "limit", json_integer(number));
        return -1;
    default:
        arguments->start = true;
        return -1;
    }
}

static void add_lease(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], vms[24] = "", start[TIME_WORDS_MAX], duration[TIME_WORDS_MAX];

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    if (json_is_integer(json_object_get(lease, "vms")))
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
    lease_text_start(lease, now, start);
    time_words_span(client_span(lease, "duration"), duration);
    table_add(table, (const char *[]){id, client_text(lease, "name"), client_text(lease, "user"),
                                      client_text(lease, "kind"), client_text(lease, "phase"), vms,
                                      start, duration});
}

static void add_start(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], start[TIME_WORDS_MAX], relative[TIME_WORDS_MAX];
    int64_t at = lease_text_start_time(lease);
    const char *promise = client_text(lease, "promise");

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    time_words_local(at, start);
    time_words_relative(at, now, relative);
    if (client_instant(lease, "since") != INSTANT_NONE)
        promise = "started";
    else if (client_instant(lease, "was_expected") != INSTANT_NONE)
        promise = lease_text_is_contract(lease) ? "overdue" : "estimate, overdue";
    table_add(table, (const char *[]){id, client_text(lease, "name"), client_text(lease, "phase"),
                                      start, relative, promise});
}

static void print_list(const json_t *answer, bool start)
{
    static const struct table_column columns[] = {
        {"LEASE", TABLE_RIGHT}, {"NAME", TABLE_ELASTIC},  {"USER", TABLE_ELASTIC},
        {"KIND", TABLE_LEFT},   {"PHASE", TABLE_LEFT},    {"VMS", TABLE_RIGHT},
        {"START", TABLE_LEFT},  {"DURATION", TABLE_LEFT},
    };
    static const struct table_column start_columns[] = {
        {"LEASE", TABLE_RIGHT}, {"NAME", TABLE_ELASTIC}, {"PHASE", TABLE_LEFT},
        {"START", TABLE_LEFT},  {"IN", TABLE_LEFT},      {"PROMISE", TABLE_LEFT},
    };
    struct table *table = start ? table_create(start_columns, 6) : table_create(columns, 8);
    json_t *leases = lease_text_sorted(json_object_get(answer, "leases")), *lease;
    int64_t now = client_instant(answer, "now");
    size_t i;

    json_array_foreach(leases, i, lease)(start ? add_start : add_lease)(table, lease, now);
    if (table_rows(table))
        table_print(table, stdout, table_terminal_width());
    else
        printf("There are no such leases.\n");
    json_decref(leases);
    table_destroy(table);
}

int command_lease_list(int argc, char **argv)
{
    static const struct option options[] = {
        {"phase", required_argument, NULL, 'p'}, {"user", required_argument, NULL, 'u'},
        {"all", no_argument, NULL, 'a'},         {"limit", required_argument, NULL, 'l'},
        {"start", no_argument, NULL, 's'},       {NULL, 0, NULL, 0},
    };
    struct list_arguments arguments = {.request = json_object()};
    struct client client;
    int code = client_parse(&client, argc, argv,
                            &(struct client_options){options, take_option, &arguments, print_help});
    json_t *answer;

    if (code < 0 && optind < argc)
        code = command_usage_error(argv[0], "unknown argument '%.60s'", argv[optind]);
    if (code >= 0) {
        json_decref(arguments.request);
        return code;
    }
    answer = client_ask(&client, "lease-list", arguments.request, &code);
    if (!answer)
        return code;
    code = EXIT_DONE;
    if (client.json)
        code = client_print_json(&client, answer);
    else
        print_list(answer, arguments.start);
    json_decref(answer);
    return code;
}

static void print_queue_help(void)
{
    printf("usage: galerna queue [OPTION]...\n\n"
           "List the leases that wait, in the order in which they are considered, and why each\n"
           "waits. 'galerna lease why' tells more about one of them.\n\n");
    client_help();
    printf("\nExit code: 0 done, 1 the daemon does not answer, 64 wrong command line.\n");
}

static void print_queue(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"PLACE", TABLE_RIGHT}, {"LEASE", TABLE_RIGHT}, {"USER", TABLE_ELASTIC},
        {"VMS", TABLE_RIGHT},   {"PRIO", TABLE_RIGHT},  {"START", TABLE_LEFT},
        {"WHY", TABLE_ELASTIC},
    };
    struct table *table = table_create(columns, 7);
    int64_t now = client_instant(answer, "now");
    const json_t *lease;
    size_t i;

    json_array_foreach(json_object_get(answer, "leases"), i, lease)
    {
        char place[24], id[24], vms[24], priority[24], start[TIME_WORDS_MAX];

        snprintf(place, sizeof place, "%" PRId64, client_integer(lease, "position"));
        snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
        snprintf(priority, sizeof priority, "%" PRId64, client_integer(lease, "priority"));
        lease_text_start(lease, now, start);
        table_add(table,
                  (const char *[]){place, id, client_text(lease, "user"), vms, priority, start,
                                   client_text(json_object_get(lease, "reason"), "text")});
    }
    if (table_rows(table))
        table_print(table, stdout, table_terminal_width());
    else
        printf("No lease waits.\n");
    table_destroy(table);
}

int command_queue(int argc, char **argv)
{
    return client_run(argc, argv,
                      &(struct client_question){"queue", print_queue_help, print_queue});
}
