#include "daemon/store/index.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/search.h"

enum { SLOTS_FIRST = 64, SLOT_FREE = -1 };

void store_index_init(struct store_index *index)
{
    memset(index, 0, sizeof *index);
}

void store_index_finish(struct store_index *index)
{
    free(index->slots);
    free(index->records);
    free(index->ids);
    store_index_init(index);
}

static size_t home(const struct store_index *index, int64_t id)
{
    return (size_t)(((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (index->n_slots - 1);
}

/* The slot of an id, or the free one where it belongs. */
static size_t slot_of(const struct store_index *index, int64_t id)
{
    size_t at = home(index, id);

    while (index->slots[at].id != SLOT_FREE && index->slots[at].id != id)
        at = (at + 1) & (index->n_slots - 1);
    return at;
}

static void make_slots(struct store_index *index)
{
    if (index->slots && 2 * (index->n + 1) <= index->n_slots)
        return;
    free(index->slots);
    index->n_slots = index->n_slots ? 2 * index->n_slots : SLOTS_FIRST;
    index->slots = memory_new(index->n_slots, sizeof *index->slots);
    for (size_t i = 0; i < index->n_slots; i++)
        index->slots[i].id = SLOT_FREE;
    for (size_t i = 0; i < index->n; i++)
        index->slots[slot_of(index, index->ids[i])] =
            (struct store_index_slot){index->ids[i], index->records[i]};
}

static int order_of_ids(const void *one, const void *two)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;

    return a < b ? -1 : a > b;
}

/* Where the id is in the ascending array, or would be. */
static size_t place_of(const struct store_index *index, int64_t id)
{
    if (index->n == 0 || index->ids[index->n - 1] < id)
        return index->n;
    return search_place(&id, index->ids, index->n, sizeof *index->ids, order_of_ids);
}

void *store_index_find(const struct store_index *index, int64_t id)
{
    size_t at;

    if (!index->slots || id < 0)
        return NULL;
    at = slot_of(index, id);
    return index->slots[at].id == id ? index->slots[at].record : NULL;
}

void store_index_add(struct store_index *index, int64_t id, void *record)
{
    size_t place = place_of(index, id), behind = index->n - place;

    make_slots(index);
    index->slots[slot_of(index, id)] = (struct store_index_slot){id, record};
    index->records = memory_grow(index->records, &index->records_allocated, index->n + 1,
                                 sizeof *index->records);
    index->ids = memory_grow(index->ids, &index->ids_allocated, index->n + 1, sizeof *index->ids);
    memmove(index->records + place + 1, index->records + place, behind * sizeof *index->records);
    memmove(index->ids + place + 1, index->ids + place, behind * sizeof *index->ids);
    index->records[place] = record;
    index->ids[place] = id;
    index->n++;
}

/* Linear probing has no gaps: what follows a freed slot moves up unless it is at home already. */
static void free_slot(struct store_index *index, size_t gap)
{
    size_t mask = index->n_slots - 1;

    for (size_t at = (gap + 1) & mask; index->slots[at].id != SLOT_FREE; at = (at + 1) & mask) {
        size_t from_home = (at - home(index, index->slots[at].id)) & mask;

        if (from_home >= ((at - gap) & mask)) {
            index->slots[gap] = index->slots[at];
            gap = at;
        }
    }
    index->slots[gap].id = SLOT_FREE;
}

void store_index_remove(struct store_index *index, int64_t id)
{
    size_t place = place_of(index, id), behind;

    if (!store_index_find(index, id))
        return;
    free_slot(index, slot_of(index, id));
    behind = index->n - place - 1;
    memmove(index->records + place, index->records + place + 1, behind * sizeof *index->records);
    memmove(index->ids + place, index->ids + place + 1, behind * sizeof *index->ids);
    index->n--;
}
