/* galerna sandbox show: the hosts and VMs of the stand-in, or of a real daemon. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool.h"
#include "cli/command.h"
#include "cli/sandbox.h"
#include "cli/sandbox_client.h"
#include "cli/table.h"

struct show {
    struct sandbox_client client;
    bool json, all;
};

static void print_help(void)
{
    printf("usage: galerna sandbox show [OPTION]...\n\n"
           "List the hosts and VMs of the stand-in for OpenNebula, or of a real daemon.\n\n"
           "  --endpoint URL   the daemon; else as OpenNebula's own tools find it\n"
           "  --auth FILE      name:password; else as OpenNebula's own tools find it\n"
           "  --all            VMs that are DONE too\n"
           "  --json           print one JSON document instead\n\n"
           "Exit code: 0 done, 1 the daemon cannot be asked, 64 wrong command line.\n");
}

static int parse(struct show *show, int argc, char **argv)
{
    static const struct option options[] = {
        {"endpoint", required_argument, NULL, 'e'},
        {"auth", required_argument, NULL, 'a'},
        {"all", no_argument, NULL, 'A'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        switch (option) {
        case 'e':
            show->client.endpoint = optarg;
            break;
        case 'a':
            show->client.auth = optarg;
            break;
        case 'A':
            show->all = true;
            break;
        case 'j':
            show->json = true;
            break;
        case 'h':
            print_help();
            return EXIT_DONE;
        default:
            return command_usage_hint("galerna sandbox show"); /* getopt has said what is wrong */
        }
    if (optind < argc)
        return command_usage_error("galerna sandbox show", "unexpected argument '%.60s'",
                                   argv[optind]);
    return -1;
}

static void print_hosts(const struct host_pool *pool)
{
    static const struct table_column columns[] = {
        {"HOST", TABLE_RIGHT}, {"NAME", TABLE_ELASTIC}, {"STATE", TABLE_LEFT},
        {"CPU", TABLE_RIGHT},  {"MEMORY", TABLE_RIGHT}, {"VMS", TABLE_RIGHT},
    };
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];
        char id[16], cpu[48], memory[48], vms[24];

        snprintf(id, sizeof id, "%d", host->id);
        snprintf(cpu, sizeof cpu, "%.2f/%.2f", (double)host->cpu_usage / 100,
                 (double)host->cpu / 100);
        snprintf(memory, sizeof memory, "%" PRId64 "/%" PRId64, host->memory_usage, host->memory);
        snprintf(vms, sizeof vms, "%" PRId64, host->running_vms);
        table_add(table, (const char *const[]){id, host->name, host_state_name(host->state), cpu,
                                               memory, vms});
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}

static void print_vms(const struct vm_pool *pool)
{
    static const struct table_column columns[] = {
        {"VM", TABLE_RIGHT},     {"NAME", TABLE_ELASTIC},    {"USER", TABLE_LEFT},
        {"STATE", TABLE_LEFT},   {"HOST", TABLE_RIGHT},      {"CPU", TABLE_RIGHT},
        {"MEMORY", TABLE_RIGHT}, {"MESSAGE", TABLE_ELASTIC},
    };
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < pool->n; i++) {
        const struct vm *vm = &pool->items[i];
        char id[16], host[16] = "-", cpu[24], memory[24];
        const char *message = attributes_find(&vm->user_template, "SCHED_MESSAGE");

        snprintf(id, sizeof id, "%d", vm->id);
        if (vm->history.sequence >= 0)
            snprintf(host, sizeof host, "%d", vm->history.host);
        snprintf(cpu, sizeof cpu, "%.2f", (double)vm->cpu / 100);
        snprintf(memory, sizeof memory, "%" PRId64, vm->memory);
        table_add(table, (const char *const[]){id, vm->name, vm->user,
                                               vm_state_name(vm->state, vm->lcm_state), host, cpu,
                                               memory, message ? message : ""});
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}

static json_t *hosts_to_json(const struct host_pool *pool)
{
    json_t *list = json_array();

    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        json_array_append_new(
            list, json_pack("{s:i, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "id", host->id, "name",
                            host->name, "state", host_state_name(host->state), "cpu",
                            (json_int_t)host->cpu, "cpu-used", (json_int_t)host->cpu_usage,
                            "memory", (json_int_t)host->memory, "memory-used",
                            (json_int_t)host->memory_usage, "vms", (json_int_t)host->running_vms));
    }
    return list;
}

static json_t *vms_to_json(const struct vm_pool *pool)
{
    json_t *list = json_array();

    for (size_t i = 0; i < pool->n; i++) {
        const struct vm *vm = &pool->items[i];

        json_array_append_new(
            list,
            json_pack("{s:i, s:s, s:s, s:s, s:i, s:I, s:I, s:s?}", "id", vm->id, "name", vm->name,
                      "user", vm->user, "state", vm_state_name(vm->state, vm->lcm_state), "host",
                      vm->history.sequence >= 0 ? vm->history.host : -1, "cpu", (json_int_t)vm->cpu,
                      "memory", (json_int_t)vm->memory, "message",
                      attributes_find(&vm->user_template, "SCHED_MESSAGE")));
    }
    return list;
}

static void print_pools(const struct show *show, const struct host_pool *hosts,
                        const struct vm_pool *vms)
{
    json_t *document;

    if (show->json) {
        document = json_pack("{s:o, s:o}", "hosts", hosts_to_json(hosts), "vms", vms_to_json(vms));
        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(document);
        return;
    }
    print_hosts(hosts);
    putchar('\n');
    if (vms->n > 0)
        print_vms(vms);
    else
        printf("no VMs\n");
}

static int fetch_and_print(struct show *show, struct error *err)
{
    const struct rpc_argument range[] = {RPC_INT(-2), RPC_INT(-1), RPC_INT(-1),
                                         RPC_INT(show->all ? -2 : -1)};
    struct host_pool hosts = {0};
    struct vm_pool vms = {0};
    char *text = NULL;
    int result = -1;

    if (sandbox_client_call(&show->client, "one.hostpool.info", NULL, 0, &text, NULL, err) ||
        host_pool_parse(&hosts, text, strlen(text), err))
        goto out;
    free(text);
    text = NULL;
    if (sandbox_client_call(&show->client, "one.vmpool.infoextended", range, 4, &text, NULL, err) ||
        vm_pool_parse(&vms, text, strlen(text), err))
        goto out;
    print_pools(show, &hosts, &vms);
    result = 0;
out:
    free(text);
    vm_pool_finish(&vms);
    host_pool_finish(&hosts);
    return result;
}

int sandbox_show(int argc, char **argv)
{
    struct show show = {0};
    struct error err = {0};
    int code = parse(&show, argc, argv);

    if (code >= 0)
        return code;
    if (sandbox_client_open(&show.client, &err))
        return command_failed("galerna sandbox show", &err);
    code = fetch_and_print(&show, &err) ? command_failed("galerna sandbox show", &err) : EXIT_DONE;
    sandbox_client_close(&show.client);
    return code;
}
