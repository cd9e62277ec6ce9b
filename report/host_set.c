/* Sorted sets of host ids, and their texts. */
#include "report/host_set.h"

#include <stdlib.h>

#include "core/reservation.h"
#include "util/memory.h"
#include "util/search.h"

void host_set_init(struct host_set *set)
{
    *set = (struct host_set){0};
}

void host_set_finish(struct host_set *set)
{
    free(set->ids);
    *set = (struct host_set){0};
}

void host_set_add(struct host_set *set, int64_t id)
{
    MEMORY_GROW(set->ids, set->allocated, set->n_ids + 1);
    set->ids[set->n_ids++] = id;
}

void host_set_sort(struct host_set *set)
{
    size_t kept = 0;

    if (set->n_ids == 0)
        return;
    qsort(set->ids, set->n_ids, sizeof *set->ids, search_by_number);
    for (size_t i = 1; i < set->n_ids; i++) {
        if (set->ids[i] != set->ids[kept])
            set->ids[++kept] = set->ids[i];
    }
    set->n_ids = kept + 1;
}

void host_set_of_lease(struct host_set *set, const struct site *site, const struct lease *lease)
{
    set->n_ids = 0;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct placement *placement = lease->reservations[i]->placement;

        if (lease->reservations[i]->kind != RESERVATION_VM)
            continue;
        for (uint32_t k = 0; k < placement->n_hosts; k++)
            host_set_add(set, site->hosts[placement->hosts[k]].id);
    }
    host_set_sort(set);
}

void host_set_write(const struct host_set *set, struct output *out)
{
    size_t first = 0;

    while (first < set->n_ids) {
        size_t last = first;

        while (last + 1 < set->n_ids && set->ids[last + 1] == set->ids[last] + 1)
            last++;
        if (first > 0)
            output_char(out, ' ');
        output_integer(out, set->ids[first]);
        if (last > first) {
            output_char(out, '-');
            output_integer(out, set->ids[last]);
        }
        first = last + 1;
    }
}
