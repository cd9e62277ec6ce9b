/* Records by id: a map for lookups, a sorted array for iteration. */
#include "daemon/store/index.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/search.h"

void store_index_init(struct store_index *index)
{
    memset(index, 0, sizeof *index);
    map_init(&index->by_id, sizeof(void *));
}

void store_index_finish(struct store_index *index)
{
    map_finish(&index->by_id);
    free(index->records);
    free(index->ids);
    store_index_init(index);
}

static int order_of_ids(const void *one, const void *two)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;

    return a < b ? -1 : a > b;
}

/* The id's index in the sorted array, or the place to insert it. */
static size_t place_of(const struct store_index *index, int64_t id)
{
    if (index->n == 0 || index->ids[index->n - 1] < id)
        return index->n;
    return search_place(&id, index->ids, index->n, sizeof *index->ids, order_of_ids);
}

void *store_index_find(const struct store_index *index, int64_t id)
{
    void *const *record = map_value(&index->by_id, map_find(&index->by_id, id));

    return record ? *record : NULL;
}

void store_index_add(struct store_index *index, int64_t id, void *record)
{
    size_t place = place_of(index, id), behind = index->n - place;

    *(void **)map_value(&index->by_id, map_add(&index->by_id, id)) = record;
    index->records = memory_grow(index->records, &index->records_allocated, index->n + 1,
                                 sizeof *index->records);
    index->ids = memory_grow(index->ids, &index->ids_allocated, index->n + 1, sizeof *index->ids);
    memmove(index->records + place + 1, index->records + place, behind * sizeof *index->records);
    memmove(index->ids + place + 1, index->ids + place, behind * sizeof *index->ids);
    index->records[place] = record;
    index->ids[place] = id;
    index->n++;
}

void store_index_remove(struct store_index *index, int64_t id)
{
    size_t place = place_of(index, id), behind;
    uint32_t number = map_find(&index->by_id, id);

    if (number == MAP_NONE)
        return;
    map_remove(&index->by_id, number);
    behind = index->n - place - 1;
    memmove(index->records + place, index->records + place + 1, behind * sizeof *index->records);
    memmove(index->ids + place, index->ids + place + 1, behind * sizeof *index->ids);
    index->n--;
}
