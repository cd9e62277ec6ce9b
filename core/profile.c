#include "core/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/instant.h"
#include "util/memory.h"

enum { PROFILE_FIRST_ROOM = 8 };

void profile_init(struct profile *profile, const struct amounts *capacity)
{
    memset(profile, 0, sizeof *profile);
    profile->capacity = capacity;
    profile->allocated = PROFILE_FIRST_ROOM;
    profile->times = memory_new(PROFILE_FIRST_ROOM, sizeof *profile->times);
    profile->presence = memory_new(PROFILE_FIRST_ROOM, sizeof *profile->presence);
    profile->times[0] = INT64_MIN;
    profile->n = 1;
}

void profile_finish(struct profile *profile)
{
    free(profile->times);
    free(profile->presence);
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        free(profile->free[type]);
}

uint64_t profile_mark(int64_t lease_id)
{
    uint64_t x = (uint64_t)lease_id + UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (x << 16) | 1;
}

uint32_t profile_find(const struct profile *profile, int64_t at)
{
    const int64_t *times = profile->times;
    uint32_t low = profile->head, high = profile->n;

    /* Most questions are about now: a few steps from the head. */
    for (int steps = 0; steps < 4; steps++) {
        if (low + 1 >= high || times[low + 1] > at)
            return low;
        low++;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (times[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t profile_first_below(const int64_t *column, uint32_t i, uint32_t end, int64_t need)
{
    /* Blocks of 8 whose differences are or-ed: the sign says if any is below. */
    for (; i + 8 <= end; i += 8) {
        int64_t any = 0;

        for (uint32_t k = 0; k < 8; k++)
            any |= column[i + k] - need;
        if (any < 0)
            break;
    }
    while (i < end && column[i] >= need)
        i++;
    return i;
}

static void *grow_column(void *column, size_t room)
{
    size_t none = 0;

    return memory_grow(column, &none, room, sizeof(int64_t));
}

static void make_room(struct profile *profile)
{
    if (profile->n < profile->allocated)
        return;
    profile->allocated *= 2;
    profile->times = grow_column(profile->times, profile->allocated);
    profile->presence = grow_column(profile->presence, profile->allocated);
    for (int i = 0; i < profile->n_booked; i++) {
        int64_t **column = &profile->free[profile->booked[i]];

        *column = grow_column(*column, profile->allocated);
    }
}

static void open_gap(void *column, uint32_t at, uint32_t n)
{
    int64_t *cells = column;

    memmove(cells + at + 1, cells + at, (n - at) * sizeof *cells);
    cells[at] = cells[at - 1];
}

static void close_gap(void *column, uint32_t at, uint32_t n)
{
    int64_t *cells = column;

    memmove(cells + at, cells + at + 1, (n - at - 1) * sizeof *cells);
}

/* Make sure a point stands at `at`; returns it. */
static uint32_t split(struct profile *profile, int64_t at)
{
    uint32_t point = profile_find(profile, at);

    if (profile->times[point] == at)
        return point;
    make_room(profile);
    point++;
    open_gap(profile->times, point, profile->n);
    open_gap(profile->presence, point, profile->n);
    for (int i = 0; i < profile->n_booked; i++)
        open_gap(profile->free[profile->booked[i]], point, profile->n);
    profile->times[point] = at;
    profile->n++;
    return point;
}

static bool same_as_before(const struct profile *profile, uint32_t point)
{
    if (profile->presence[point] != profile->presence[point - 1])
        return false;
    for (int i = 0; i < profile->n_booked; i++) {
        const int64_t *column = profile->free[profile->booked[i]];

        if (column[point] != column[point - 1])
            return false;
    }
    return true;
}

static void merge(struct profile *profile, uint32_t point)
{
    if (point <= profile->head || point >= profile->n || !same_as_before(profile, point))
        return;
    close_gap(profile->times, point, profile->n);
    close_gap(profile->presence, point, profile->n);
    for (int i = 0; i < profile->n_booked; i++)
        close_gap(profile->free[profile->booked[i]], point, profile->n);
    profile->n--;
}

static void add_column(struct profile *profile, int type)
{
    int64_t *column = memory_new(profile->allocated, sizeof *column);

    for (uint32_t i = 0; i < profile->n; i++)
        column[i] = profile->capacity->of[type];
    profile->free[type] = column;
    profile->booked[profile->n_booked++] = (uint8_t)type;
}

static void apply_amounts(struct profile *profile, const struct profile_change *change,
                          uint32_t first, uint32_t last)
{
    for (int type = 0; type < change->n_types; type++) {
        int64_t amount = change->amounts[type] * change->sign;

        if (amount == 0)
            continue;
        if (!profile->free[type])
            add_column(profile, type);
        for (uint32_t i = first; i < last; i++)
            profile->free[type][i] += amount;
    }
}

void profile_apply(struct profile *profile, const struct profile_change *change)
{
    uint32_t first = split(profile, change->from);
    uint32_t last = change->until == INSTANT_NEVER ? profile->n : split(profile, change->until);

    apply_amounts(profile, change, first, last);
    if (change->mark) {
        uint64_t mark = change->sign < 0 ? change->mark : -change->mark;

        for (uint32_t i = first; i < last; i++)
            profile->presence[i] += mark;
    }
    merge(profile, last);
    merge(profile, first);
}

void profile_advance(struct profile *profile, int64_t now)
{
    while (profile->head + 1 < profile->n && profile->times[profile->head + 1] <= now)
        profile->head++;
    if (profile->head >= PROFILE_FIRST_ROOM && profile->head >= profile->n / 2) {
        uint32_t head = profile->head;
        size_t bytes = (profile->n - head) * sizeof(int64_t);

        memmove(profile->times, profile->times + head, bytes);
        memmove(profile->presence, profile->presence + head, bytes);
        for (int i = 0; i < profile->n_booked; i++) {
            int64_t *column = profile->free[profile->booked[i]];

            memmove(column, column + head, bytes);
        }
        profile->n -= head;
        profile->head = 0;
    }
}
