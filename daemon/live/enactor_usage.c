/* Counts the capacity used on each host, by VMs and by commands on their way, and the operations,
 * and finds the departures from each. */
#include <string.h>

#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"

struct host_usage *enactor_usage_of(const struct enactor *enactor, int32_t id)
{
    const struct host *host = id < 0 ? NULL : host_pool_find(&enactor->hosts->pool, id);

    return host ? &enactor->usage[host - enactor->hosts->pool.items] : NULL;
}

bool enactor_on_its_way(const struct vm_record *vm, const struct vm_observation *observed)
{
    if (command_kinds[vm->last].load == LOADS_HOST)
        return true;
    return command_kinds[vm->command].load == LOADS_HOST &&
           (vm->in_flight || !observed || observed->asked <= vm->settled);
}

bool enactor_keeps_room(const struct daemon *daemon, const struct vm_record *vm,
                        const struct vm_observation *observed)
{
    if (daemon->live->enforce)
        return observed_holds_host(observed);
    return observed_uses_host(observed) ||
           (observed_holds_host(observed) && !(vm && vm->suspended_by_us));
}

/* A migrating VM needs room on both hosts. */
static void hold_other_host(const struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed)
{
    struct host_usage *usage = enactor_usage_of(enactor, move_other_host(vm, observed));

    if (!usage)
        return;
    usage->cpu += observed->cpu;
    usage->memory += observed->memory;
    usage->busy += observed_in_transition(observed);
}

static void count_operation(struct enactor *enactor, struct host_usage *usage,
                            const struct vm_record *vm, const struct vm_observation *observed)
{
    bool commanded = vm && vm->in_flight;

    if (!commanded && (!observed_in_transition(observed) || enactor_may_be_lost(enactor, observed)))
        return;
    if (!commanded && enactor_is_stuck(enactor, observed)) {
        usage->stuck++;
        usage->stuck_booting += observed_booting(observed);
        return;
    }
    usage->busy++;
    enactor->busy++;
    if (vm)
        ++*enactor_busy_of(enactor, vm);
}

void enactor_count_hosts(struct enactor *enactor)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    enactor->n_stuck = 0;
    memset(enactor->usage, 0, enactor->hosts->pool.n * sizeof *enactor->usage);
    for (size_t i = 0; i < enactor->hosts->pool.n; i++) {
        struct unread_room room;

        if (world_unread(enactor->daemon->world, &enactor->hosts->pool.items[i], &room)) {
            enactor->usage[i].cpu = room.cpu;
            enactor->usage[i].memory = room.memory;
        }
    }
    while ((observed = world_next(enactor->daemon->world, &cursor))) {
        const struct vm_record *vm = store_vm(enactor->daemon->store, observed->id);
        bool here = enactor_keeps_room(enactor->daemon, vm, observed);
        struct host_usage *usage;

        if (vm)
            enactor_note_operation(enactor, vm, observed);
        if (!here && vm && enactor_on_its_way(vm, observed))
            usage = enactor_usage_of(enactor, vm->host);
        else if (here)
            usage = enactor_usage_of(enactor, observed->history.host);
        else
            continue;
        if (!usage)
            continue;
        usage->cpu += observed->cpu;
        usage->memory += observed->memory;
        hold_other_host(enactor, vm, observed);
        count_operation(enactor, usage, vm, observed);
    }
}

void enactor_chain_departures(struct enactor *enactor)
{
    for (size_t i = enactor->n_due; i-- > 0;) {
        struct due_command *due = &enactor->due[i];
        const struct vm_observation *observed = world_vm(enactor->daemon->world, due->vm->id);
        struct host_usage *usage =
            command_kinds[due->command].load == LOADS_NOTHING && observed_holds_host(observed)
                ? enactor_usage_of(enactor, observed->history.host)
                : NULL;

        if (!usage)
            continue;
        due->next = usage->departures;
        usage->departures = i + 1;
    }
}
