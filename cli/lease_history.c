/* galerna lease history. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/table.h"
#include "util/time_text.h"

struct history_arguments {
    struct client client;
    int64_t limit;
};

static const struct command_option history_options[] = {
    {"limit", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = offsetof(struct history_arguments, limit), .otherwise = "1000", .least = 1,
     .most = 100000, .help = "Show only the newest N events"},
};

static void print_events(const json_t *answer)
{
    static const struct table_column columns[] = {{"TIME", TABLE_LEFT, 0},
                                                  {"LEASE", TABLE_RIGHT, 2},
                                                  {"EVENT", TABLE_LEFT, 1},
                                                  {"WHAT", TABLE_SENTENCE, 0}};
    struct table *table = table_create(columns, 4);
    const json_t *event;
    size_t i;

    json_array_foreach(json_object_get(answer, "events"), i, event) {
        char at[TIME_TEXT_MAX], lease[24] = "";

        time_text_local(client_instant(event, "at"), at, sizeof at);
        if (json_is_integer(json_object_get(event, "lease")))
            snprintf(lease, sizeof lease, "%" PRId64, client_integer(event, "lease"));
        table_add(table, (const char *[]){at, lease, client_text(event, "event"),
                                          client_text(event, "text")});
    }
    table_show(table, table_terminal_width(), "No events yet.");
}

const struct command_line lease_history_line = {
    .name = "galerna lease history",
    .summary = "Show the history of a lease",
    .purpose = "Show the events of a lease, oldest first. Without LEASE, show the events of all "
               "leases and of galernad itself.",
    .operands = "[LEASE]",
    .groups = {{.options = history_options, .n = 1}, CLIENT_GROUP},
    .codes = {CLIENT_LEASE_CODES},
    .offer = client_offer_leases,
    .size = sizeof(struct history_arguments),
};

int command_lease_history(const struct call *call)
{
    struct history_arguments *arguments = call->arguments;
    json_t *request;
    int64_t id;
    int code;

    arguments->client.command = call->name;
    if (call->n && (code = client_lease_number(&arguments->client, call->operands[0], &id)) >= 0)
        return code;
    request = json_pack("{s:I}", "limit", (json_int_t)arguments->limit);
    if (call->n)
        json_object_set_new(request, "lease", json_integer(id));
    return client_show(&arguments->client, "lease-history", request, print_events);
}
