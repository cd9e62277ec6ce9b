#include "daemon/live/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/live/world_inside.h"
#include "daemon/log.h"
#include "util/memory.h"

/* --- observations
 * ----------------------------------------------------------------------------------- */

static size_t slot_of(const struct world *world, int32_t id)
{
    size_t mask = world->n_slots - 1;
    size_t place = ((uint32_t)id * UINT32_C(2654435761)) & mask;

    while (world->slots[place].used && world->slots[place].observed.id != id)
        place = (place + 1) & mask;
    return place;
}

void observations_grow(struct world *world)
{
    struct slot *old = world->slots;
    size_t n_old = world->n_slots;

    world->n_slots = n_old ? n_old * 2 : 1024;
    world->slots = memory_new(world->n_slots, sizeof *world->slots);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].used)
            world->slots[slot_of(world, old[i].observed.id)] = old[i];
    free(old);
}

struct vm_observation *observation_make(struct world *world, int32_t id)
{
    struct slot *slot;

    if ((world->n_observations + 1) * 2 > world->n_slots)
        observations_grow(world);
    slot = &world->slots[slot_of(world, id)];
    if (!slot->used) {
        slot->used = true;
        slot->observed = (struct vm_observation){.id = id, .history = {.sequence = -1, .host = -1}};
        world->n_observations++;
    }
    return &slot->observed;
}

const struct vm_observation *world_vm(const struct world *world, int32_t id)
{
    const struct slot *slot = &world->slots[slot_of(world, id)];

    return slot->used ? &slot->observed : NULL;
}

const struct vm_observation *world_next(const struct world *world, size_t *cursor)
{
    while (*cursor < world->n_slots) {
        const struct slot *slot = &world->slots[(*cursor)++];

        if (slot->used)
            return &slot->observed;
    }
    return NULL;
}

void world_drop(struct world *world, int32_t id)
{
    size_t mask = world->n_slots - 1, hole = slot_of(world, id);

    if (!world->slots[hole].used)
        return;
    world->n_observations--;
    world->slots[hole].used = false;
    for (size_t i = (hole + 1) & mask; world->slots[i].used; i = (i + 1) & mask) {
        struct slot moved = world->slots[i];

        world->slots[i].used = false;
        world->slots[slot_of(world, moved.observed.id)] = moved;
    }
}

/* The short form has no times: those known stay as long as nothing has changed. */
static void see_history(struct vm_observation *observed, const struct vm *vm, bool changed)
{
    const struct vm_history *old = &observed->history, *new = &vm->history;

    if (vm->is_extended || new->sequence < 0) {
        observed->history = *new;
        observed->has_times = true;
    } else if (changed || !observed->has_times || new->sequence != old->sequence ||
               new->host != old->host) {
        observed->history = *new;
        observed->has_times = false;
    }
}

void observation_see(struct world *world, const struct vm *vm, int64_t asked)
{
    struct vm_observation *observed = observation_make(world, vm->id);

    bool changed;

    if (asked < observed->asked)
        return;
    changed = observed->state != vm->state || observed->lcm_state != vm->lcm_state;
    if (changed || observed->asked == 0)
        observed->since = asked;
    observed->asked = asked;
    observed->state = vm->state;
    observed->lcm_state = vm->lcm_state;
    observed->present = vm->state != VM_DONE;
    observed->resched = vm->resched;
    observed->locked = vm->locked;
    observed->cpu = vm->cpu;
    observed->memory = vm->memory;
    observed->created = vm->stime;
    see_history(observed, vm, changed);
    observed->missing = 0;
    if (vm->is_extended && vm->n_records >= observed->n_records) {
        observed->n_records = vm->n_records;
        observed->ran_for = vm->ran_for;
    }
}

/* --- extended forms --------------------------------------------------------------------------- */

void full_forms_finish(struct full_forms *full)
{
    for (size_t i = 0; i < full->n; i++)
        vm_pool_finish(&full->pools[i].pool);
    free(full->pools);
    *full = (struct full_forms){0};
}

void full_forms_add(struct full_forms *full, const struct vm_pool *pool, int64_t asked)
{
    full->pools = memory_grow(full->pools, &full->allocated, full->n + 1, sizeof *full->pools);
    full->pools[full->n++] = (struct form_pool){*pool, asked};
}

void full_forms_use(struct world *world, const struct form_pool *forms)
{
    for (size_t i = 0; i < forms->pool.n; i++) {
        const struct vm *vm = &forms->pool.items[i];

        if (vm->is_extended) {
            struct vm_observation *observed = observation_make(world, vm->id);

            observed->full = vm;
            observed->full_seen = true;
        }
    }
}

/* What was asked for later goes behind: it is the one that counts. */
static void keep_later_forms(struct world *world)
{
    for (size_t i = 0; i < world->full.n; i++) {
        struct form_pool *forms = &world->full.pools[i];

        if (forms->asked > world->asked)
            full_forms_add(&world->full_next, &forms->pool, forms->asked);
        else
            vm_pool_finish(&forms->pool);
    }
    free(world->full.pools);
}

void full_forms_take(struct world *world)
{
    for (size_t i = 0; i < world->n_slots; i++)
        world->slots[i].observed.full = NULL;
    keep_later_forms(world);
    world->full = world->full_next;
    world->full_next = (struct full_forms){0};
    for (size_t i = 0; i < world->full.n; i++)
        full_forms_use(world, &world->full.pools[i]);
}
