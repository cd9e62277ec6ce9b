/* galerna host rebalance. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/host_text.h"
#include "cli/table.h"

struct rebalance_arguments {
    struct client client; /* first: see CLIENT_GROUP */
    bool dry_run, drop;
};

#define AT(member) offsetof(struct rebalance_arguments, member)

static const struct command_option rebalance_options[] = {
    {"dry-run", .type = ARGUMENT_FLAG, .offset = AT(dry_run), .help = "Only show the plan"},
    {"drop", .type = ARGUMENT_FLAG, .offset = AT(drop),
     .help = "Drop the plan: moves that have not started are cancelled"},
};

static void print_moves(const json_t *moves)
{
    static const struct table_column columns[] = {{"VM", TABLE_RIGHT, 0},
                                                  {"LEASE", TABLE_RIGHT, 1},
                                                  {"FROM", TABLE_RIGHT, 0},
                                                  {"TO", TABLE_RIGHT, 0},
                                                  {"STATE", TABLE_LEFT, 0}};
    struct table *table = table_create(columns, 5);
    const json_t *move;
    size_t i;

    json_array_foreach(moves, i, move) {
        char vm[24], lease[24], from[24], to[24];

        snprintf(vm, sizeof vm, "%" PRId64, client_integer(move, "vm"));
        snprintf(lease, sizeof lease, "%" PRId64, client_integer(move, "lease"));
        snprintf(from, sizeof from, "%" PRId64, client_integer(move, "from"));
        snprintf(to, sizeof to, "%" PRId64, client_integer(move, "to"));
        table_add(table, (const char *[]){vm, lease, from, to, client_text(move, "state")});
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}

/* Only hosts whose use changes. */
static void print_hosts(const json_t *hosts)
{
    const json_t *host;
    size_t i;

    json_array_foreach(hosts, i, host) {
        double before = json_number_value(json_object_get(host, "before"));
        double after = json_number_value(json_object_get(host, "after"));

        if (fabs(before - after) >= 0.05)
            printf("Host %" PRId64 ": %.1f %% used, then %.1f %%\n", client_integer(host, "host"),
                   before, after);
    }
}

static void print_plan(const json_t *answer)
{
    const json_t *moves = json_object_get(answer, "moves");
    const char *state = client_text(answer, "state");
    int64_t unread = client_integer(answer, "unread_vms");

    printf("Cluster %" PRId64 " (", client_integer(answer, "cluster"));
    table_print_text(stdout, client_text(answer, "name"));
    printf("), policy %s, automation %s: ", client_text(answer, "policy"),
           client_text(answer, "automation"));
    if (!json_array_size(moves))
        printf("no VM needs to move.\n");
    else
        printf("the plan %s.\n", strcmp(state, "planned") == 0   ? "would move these VMs"
                                 : strcmp(state, "ready") == 0   ? "is ready to be applied"
                                 : strcmp(state, "applied") == 0 ? "is applied"
                                                                 : "is dropped");
    if (unread)
        printf("VMs that stay because their templates have not been read: %" PRId64 "\n", unread);
    if (!json_array_size(moves))
        return;
    print_moves(moves);
    print_hosts(json_object_get(answer, "hosts"));
}

const struct command_line host_rebalance_line = {
    .name = "galerna host rebalance",
    .summary = "Spread the VMs of a cluster over its hosts, or pack them",
    .purpose = "Plan moves of running VMs between the hosts of a cluster, to use the hosts evenly "
               "or to use fewer hosts (ONE_DRS in the template of the cluster), and apply the "
               "plan. If the cluster already has a plan, made at the interval of galerna.conf(5), "
               "that plan is applied. CLUSTER is a number or a name.",
    .operands = "CLUSTER",
    .groups = {OPTION_GROUP(rebalance_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success, even if no VM needs to move"},
              {EXIT_FAILED,
               "The cluster does not exist, has malformed ONE_DRS attributes or has no "
               "plan to drop, or galernad does not answer"}},
    .size = sizeof(struct rebalance_arguments),
};

int command_host_rebalance(const struct call *call)
{
    struct rebalance_arguments *arguments = call->arguments;
    json_t *cluster = host_operand(call->operands[0]);
    const char *action = arguments->drop ? "drop" : arguments->dry_run ? "show" : "apply";

    arguments->client.command = call->name;
    if (!cluster)
        return command_usage_error(call->name, "CLUSTER is not valid UTF-8");
    if (arguments->drop && arguments->dry_run) {
        json_decref(cluster);
        return command_usage_error(call->name, "--drop and --dry-run are mutually exclusive");
    }
    return client_show(&arguments->client, "host-rebalance",
                       json_pack("{s:o,s:s}", "cluster", cluster, "action", action), print_plan);
}
