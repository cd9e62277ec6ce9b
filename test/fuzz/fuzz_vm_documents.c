/* Any bytes as a document with VMs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/known_vms.h"
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

/* --- listed again and again ------------------------------------------------------------------- */

/* What is told of a listing, whatever the order of its VMs. */
struct told {
    uint64_t sum;
    size_t n;
};

static void batch(void *context, struct vm_pool *pool)
{
    struct told *told = context;

    for (size_t i = 0; i < pool->n; i++) {
        const struct vm *vm = &pool->items[i];

        told->sum += (uint64_t)(vm->id + 1) * 31 + (uint64_t)vm->state * 1009 +
                     (uint64_t)vm->cpu * 7 + (uint64_t)vm->memory * 13 +
                     (uint64_t)vm->history.host * 65537 + (uint64_t)vm->history.sequence * 17;
        told->n++;
    }
}

static int listed(struct known_vms *known, const uint8_t *data, size_t size, struct told *told)
{
    struct vm_batches batches = {.batch = batch, .context = told, .known = known};
    size_t half = size ? data[size - 1] % size : 0;
    struct error err;

    *told = (struct told){0};
    vm_batches_begin(&batches);
    vm_batches_feed(&batches, (const char *)data, half);
    vm_batches_feed(&batches, (const char *)data + half, size - half);
    return vm_batches_end(&batches, &err);
}

static void list_again(const uint8_t *data, size_t size)
{
    struct known_vms *known = known_vms_create();
    struct told first, again;

    if (listed(NULL, data, size, &first) == 0)
        for (int i = 0; i < 2; i++)
            if (listed(known, data, size, &again) < 0 || again.n != first.n ||
                again.sum != first.sum)
                abort();
    known_vms_destroy(known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vm_pool pool;
    struct error err;

    list_again(data, size);
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
