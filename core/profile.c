/* Free resources of one host as a step function of time. */
#include "core/profile.h"

#include <stdlib.h>
#include <string.h>

#include "util/instant.h"
#include "util/memory.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { PROFILE_FIRST_ROOM = 8 };

/* Words of a column: for its points, and behind them for its parts. */
static uint32_t column_room(uint32_t points)
{
    return points + points / PROFILE_PART + 1;
}

/* Two neighbors of a column; unsigned, so that differences may wrap. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

void profile_init(struct profile *profile, const struct amounts *capacity)
{
    memset(profile, 0, sizeof *profile);
    profile->capacity = capacity;
    profile->allocated = PROFILE_FIRST_ROOM;
    profile->times = memory_new(column_room(PROFILE_FIRST_ROOM), sizeof *profile->times);
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

static void *copy_column(const void *column, const struct profile *src, uint32_t room)
{
    int64_t *copy = memory_new(column_room(room), sizeof *copy);

    memcpy(copy, (const int64_t *)column + src->head, (src->n - src->head) * sizeof *copy);
    return copy;
}

void profile_copy(struct profile *dst, const struct profile *src, const struct amounts *capacity)
{
    uint32_t n = src->n - src->head;

    *dst = *src;
    dst->capacity = capacity;
    dst->head = 0;
    dst->n = n;
    dst->n_parts = 0;
    dst->allocated = n < PROFILE_FIRST_ROOM ? PROFILE_FIRST_ROOM : n + n / 4;
    dst->times = copy_column(src->times, src, dst->allocated);
    dst->presence = copy_column(src->presence, src, dst->allocated);
    for (int i = 0; i < src->n_booked; i++)
        dst->free[src->booked[i]] = copy_column(src->free[src->booked[i]], src, dst->allocated);
}

uint64_t profile_mark(int64_t lease_id)
{
    uint64_t x = (uint64_t)lease_id + UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (x << 16) | 1;
}

/* --- scans ------------------------------------------------------------------------------------ */

/* The last point in [low, high) that begins at `at` or before. The halving is branch-free: the
 * branch would be unpredictable. */
static uint32_t halve(const int64_t *times, uint32_t low, uint32_t high, int64_t at)
{
    const int64_t *base = times + low;

    for (uint32_t left = high - low; left > 1;) {
        const uint32_t half = left / 2;

        base = base[half] <= at ? base + half : base;
        left -= half;
    }
    return (uint32_t)(base - times);
}

uint32_t profile_find(const struct profile *profile, int64_t at)
{
    /* Most queries are about now. */
    if (profile->head + 1 == profile->n || profile->times[profile->head + 1] > at)
        return profile->head;
    return halve(profile->times, profile->head + 1, profile->n, at);
}

/* The differences of 8 neighbors from need, or-ed (below) or and-ed (reaching): the sign bit tells
 * whether any is below, or whether none reaches need. */
uint32_t profile_first_below(const int64_t *column, uint32_t i, uint32_t end, int64_t need)
{
    const pair needs = {(uint64_t)need, (uint64_t)need};

    for (; i + 8 <= end; i += 8) {
        const pair *cells = (const pair *)(column + i);
        pair any =
            (cells[0] - needs) | (cells[1] - needs) | (cells[2] - needs) | (cells[3] - needs);

        if ((int64_t)(any[0] | any[1]) < 0)
            break;
    }
    while (i < end && column[i] >= need)
        i++;
    return i;
}

uint32_t profile_first_reaching(const int64_t *column, uint32_t i, uint32_t end, int64_t need)
{
    const pair needs = {(uint64_t)need, (uint64_t)need};

    for (; i + 8 <= end; i += 8) {
        const pair *cells = (const pair *)(column + i);
        pair all =
            (cells[0] - needs) & (cells[1] - needs) & (cells[2] - needs) & (cells[3] - needs);

        if ((int64_t)(all[0] & all[1]) >= 0)
            break;
    }
    while (i < end && column[i] < need)
        i++;
    return i;
}

void demand_init(struct demand *demand, const int64_t *amounts, int n_types, uint32_t negative)
{
    int n = 0;

    /* Written unconditionally: this runs for every host considered. */
    for (int type = 0; type < n_types; type++) {
        demand->types[n] = (uint8_t)type;
        demand->needs[n] = amounts[type];
        n += amounts[type] != 0 || (negative >> type & 1);
    }
    demand->n = n;
}

/* Bit k: cells[k] < need. */
static uint64_t bits_below(const int64_t *cells, uint32_t count, int64_t need)
{
    uint64_t bits = 0;

#ifdef __SSE2__
    const pair needs = {(uint64_t)need, (uint64_t)need};

    if (count & 1) {
        count--;
        bits = ((uint64_t)cells[count] - (uint64_t)need) >> 63;
    }
    for (; count; count -= 2) {
        const pair difference = *(const pair *)(cells + count - 2) - needs;

        bits = bits << 2 | (uint64_t)_mm_movemask_pd((__m128d)difference);
    }
    return bits;
#endif
    while (count--)
        bits = bits << 1 | ((uint64_t)cells[count] - (uint64_t)need) >> 63;
    return bits;
}

uint64_t profile_blocked(const struct profile *profile, const struct demand *demand, uint32_t times,
                         uint32_t i, uint32_t count)
{
    uint64_t bits = 0;

    for (int k = 0; k < demand->n; k++) {
        const int64_t *column = profile->free[demand->types[k]], need = demand->needs[k] * times;

        if (column)
            bits |= bits_below(column + i, count, need);
        else if (profile->capacity->of[demand->types[k]] < need)
            return ~UINT64_C(0);
    }
    return bits;
}

uint32_t profile_first_block(const struct profile *profile, const struct demand *demand, uint32_t i,
                             uint32_t end)
{
    for (int k = 0; k < demand->n && i < end; k++) {
        const int64_t *column = profile->free[demand->types[k]];

        if (column)
            end = profile_first_below(column, i, end, demand->needs[k]);
        else if (profile->capacity->of[demand->types[k]] < demand->needs[k])
            return i;
    }
    return end;
}

int64_t profile_fits_until(const struct profile *profile, const struct demand *demand,
                           uint32_t first)
{
    uint32_t block = profile_first_block(profile, demand, first, profile->n);

    if (block == first)
        return INSTANT_NONE;
    return block == profile->n ? INSTANT_NEVER : profile->times[block];
}

static int64_t least_among(const int64_t *column, uint32_t first, uint32_t end)
{
    int64_t least = column[first];

    for (uint32_t i = first + 1; i < end; i++)
        least = column[i] < least ? column[i] : least;
    return least;
}

void profile_summarize(struct profile *profile, uint32_t part)
{
    for (; profile->n_parts <= part && profile->n_parts < UINT16_MAX; profile->n_parts++) {
        const uint32_t first = profile->n_parts * PROFILE_PART;

        profile_starts(profile)[profile->n_parts] = profile->times[first];
        profile_starts(profile)[profile->n_parts + 1] = profile->times[first + PROFILE_PART];
        for (int i = 0; i < profile->n_booked; i++)
            profile_least(profile, profile->booked[i])[profile->n_parts] =
                least_among(profile->free[profile->booked[i]], first, first + PROFILE_PART);
    }
}

uint32_t profile_count(const struct profile *profile, const struct demand *demand, uint32_t first,
                       uint32_t last, uint32_t limit)
{
    int64_t count = limit;

    for (int k = 0; k < demand->n; k++) {
        const int64_t *column = profile->free[demand->types[k]], need = demand->needs[k];
        const int64_t least =
            column ? least_among(column, first, last) : profile->capacity->of[demand->types[k]];

        if (least < need)
            return 0;
        /* A division costs more than the scan. */
        if (need > 0 && least < need * count)
            count = least / need;
    }
    return (uint32_t)count;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* The places at which points are inserted or removed: one, or two with first <= second. */
struct places {
    uint32_t first, second;
    int n; /* 0, 1 (first) or 2 */
};

static void add_place(struct places *places, uint32_t at)
{
    if (places->n++)
        places->second = at;
    else
        places->first = places->second = at;
}

static void *grow_column(void *column, size_t room)
{
    size_t none = 0;

    return memory_grow(column, &none, column_room(room), sizeof(int64_t));
}

static void make_room(struct profile *profile, uint32_t more)
{
    if (profile->n + more <= profile->allocated)
        return;
    profile->allocated *= 2;
    profile->n_parts = 0;
    profile->times = grow_column(profile->times, profile->allocated);
    profile->presence = grow_column(profile->presence, profile->allocated);
    for (int i = 0; i < profile->n_booked; i++) {
        int64_t **column = &profile->free[profile->booked[i]];

        *column = grow_column(*column, profile->allocated);
    }
}

/* Moves n cells, usually so few that a function call would take longer than the move. */
static inline void move_cells(int64_t *to, const int64_t *from, uint32_t n)
{
    if (n > 4) {
        memmove(to, from, n * sizeof *to);
    } else if (n >= 2) {
        const pair first = *(const pair *)from, last = *(const pair *)(from + n - 2);

        *(pair *)to = first;
        *(pair *)(to + n - 2) = last;
    } else if (n) {
        *to = *from;
    }
}

/* Inserts a cell before each place, with the value of the cell before it. */
static void open_gaps(void *column, uint32_t n, const struct places *places)
{
    int64_t *cells = column;
    const uint32_t first = places->first, second = places->second;

    move_cells(cells + second + places->n, cells + second, n - second);
    if (places->n == 2) {
        move_cells(cells + first + 1, cells + first, second - first);
        cells[first] = cells[first - 1];
        cells[second + 1] = cells[second];
    } else {
        cells[first] = cells[first - 1];
    }
}

/* Removes the cells at the places. */
static void close_gaps(void *column, uint32_t n, const struct places *places)
{
    int64_t *cells = column;
    const uint32_t first = places->first, second = places->second;

    if (places->n == 2)
        move_cells(cells + first, cells + first + 1, second - first - 1);
    move_cells(cells + second + 1 - places->n, cells + second + 1, n - second - 1);
}

static void insert_points(struct profile *profile, const struct places *places)
{
    if (places->n == 0)
        return;
    make_room(profile, (uint32_t)places->n);
    open_gaps(profile->times, profile->n, places);
    open_gaps(profile->presence, profile->n, places);
    for (int i = 0; i < profile->n_booked; i++)
        open_gaps(profile->free[profile->booked[i]], profile->n, places);
    profile->n += (uint32_t)places->n;
}

static void remove_points(struct profile *profile, const struct places *places)
{
    if (places->n == 0)
        return;
    close_gaps(profile->times, profile->n, places);
    close_gaps(profile->presence, profile->n, places);
    for (int i = 0; i < profile->n_booked; i++)
        close_gaps(profile->free[profile->booked[i]], profile->n, places);
    profile->n -= (uint32_t)places->n;
}

static bool same_as_before(const struct profile *profile, uint32_t point)
{
    if (point <= profile->head || point >= profile->n ||
        profile->presence[point] != profile->presence[point - 1])
        return false;
    for (int i = 0; i < profile->n_booked; i++) {
        const int64_t *column = profile->free[profile->booked[i]];

        if (column[point] != column[point - 1])
            return false;
    }
    return true;
}

static void add_column(struct profile *profile, int type)
{
    int64_t *column = memory_new(column_room(profile->allocated), sizeof *column);

    for (uint32_t i = 0; i < profile->n; i++)
        column[i] = profile->capacity->of[type];
    profile->free[type] = column;
    profile->n_parts = 0;
    profile->booked[profile->n_booked++] = (uint8_t)type;
}

static uint32_t apply_amounts(struct profile *profile, const struct profile_change *change,
                              uint32_t first, uint32_t last)
{
    uint32_t negative = 0;

    for (int type = 0; type < change->n_types; type++) {
        int64_t amount = change->amounts[type] * change->sign, any = 0;
        int64_t *column;

        if (amount == 0)
            continue;
        if (!profile->free[type])
            add_column(profile, type);
        column = profile->free[type];
        for (uint32_t i = first; i < last; i++) {
            column[i] += amount;
            any |= column[i];
        }
        if (any < 0)
            negative |= UINT32_C(1) << type;
    }
    return negative;
}

/* The first point >= i that does not begin before `at`. A linear scan, since most intervals end
 * soon. */
static uint32_t first_not_before(const struct profile *profile, uint32_t i, int64_t at)
{
    const uint32_t soon = profile->n - i < 32 ? profile->n : i + 32;
    const uint32_t point = profile_first_reaching(profile->times, i, soon, at);

    return point < soon || soon == profile->n
               ? point
               : halve(profile->times, point - 1, profile->n, at - 1) + 1;
}

uint32_t profile_apply(struct profile *profile, const struct profile_change *change)
{
    const uint64_t mark = change->sign < 0 ? change->mark : -change->mark;
    uint32_t first = profile_find(profile, change->from), last = profile->n, negative;
    bool last_is_new = false;
    struct places come = {0}, go = {0};

    if (change->until != INSTANT_NEVER) {
        last = first_not_before(profile, first + 1, change->until);
        last_is_new = last == profile->n || profile->times[last] != change->until;
    }
    if (profile->times[first] != change->from) {
        add_place(&come, ++first);
        last++;
    }
    if (last_is_new)
        add_place(&come, last - (uint32_t)come.n);
    insert_points(profile, &come);
    profile->times[first] = change->from;
    if (last_is_new)
        profile->times[last] = change->until;

    if (first / PROFILE_PART < profile->n_parts)
        profile->n_parts = (uint16_t)(first / PROFILE_PART);
    negative = apply_amounts(profile, change, first, last);
    if (mark)
        for (uint32_t i = first; i < last; i++)
            profile->presence[i] += mark;
    if (same_as_before(profile, first))
        add_place(&go, first);
    if (same_as_before(profile, last))
        add_place(&go, last);
    remove_points(profile, &go);
    return negative;
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
        profile->n_parts = 0;
        profile->head = 0;
    }
}
