/* galerna lease history, galerna lease cancel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/table.h"
#include "cli/time_words.h"

static void print_history_help(void)
{
    printf("usage: galerna lease history [OPTION]... [LEASE]\n\n"
           "Tell what happened to a lease, oldest first; without LEASE, what happened to all of\n"
           "them and to the daemon.\n\n"
           "  --limit N          the newest N events only (1000)\n");
    client_help();
    printf("\nExit code: 0 done, 1 there is no such lease or the daemon does not answer, 64 wrong\n"
           "command line.\n");
}

static int take_limit(void *context, const char *command, int letter, const char *value)
{
    char *end;
    long number = strtol(value, &end, 10);

    (void)letter;
    if (!*value || *end || number < 1 || number > 100000)
        return command_usage_error(command, "--limit %.60s: a number from 1 to 100000", value);
    json_object_set_new(context, "limit", json_integer(number));
    return -1;
}

static void print_events(const json_t *answer)
{
    static const struct table_column columns[] = {
        {"TIME", TABLE_LEFT}, {"LEASE", TABLE_RIGHT}, {"EVENT", TABLE_LEFT}, {"WHAT", TABLE_LEFT}};
    struct table *table = table_create(columns, 4);
    const json_t *event;
    size_t i;

    json_array_foreach(json_object_get(answer, "events"), i, event)
    {
        char at[TIME_WORDS_MAX], lease[24] = "";

        time_words_local(client_instant(event, "at"), at);
        if (json_is_integer(json_object_get(event, "lease")))
            snprintf(lease, sizeof lease, "%" PRId64, client_integer(event, "lease"));
        table_add(table, (const char *[]){at, lease, client_text(event, "event"),
                                          client_text(event, "text")});
    }
    /* Sentences are not cut: they are what the reader came for. */
    if (table_rows(table))
        table_print(table, stdout, 0);
    else
        printf("Nothing has happened yet.\n");
    table_destroy(table);
}

int command_lease_history(int argc, char **argv)
{
    static const struct option options[] = {
        {"limit", required_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    struct client client;
    json_t *request = json_object(), *answer;
    int code =
        client_parse(&client, argc, argv,
                     &(struct client_options){options, take_limit, request, print_history_help});
    int64_t id;

    if (code < 0 && argc - optind > 1)
        code = command_usage_error(argv[0], "expected the number of one lease, or none");
    if (code < 0 && optind < argc && (code = client_lease_number(&client, argv[optind], &id)) < 0)
        json_object_set_new(request, "lease", json_integer(id));
    if (code >= 0) {
        json_decref(request);
        return code;
    }
    answer = client_ask(&client, "lease-history", request, &code);
    return answer ? client_print(&client, answer, print_events) : code;
}

static void print_cancel_help(void)
{
    printf("usage: galerna lease cancel [OPTION]... LEASE...\n\n"
           "Give leases up: waiting ones leave the queue, running ones are ended.\n\n");
    client_help();
    printf(
        "\nExit code: 0 done, 1 a lease could not be cancelled or the daemon does not answer, 64\n"
        "wrong command line.\n");
}

static int cancel_one(const struct client *client, const char *text)
{
    json_t *answer;
    int64_t id;
    int code = client_lease_number(client, text, &id);

    if (code >= 0)
        return code;
    answer = client_ask(client, "lease-cancel", json_pack("{s:I}", "lease", (json_int_t)id), &code);
    if (!answer)
        return code;
    code = EXIT_DONE;
    if (client->json)
        code = client_print_json(client, answer);
    else
        printf("Lease %" PRId64 " is cancelled%s%s.\n", id,
               *client_text(answer, "phase") ? "; it is now " : "", client_text(answer, "phase"));
    json_decref(answer);
    return code;
}

int command_lease_cancel(int argc, char **argv)
{
    struct client client;
    int code =
        client_parse(&client, argc, argv, &(struct client_options){.help = print_cancel_help});
    int64_t id;

    if (code >= 0)
        return code;
    if (optind == argc)
        return command_usage_error(argv[0], "expected the number of a lease");
    /* Nothing is cancelled when one of the numbers is none. */
    for (int i = optind; i < argc; i++)
        if ((code = client_lease_number(&client, argv[i], &id)) >= 0)
            return code;
    code = EXIT_DONE;
    for (int i = optind; i < argc; i++) {
        int failed = cancel_one(&client, argv[i]);

        if (failed)
            code = failed;
    }
    return code;
}
