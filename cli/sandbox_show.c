/* galerna sandbox show: the hosts and VMs of the stand-in, or of a real daemon. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "adapters/opennebula/session.h"
#include "cli/command.h"
#include "cli/sandbox_client.h"
#include "cli/table.h"

static void print_hosts(const struct host_pool *pool)
{
    static const struct table_column columns[] = {
        {"HOST", TABLE_RIGHT, 0}, {"NAME", TABLE_ELASTIC, 0}, {"STATE", TABLE_LEFT, 0},
        {"CPU", TABLE_RIGHT, 1},  {"MEMORY", TABLE_RIGHT, 2}, {"VMS", TABLE_RIGHT, 3},
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
        table_add(table, (const char *const[]){id, host->name, host->state_name, cpu, memory, vms});
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}

static void print_vms(const struct vm_pool *pool)
{
    static const struct table_column columns[] = {
        {"VM", TABLE_RIGHT, 0},     {"NAME", TABLE_ELASTIC, 0},     {"USER", TABLE_LEFT, 2},
        {"STATE", TABLE_LEFT, 0},   {"HOST", TABLE_RIGHT, 0},       {"CPU", TABLE_RIGHT, 3},
        {"MEMORY", TABLE_RIGHT, 4}, {"MESSAGE", TABLE_SENTENCE, 1},
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
        table_add(table, (const char *const[]){id, vm->name, vm->user, vm->state_name, host, cpu,
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
                            host->name, "state", host->state_name, "cpu", (json_int_t)host->cpu,
                            "cpu-used", (json_int_t)host->cpu_usage, "memory",
                            (json_int_t)host->memory, "memory-used", (json_int_t)host->memory_usage,
                            "vms", (json_int_t)host->running_vms));
    }
    return list;
}

static json_t *vms_to_json(const struct vm_pool *pool)
{
    json_t *list = json_array();

    for (size_t i = 0; i < pool->n; i++) {
        const struct vm *vm = &pool->items[i];

        json_array_append_new(
            list, json_pack("{s:i, s:s, s:s, s:s, s:i, s:I, s:I, s:s?}", "id", vm->id, "name",
                            vm->name, "user", vm->user, "state", vm->state_name, "host",
                            vm->history.sequence >= 0 ? vm->history.host : -1, "cpu",
                            (json_int_t)vm->cpu, "memory", (json_int_t)vm->memory, "message",
                            attributes_find(&vm->user_template, "SCHED_MESSAGE")));
    }
    return list;
}

static void print_pools(const struct sandbox_show_arguments *show, const struct host_pool *hosts,
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

static int fetch_and_print(const struct call *call, struct error *err)
{
    const struct sandbox_show_arguments *show = call->arguments;
    struct host_pool hosts = {0};
    struct vm_pool vms = {0};
    int result = -1;

    if (session_hosts(show->client.rpc, &hosts, err) == 0 &&
        session_vms_in_full(show->client.rpc, show->all, &vms, err) == 0) {
        print_pools(show, &hosts, &vms);
        result = 0;
    }
    vm_pool_finish(&vms);
    host_pool_finish(&hosts);
    return result;
}

int command_sandbox_show(const struct call *call)
{
    return sandbox_client_run(call, fetch_and_print);
}
