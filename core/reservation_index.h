/* reservation_index.h: reservations in the order of a time, equal times in the order of insertion.
 *
 * Find: O(log n) compares. Insert, remove: the same and a memmove of 24 bytes per entry in front of
 * the place or behind it, whichever are fewer.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/reservation.h"

struct index_entry {
    int64_t time;
    uint64_t order;
    struct reservation *reservation;
};

struct reservation_index {
    struct index_entry *entries; /* entries[head] ... entries[head + n - 1] */
    size_t head, n, allocated;
    size_t n_appended; /* unsorted entries at the end */
};

void reservation_index_finish(struct reservation_index *index);
void reservation_index_insert(struct reservation_index *index, int64_t time,
                              struct reservation *reservation);
/* For bulk insertion: append all, then settle; no other calls in between. O(1) each, then O(n + k
 * log k) for k of them. */
void reservation_index_append(struct reservation_index *index, int64_t time,
                              struct reservation *reservation);
void reservation_index_settle(struct reservation_index *index);
void reservation_index_remove(struct reservation_index *index, int64_t time,
                              const struct reservation *reservation);

/* The place of the first entry later than `time`; n if none. */
size_t reservation_index_after(const struct reservation_index *index, int64_t time);

static inline const struct index_entry *reservation_index_at(const struct reservation_index *index,
                                                             size_t place)
{
    return &index->entries[index->head + place];
}
