/* An index of reservations by time, in pieces. */
#include "core/reservation_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void reservation_index_finish(struct reservation_index *index)
{
    for (size_t i = 0; i < index->n_pieces; i++)
        free(index->pieces[i].entries);
    free(index->pieces);
    memset(index, 0, sizeof *index);
}

/* The place behind the last entry with that or an earlier time. */
static struct index_walk upper_bound(const struct reservation_index *index, int64_t time)
{
    struct index_walk walk = {.index = index};
    const struct index_entry *entries;

    if (!index->n_pieces)
        return walk;
    for (size_t left = index->n_pieces; left > 1; left -= left / 2)
        walk.piece += left / 2 * (index->pieces[walk.piece + left / 2].first.time <= time);
    entries = index->pieces[walk.piece].entries;
    for (uint32_t left = index->pieces[walk.piece].n; left > 1; left -= left / 2)
        walk.entry += left / 2 * (uint32_t)(entries[walk.entry + left / 2].time <= time);
    walk.entry += entries[walk.entry].time <= time;
    return walk;
}

static bool is_after(const struct index_entry *entry, int64_t time, uint64_t order)
{
    return entry->time > time || (entry->time == time && entry->order > order);
}

/* The entry of that time and order, which must be there. */
static struct index_walk find(const struct reservation_index *index, int64_t time, uint64_t order)
{
    struct index_walk walk = {.index = index};
    const struct index_entry *entries;

    for (size_t left = index->n_pieces; left > 1; left -= left / 2)
        if (!is_after(&index->pieces[walk.piece + left / 2].first, time, order))
            walk.piece += left / 2;
    entries = index->pieces[walk.piece].entries;
    for (uint32_t left = index->pieces[walk.piece].n; left > 1; left -= left / 2)
        if (!is_after(&entries[walk.entry + left / 2], time, order))
            walk.entry += left / 2;
    return walk;
}

struct index_walk reservation_index_first(const struct reservation_index *index)
{
    return (struct index_walk){.index = index};
}

struct index_walk reservation_index_after(const struct reservation_index *index, int64_t time)
{
    return upper_bound(index, time);
}

int64_t reservation_index_first_time(const struct reservation_index *index)
{
    return index->n ? index->pieces[0].first.time : INSTANT_NEVER;
}

/* Adds an empty piece at this place of the directory. */
static struct index_piece *add_piece(struct reservation_index *index, size_t place)
{
    struct index_piece *piece;

    MEMORY_GROW(index->pieces, index->allocated, index->n_pieces + 1);
    piece = &index->pieces[place];
    memmove(piece + 1, piece, (index->n_pieces++ - place) * sizeof *piece);
    *piece = (struct index_piece){.entries = memory_new(INDEX_PIECE, sizeof *piece->entries)};
    return piece;
}

/* Moves the second half of a full piece to a new piece. */
static void halve(struct reservation_index *index, size_t place)
{
    const uint32_t half = INDEX_PIECE / 2;
    struct index_piece *behind = add_piece(index, place + 1), *piece = behind - 1;

    piece->n = half;
    behind->n = INDEX_PIECE - half;
    memcpy(behind->entries, piece->entries + half, behind->n * sizeof *behind->entries);
    behind->first = behind->entries[0];
}

void reservation_index_insert(struct reservation_index *index, int64_t time,
                              struct reservation *reservation)
{
    struct index_walk at = upper_bound(index, time);
    struct index_piece *piece = index->n_pieces ? &index->pieces[at.piece] : add_piece(index, 0);
    struct index_entry *entry;

    if (piece->n == INDEX_PIECE) {
        halve(index, at.piece);
        piece = &index->pieces[at.piece];
        if (at.entry > piece->n) {
            at.entry -= piece->n;
            piece++;
        }
    }
    entry = &piece->entries[at.entry];
    memmove(entry + 1, entry, (piece->n++ - at.entry) * sizeof *entry);
    *entry = (struct index_entry){time, reservation->order, reservation};
    piece->first = piece->entries[0];
    index->n++;
}

void reservation_index_remove(struct reservation_index *index, int64_t time,
                              const struct reservation *reservation)
{
    const struct index_walk at = find(index, time, reservation->order);
    struct index_piece *piece = &index->pieces[at.piece];
    struct index_entry *entry = &piece->entries[at.entry];

    assert(entry->reservation == reservation);
    memmove(entry, entry + 1, (--piece->n - at.entry) * sizeof *entry);
    piece->first = piece->entries[0];
    index->n--;
    if (piece->n)
        return;
    free(piece->entries);
    memmove(piece, piece + 1, (--index->n_pieces - at.piece) * sizeof *piece);
}
