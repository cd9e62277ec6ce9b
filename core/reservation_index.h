/* reservation_index.h: reservations ordered by a time, equal times by insertion
 * (reservation->order).
 *
 * Pieces of at most INDEX_PIECE entries are listed in a directory. Costs: find: O(log n) compares.
 * Insert, remove: the same and a memmove inside one piece; when a piece becomes full or empty, a
 * memmove of the directory behind it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/reservation.h"

enum { INDEX_PIECE = 64 };

struct index_entry {
    int64_t time;
    uint64_t order;
    struct reservation *reservation;
};

struct index_piece {
    struct index_entry first; /* a copy */
    struct index_entry *entries;
    uint32_t n; /* at least 1 */
};

struct reservation_index {
    struct index_piece *pieces;
    size_t n_pieces, allocated;
    size_t n; /* entries in all */
};

void reservation_index_finish(struct reservation_index *index);
void reservation_index_insert(struct reservation_index *index, int64_t time,
                              struct reservation *reservation);
void reservation_index_remove(struct reservation_index *index, int64_t time,
                              const struct reservation *reservation);

/* A walk over the entries in order, from the first one or from the first one after `time`. The
 * index must not change meanwhile. */
struct index_walk {
    const struct reservation_index *index;
    size_t piece;
    uint32_t entry;
};

struct index_walk reservation_index_first(const struct reservation_index *index);
struct index_walk reservation_index_after(const struct reservation_index *index, int64_t time);

/* The time of the first entry; INSTANT_NEVER if empty. */
int64_t reservation_index_first_time(const struct reservation_index *index);

/* The next entry; NULL at the end. */
static inline const struct index_entry *index_walk_next(struct index_walk *walk)
{
    for (; walk->piece < walk->index->n_pieces; walk->piece++, walk->entry = 0)
        if (walk->entry < walk->index->pieces[walk->piece].n)
            return &walk->index->pieces[walk->piece].entries[walk->entry++];
    return NULL;
}
