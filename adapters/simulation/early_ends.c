#include "adapters/simulation/early_ends.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/instant.h"
#include "util/memory.h"

struct end {
    int64_t lease; /* 0: a free place of the table */
    int64_t at;
};

struct early_ends {
    struct end *heap;
    size_t n_heap, heap_allocated;
    struct end *table; /* open addressing, linear probing */
    size_t n_table, mask;
};

enum { TABLE_FIRST = 64 };

struct early_ends *early_ends_create(void)
{
    struct early_ends *ends = memory_new(1, sizeof *ends);

    ends->table = memory_new(TABLE_FIRST, sizeof *ends->table);
    ends->mask = TABLE_FIRST - 1;
    return ends;
}

void early_ends_destroy(struct early_ends *ends)
{
    if (!ends)
        return;
    free(ends->heap);
    free(ends->table);
    free(ends);
}

static size_t home(const struct early_ends *ends, int64_t lease)
{
    return (size_t)((uint64_t)lease * UINT64_C(0x9e3779b97f4a7c15) >> 20) & ends->mask;
}

/* The lease's place, or the free one where it belongs. */
static size_t find(const struct early_ends *ends, int64_t lease)
{
    size_t place = home(ends, lease);

    while (ends->table[place].lease && ends->table[place].lease != lease)
        place = (place + 1) & ends->mask;
    return place;
}

static void grow_table(struct early_ends *ends)
{
    struct end *old = ends->table;
    size_t n = ends->mask + 1;

    ends->mask = 2 * n - 1;
    ends->table = memory_new(2 * n, sizeof *ends->table);
    for (size_t i = 0; i < n; i++)
        if (old[i].lease)
            ends->table[find(ends, old[i].lease)] = old[i];
    free(old);
}

/* Take the entry at `place` out and move back what probing would no longer find. */
static void remove_at(struct early_ends *ends, size_t place)
{
    size_t next = place;

    for (;;) {
        next = (next + 1) & ends->mask;
        if (!ends->table[next].lease)
            break;
        if (((next - home(ends, ends->table[next].lease)) & ends->mask) >=
            ((next - place) & ends->mask)) {
            ends->table[place] = ends->table[next];
            place = next;
        }
    }
    ends->table[place].lease = 0;
    ends->n_table--;
}

static bool before(const struct end *a, const struct end *b)
{
    return a->at != b->at ? a->at < b->at : a->lease < b->lease;
}

static void heap_add(struct early_ends *ends, struct end end)
{
    size_t place = ends->n_heap++;

    ends->heap = memory_grow(ends->heap, &ends->heap_allocated, ends->n_heap, sizeof *ends->heap);
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
    size_t place = find(ends, lease);
    bool known = ends->table[place].lease != 0;

    if (at == INSTANT_NEVER) {
        if (known)
            remove_at(ends, place);
        return;
    }
    if (known && ends->table[place].at == at)
        return;
    if (!known)
        ends->n_table++;
    ends->table[place] = (struct end){.lease = lease, .at = at};
    heap_add(ends, ends->table[place]);
    if (2 * ends->n_table > ends->mask)
        grow_table(ends);
}

int64_t early_ends_first(struct early_ends *ends)
{
    while (ends->n_heap) {
        const struct end *top = &ends->heap[0], *now = &ends->table[find(ends, top->lease)];

        if (now->lease && now->at == top->at)
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
    remove_at(ends, find(ends, lease));
    heap_drop_first(ends);
    return lease;
}
