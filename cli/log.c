/* galerna log: the levels of galernad's log. */
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/table.h"
#include "util/unqualified.h"

static void print_levels(const json_t *answer)
{
    static const struct table_column columns[] = {{"SUBSYSTEM", TABLE_LEFT, 0},
                                                  {"LEVEL", TABLE_LEFT, 0}};
    struct table *table = table_create(columns, 2);
    const json_t *levels = json_object_get(answer, "levels"), *level;
    const char *subsystem;

    json_object_foreach(unqualified(levels), subsystem, level)
        table_add(table, (const char *[]){subsystem, json_string_value(level)});
    table_show(table, 0, "There are no subsystems.");
}

/* LEVEL comes first; a subsystem is completed by the same words. */
static void offer_words(FILE *stream)
{
    fputs("error\nwarning\ninfo\ndebug\nconfigured\n", stream);
}

const struct command_line log_line = {
    .name = "galerna log",
    .summary = "Show or set the levels of the daemon's log",
    .purpose = "Show the log level of each subsystem of galernad: the least severe messages that "
               "it logs. With LEVEL (error, warning, info, debug), set the level of SUBSYSTEM, or "
               "of all subsystems, until galernad is restarted; 'configured' restores log-level of "
               "the configuration.",
    .operands = "[LEVEL [SUBSYSTEM]]",
    .groups = {CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .offer = offer_words,
    .size = sizeof(struct client),
};

int command_log(const struct call *call)
{
    struct client *client = call->arguments;
    json_t *request = json_object();

    client->command = call->name;
    if (call->n > 0)
        json_object_set_new(request, "level", json_string(call->operands[0]));
    if (call->n > 1)
        json_object_set_new(request, "subsystem", json_string(call->operands[1]));
    return client_show(client, call->n ? "log-set" : "log-levels", request, print_levels);
}
