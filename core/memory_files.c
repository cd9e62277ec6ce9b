/* The saved memory of VMs on the hosts' disks, for the disk usage figure. */
#include "core/memory_files.h"

#include "core/engine_state.h"

static void memory_file_add(struct engine *engine, struct lease *lease, uint32_t vm, uint32_t host)
{
    disk_files_add(&lease->plan->memory_files, (struct disk_file){vm, host},
                   lease_vm_memory(lease, vm), engine->figures.disk_used);
}

/* Removes the VM's file from the host; from any host unless memory_files_stay_behind. */
static void memory_file_remove(struct engine *engine, struct lease *lease, uint32_t vm,
                               uint32_t host)
{
    if (!engine->settings.behaviour.memory_files_stay_behind)
        host = DISK_ANY_HOST;
    disk_files_remove(&lease->plan->memory_files, (struct disk_file){vm, host},
                      lease_vm_memory(lease, vm), engine->figures.disk_used);
}

void memory_files_add(struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++)
        memory_file_add(engine, r->lease, r->placement->vms[i].vm, r->placement->vms[i].host);
}

void memory_files_remove(struct engine *engine, const struct reservation *r)
{
    const struct disk_files *files = &r->lease->plan->memory_files;

    for (uint32_t i = 0; !disk_files_are_none(files) && i < r->placement->n_vms; i++)
        memory_file_remove(engine, r->lease, r->placement->vms[i].vm, r->placement->vms[i].host);
}

void memory_files_move(struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        const struct placed_vm *move = &r->placement->vms[i];

        memory_file_remove(engine, r->lease, move->vm, move->from);
        memory_file_add(engine, r->lease, move->vm, move->host);
    }
}

void memory_files_drop(struct engine *engine, struct lease *lease)
{
    const struct disk_files *files = &lease->plan->memory_files;

    for (uint32_t vm = 0; !disk_files_are_none(files) && vm < lease->n_vms; vm++)
        memory_file_remove(engine, lease, vm, HOST_NONE);
}
