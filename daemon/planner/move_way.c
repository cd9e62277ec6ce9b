/* Decides how a VM moves to another host: live, saved, or powered off. */
#include <string.h>

#include "daemon/planner/planner_inside.h"

static const struct host *find_host(const struct planner *planner, int32_t id)
{
    const struct hosts_seen *hosts = world_hosts(planner->world);

    return hosts ? host_pool_find(&hosts->pool, id) : NULL;
}

static bool differs(const struct host *one, const struct host *other, const char *name)
{
    const char *a = attributes_find(&one->attributes, name);
    const char *b = attributes_find(&other->attributes, name);

    return a && b && strcmp(a, b) != 0;
}

/* A VM with its host's CPU model can continue, or be restored, only on the same CPU. */
static bool misses_its_cpu(const struct planner *planner, const struct vm_record *vm,
                           const struct vm *form, int32_t to)
{
    const struct host *here = find_host(planner, vm->host), *there = find_host(planner, to);
    const char *model = attributes_find(&form->template, "CPU_MODEL/MODEL");

    if (!model || !here || !there)
        return false;
    if (strcmp(model, "host-passthrough") == 0 && differs(here, there, "MODELNAME"))
        return true;
    return (strcmp(model, "host-passthrough") == 0 || strcmp(model, "host-model") == 0) &&
           differs(here, there, "KVM_CPU_MODEL");
}

struct move_way planner_move_way(const struct planner *planner, const struct vm_record *vm,
                                 int32_t to, bool leaves)
{
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    enum move_kind cold = planner->settings.moves_off ? MOVE_OFF : MOVE_COLD;
    bool devices = observed && observed->hardware && observed->hardware->n_devices;

    if (!leaves)
        return planner->moves_cold
                   ? (struct move_way){MOVE_COLD, {"migration-mode", "cold (migration-mode)"}}
                   : (struct move_way){.kind = MOVE_LIVE};
    if (observed && observed->state == VM_UNKNOWN) /* OpenNebula saves nothing of such a VM */
        return (struct move_way){devices ? MOVE_OFF : MOVE_COLD,
                                 {"unknown", "to boot there, since OpenNebula cannot monitor it"}};
    if (observed && observed->state != VM_RUNNING)
        return (struct move_way){.kind = MOVE_COLD};
    if (devices)
        return (struct move_way){MOVE_OFF,
                                 {"devices", "powered off meanwhile, since VMs with PCI devices "
                                             "can neither migrate live nor be saved"}};
    if (observed && observed->full && misses_its_cpu(planner, vm, observed->full, to))
        return (struct move_way){MOVE_OFF,
                                 {"cpu-model",
                                  "powered off meanwhile, since it has the CPU model of its host "
                                  "(CPU_MODEL) and the new host has another"}};
    if (!planner->settings.live_rescheds)
        return (struct move_way){cold, {"live-rescheds", "cold (live-rescheds: no)"}};
    if (vm->live_failed)
        return (struct move_way){cold, {"live-failed", "cold, since its live migration failed"}};
    return (struct move_way){.kind = MOVE_LIVE};
}
