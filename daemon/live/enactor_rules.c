/* Finds the present hosts of VMs in VM groups, to check the rules before a command is sent. */
#include "daemon/live/broken_rules.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"

/* The host where a VM is or to which it is being sent; -1 for a VM suspended by galernad. */
static int32_t host_at_present(void *context, int32_t id)
{
    const struct enactor *enactor = context;
    const struct vm_observation *observed = world_vm(enactor->daemon->world, id);
    const struct vm_record *vm = store_vm(enactor->daemon->store, id);

    if (observed && observed->present &&
        (observed_uses_host(observed) ||
         (observed_holds_host(observed) && !(vm && vm->suspended_by_us))))
        return observed->history.host;
    return vm && !vm->gone && enactor_on_its_way(vm, observed) ? vm->host : -1;
}

static int32_t cluster_at_present(void *context, int32_t id)
{
    const struct enactor *enactor = context;
    const struct host *host = host_pool_find(&enactor->hosts->pool, id);

    return host ? host->cluster : -1;
}

static int32_t other_host(void *context, int32_t id)
{
    const struct enactor *enactor = context;
    const struct vm_observation *observed = world_vm(enactor->daemon->world, id);

    return observed ? move_other_host(store_vm(enactor->daemon->store, id), observed) : -1;
}

static int32_t host_moved_to(void *context, int32_t id)
{
    const struct enactor *enactor = context;
    const struct vm_record *vm = store_vm(enactor->daemon->store, id);

    return vm && vm_moves(vm) ? vm->move_to : -1;
}

bool enactor_keeps_rules(struct enactor *enactor, const struct vm_record *vm, int32_t host)
{
    const struct rule_places places = {.host_of = host_at_present,
                                       .cluster_of = cluster_at_present,
                                       .next_host_of = host_moved_to,
                                       .other_host_of = other_host,
                                       .context = enactor};
    const struct vmgroups_seen *seen = world_vmgroups(enactor->daemon->world);

    return !seen || !would_break_rule(&seen->pool, &places, vm->id, host);
}
