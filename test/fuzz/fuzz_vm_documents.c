/* Any bytes as a document with VMs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_hardware(const struct vm_hardware *hardware)
{
    if (hardware->n_devices > VM_DEVICES_MOST || hardware->n_nodes > VM_NODES_MOST ||
        hardware->page_size < 0 || hardware->threads < 0 || hardware->affinity < -1)
        abort();
    for (size_t i = 0; i < hardware->n_nodes; i++)
        if (hardware->nodes[i].cpus < 0 || hardware->nodes[i].memory < 0)
            abort();
}

static void check(const struct vm_pool *pool, const struct vm *vm)
{
    if (vm_pool_find(pool, vm->id) != vm)
        abort();
    if (vm->id < 0 || vm->cpu < 0 || vm->memory < 0 || vm->disk < 0 || vm->ran_for < 0)
        abort();
    if (!vm->name || !vm->user || !vm->group || !*vm->state_name)
        abort();
    if (vm->hardware)
        check_hardware(vm->hardware);
    if (!vm->is_extended && (vm->hardware || vm->template.n > 0 || vm->user_template.n > 0))
        abort();
    for (size_t i = 0; i < vm->user_template.n; i++)
        if (!*vm->user_template.items[i].name || !*vm->user_template.items[i].value)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vm_pool pool;
    struct error err;

    if (vm_pool_parse(&pool, (const char *)data, size, &err) < 0) {
        if (pool.n > 0 || pool.items || !*err.text)
            abort();
        return 0;
    }
    for (size_t i = 0; i < pool.n; i++)
        check(&pool, &pool.items[i]);
    if (pool.errors.n > 0 && !*pool.errors.first)
        abort();
    vm_pool_finish(&pool);
    return 0;
}
