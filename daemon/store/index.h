/* index.h: records in ascending order of their ids.
 *
 * Holds pointers that it does not own. Ids are never negative.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct store_index {
    void **records;
    int64_t *ids; /* of records[i] */
    size_t n, records_allocated, ids_allocated;
};

void store_index_init(struct store_index *index);
void store_index_finish(struct store_index *index);

/* The record, or NULL. O(1) if no id between this one and the first or the last one is missing, else
 * O(log n). */
void *store_index_find(const struct store_index *index, int64_t id);

/* The id must be new. O(1) when it is the largest so far, else O(n). */
void store_index_add(struct store_index *index, int64_t id, void *record);

/* Unknown ids are allowed. O(n). */
void store_index_remove(struct store_index *index, int64_t id);
