/* Early ends: a heap of times and the current time of each lease. */
#include "adapters/simulation/early_ends.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/instant.h"
#include "util/map.h"
#include "util/memory.h"

struct end {
    int64_t lease;
    int64_t at;
};

struct early_ends {
    struct end *heap;
    size_t n_heap, heap_allocated;
    struct map current; /* each lease's time, int64_t */
};

struct early_ends *early_ends_create(void)
{
    struct early_ends *ends = memory_new(1, sizeof *ends);

    map_init(&ends->current, sizeof(int64_t));
    return ends;
}

void early_ends_destroy(struct early_ends *ends)
{
    if (!ends)
        return;
    free(ends->heap);
    map_finish(&ends->current);
    free(ends);
}

static bool before(const struct end *a, const struct end *b)
{
    return a->at != b->at ? a->at < b->at : a->lease < b->lease;
}

static void heap_add(struct early_ends *ends, struct end end)
{
    size_t place = ends->n_heap++;

    MEMORY_GROW(ends->heap, ends->heap_allocated, ends->n_heap);
    while (place > 0 && before(&end, &ends->heap[(place - 1) / 2])) {
        ends->heap[place] = ends->heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    ends->heap[place] = end;
}

static void heap_drop_first(struct early_ends *ends)
{
    struct end last = ends->heap[--ends->n_heap];
    size_t place = 0;

    for (;;) {
        size_t child = 2 * place + 1;

        if (child >= ends->n_heap)
            break;
        if (child + 1 < ends->n_heap && before(&ends->heap[child + 1], &ends->heap[child]))
            child++;
        if (!before(&ends->heap[child], &last))
            break;
        ends->heap[place] = ends->heap[child];
        place = child;
    }
    if (ends->n_heap)
        ends->heap[place] = last;
}

void early_ends_set(struct early_ends *ends, int64_t lease, int64_t at)
{
    uint32_t known = map_find(&ends->current, lease);
    int64_t *current = map_value(&ends->current, known);

    if (at == INSTANT_NEVER) {
        if (current)
            map_remove(&ends->current, known);
        return;
    }
    if (current && *current == at)
        return;
    if (!current)
        current = map_value(&ends->current, map_add(&ends->current, lease));
    *current = at;
    heap_add(ends, (struct end){.lease = lease, .at = at});
}

int64_t early_ends_first(struct early_ends *ends)
{
    while (ends->n_heap) {
        const struct end *top = &ends->heap[0];
        const int64_t *current = map_value(&ends->current, map_find(&ends->current, top->lease));

        if (current && *current == top->at)
            return top->at;
        heap_drop_first(ends);
    }
    return INSTANT_NEVER;
}

int64_t early_ends_take(struct early_ends *ends, int64_t at)
{
    int64_t lease;

    if (early_ends_first(ends) > at || ends->n_heap == 0)
        return 0;
    lease = ends->heap[0].lease;
    map_remove(&ends->current, map_find(&ends->current, lease));
    heap_drop_first(ends);
    return lease;
}
