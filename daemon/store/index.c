/* Records by id, found by their distance to the first or last id, or by bisection. */
#include "daemon/store/index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/search.h"

void store_index_init(struct store_index *index)
{
    memset(index, 0, sizeof *index);
}

void store_index_finish(struct store_index *index)
{
    free(index->records);
    free(index->ids);
    store_index_init(index);
}

/* The id's index in the sorted array, or the place to insert it. Ids are different integers, so the
 * distances to the first and the last one limit where it can be. */
static size_t place_of(const struct store_index *index, int64_t id)
{
    const int64_t *ids = index->ids;
    size_t low = 0, high = index->n - 1;

    if (index->n == 0 || ids[high] < id)
        return index->n;
    if (ids[0] >= id)
        return 0;
    if ((uint64_t)ids[high] - (uint64_t)id < high)
        low = high - (size_t)(ids[high] - id);
    if ((uint64_t)id - (uint64_t)ids[0] < high)
        high = (size_t)(id - ids[0]);
    if (ids[low] >= id)
        return low;
    return ids[high] == id
               ? high
               : low + search_place(&id, ids + low, high - low, sizeof *ids, search_by_number);
}

static bool is_there(const struct store_index *index, size_t place, int64_t id)
{
    return place < index->n && index->ids[place] == id;
}

void *store_index_find(const struct store_index *index, int64_t id)
{
    size_t place = place_of(index, id);

    return is_there(index, place, id) ? index->records[place] : NULL;
}

void store_index_add(struct store_index *index, int64_t id, void *record)
{
    size_t place = place_of(index, id), behind = index->n - place;

    MEMORY_GROW(index->records, index->records_allocated, index->n + 1);
    MEMORY_GROW(index->ids, index->ids_allocated, index->n + 1);
    memmove(index->records + place + 1, index->records + place, behind * sizeof *index->records);
    memmove(index->ids + place + 1, index->ids + place, behind * sizeof *index->ids);
    index->records[place] = record;
    index->ids[place] = id;
    index->n++;
}

void store_index_remove(struct store_index *index, int64_t id)
{
    size_t place = place_of(index, id), behind;

    if (!is_there(index, place, id))
        return;
    behind = index->n - place - 1;
    memmove(index->records + place, index->records + place + 1, behind * sizeof *index->records);
    memmove(index->ids + place, index->ids + place + 1, behind * sizeof *index->ids);
    index->n--;
}
