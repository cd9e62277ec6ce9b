/* Sorted arrays of reservations by time. */
#include "core/reservation_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void reservation_index_finish(struct reservation_index *index)
{
    free(index->entries);
    memset(index, 0, sizeof *index);
}

/* The first place whose (time, order) is not before the given one. */
static size_t lower_bound(const struct reservation_index *index, int64_t time, uint64_t order)
{
    size_t low = 0, high = index->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct index_entry *entry = reservation_index_at(index, middle);

        if (entry->time < time || (entry->time == time && entry->order < order))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Ensures that there is room at the end. */
static void make_room(struct reservation_index *index)
{
    if (index->head + index->n < index->allocated)
        return;
    if (index->head > index->n) {
        memmove(index->entries, index->entries + index->head, index->n * sizeof *index->entries);
        index->head = 0;
        return;
    }
    index->entries = memory_grow(index->entries, &index->allocated, index->head + index->n + 1,
                                 sizeof *index->entries);
}

void reservation_index_insert(struct reservation_index *index, int64_t time,
                              struct reservation *reservation)
{
    size_t place = lower_bound(index, time, reservation->order);
    struct index_entry *first;

    if (index->head && place < index->n / 2) {
        first = &index->entries[--index->head];
        memmove(first, first + 1, place * sizeof *first);
    } else {
        make_room(index);
        first = &index->entries[index->head];
        memmove(first + place + 1, first + place, (index->n - place) * sizeof *first);
    }
    first[place] = (struct index_entry){time, reservation->order, reservation};
    index->n++;
}

void reservation_index_append(struct reservation_index *index, int64_t time,
                              struct reservation *reservation)
{
    make_room(index);
    index->entries[index->head + index->n++] =
        (struct index_entry){time, reservation->order, reservation};
    index->n_appended++;
}

static int by_time_and_order(const void *a, const void *b)
{
    const struct index_entry *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void reservation_index_settle(struct reservation_index *index)
{
    size_t n_added = index->n_appended, n_sorted = index->n - n_added, place = index->n;
    struct index_entry *entries, *added;

    if (!n_added)
        return;
    entries = index->entries + index->head;
    index->n_appended = 0;
    added = memory_copy(entries + n_sorted, n_added * sizeof *added);
    qsort(added, n_added, sizeof *added, by_time_and_order);
    while (n_added)
        entries[--place] =
            n_sorted && by_time_and_order(&entries[n_sorted - 1], &added[n_added - 1]) > 0
                ? entries[--n_sorted]
                : added[--n_added];
    free(added);
}

void reservation_index_remove(struct reservation_index *index, int64_t time,
                              const struct reservation *reservation)
{
    size_t place = lower_bound(index, time, reservation->order);
    struct index_entry *first = &index->entries[index->head];

    assert(place < index->n && first[place].reservation == reservation);
    index->n--;
    if (place <= index->n / 2) {
        memmove(first + 1, first, place * sizeof *first);
        index->head++;
    } else {
        memmove(first + place, first + place + 1, (index->n - place) * sizeof *first);
    }
}

size_t reservation_index_after(const struct reservation_index *index, int64_t time)
{
    return lower_bound(index, time, UINT64_MAX);
}
