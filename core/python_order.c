/* Follows CPython 2.7: insertion, probing and growth of its dictionaries. */
#include "core/python_order.h"

#include <stdlib.h>

#include "util/memory.h"

enum { SLOTS_AT_FIRST = 8, PERTURB_SHIFT = 5 };

/* Slots that are not in use have the VM `NO_VM`. */
static const uint32_t NO_VM = UINT32_MAX;

struct table {
    struct placed_vm *slots;
    size_t size; /* a power of two */
};

static void create(struct table *table, size_t size)
{
    table->slots = memory_new(size, sizeof *table->slots);
    table->size = size;
    for (size_t i = 0; i < size; i++)
        table->slots[i].vm = NO_VM;
}

/* The key of a VM is its number, counted from 1. */
static void insert(struct table *table, const struct placed_vm *vm)
{
    size_t i = (size_t)vm->vm + 1;

    for (size_t perturb = i; table->slots[i & (table->size - 1)].vm != NO_VM;
         perturb >>= PERTURB_SHIFT)
        i = 5 * i + perturb + 1;
    table->slots[i & (table->size - 1)] = *vm;
}

/* A table that is two thirds full grows to more than four times its entries. */
static void grow_if_full(struct table *table, size_t used)
{
    struct table old = *table;
    size_t size = SLOTS_AT_FIRST;

    if (3 * used < 2 * table->size)
        return;
    while (size <= 4 * used)
        size *= 2;
    create(table, size);
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i].vm != NO_VM)
            insert(table, &old.slots[i]);
    free(old.slots);
}

void order_as_python_lists(struct placed_vm *vms, uint32_t n)
{
    struct table table;
    uint32_t listed = 0;

    create(&table, SLOTS_AT_FIRST);
    for (uint32_t i = 0; i < n; i++) {
        insert(&table, &vms[i]);
        grow_if_full(&table, (size_t)i + 1);
    }
    for (size_t i = 0; i < table.size; i++)
        if (table.slots[i].vm != NO_VM)
            vms[listed++] = table.slots[i];
    free(table.slots);
}
