/* Lists the times at which a lease could begin. */
#include "core/start_times.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "util/memory.h"

static const struct reservation *vm_of_shutdown(const struct reservation *shutdown)
{
    const struct lease_plan *plan = shutdown->lease->plan;

    for (size_t i = plan->n_vms; i-- > 0;)
        for (size_t k = 0; k < plan->vms[i].after.n; k++)
            if (plan->vms[i].after.items[k] == shutdown)
                return plan->vms[i].vm;
    return NULL;
}

void start_times_add(struct start_times *times, int64_t at)
{
    MEMORY_GROW(times->items, times->allocated, times->n + 1);
    times->items[times->n++] = at;
}

void start_times_haizea(const struct engine *engine, int64_t after, struct start_times *times)
{
    const struct index_walk first = reservation_index_after(&engine->bookings.by_end, after);
    const struct index_entry *entry;

    for (struct index_walk walk = first; (entry = index_walk_next(&walk));)
        if (entry->reservation->kind == RESERVATION_VM)
            start_times_add(times, vm_plan_end(lease_plan_of(entry->reservation)));
    for (struct index_walk walk = first; (entry = index_walk_next(&walk));) {
        const struct reservation *r = entry->reservation;

        if (r->kind == RESERVATION_SHUTDOWN && vm_of_shutdown(r)->until <= after)
            start_times_add(times, r->until);
    }
}

void start_times_sorted(const struct engine *engine, int64_t after, int64_t latest,
                        struct start_times *times)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_end, after);
    const struct index_entry *entry;
    size_t n = 0;

    while ((entry = index_walk_next(&walk)) && entry->time <= latest)
        start_times_add(times, entry->time);
    qsort(times->items, times->n, sizeof *times->items, instant_compare);
    for (size_t i = 0; i < times->n; i++)
        if (n == 0 || times->items[i] != times->items[n - 1])
            times->items[n++] = times->items[i];
    times->n = n;
}

int64_t next_start_time(const struct engine *engine, int64_t after)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_end, after);
    const struct index_entry *next = index_walk_next(&walk);

    return next ? next->time : INSTANT_NEVER;
}
