/* Free resources of one host as a step function of time. */
#include "core/profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/step_search.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/random.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { PROFILE_FIRST_ROOM = 8, CLEARLY_FEWER = 16 };

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
    uint64_t state = (uint64_t)lease_id;

    return (random_next(&state) << 16) | 1;
}

/* --- scans ------------------------------------------------------------------------------------ */

uint32_t profile_find(const struct profile *profile, int64_t at)
{
    /* Most queries are about now. */
    if (profile->head + 1 == profile->n || profile->times[profile->head + 1] > at)
        return profile->head;
    return profile->head + 1 +
           (uint32_t)step_at(profile->times + profile->head + 1, profile->n - profile->head - 1,
                             at);
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
    const uint32_t passed = profile->head / PROFILE_PART;

    if (profile->n_parts < passed)
        profile->n_parts = (uint16_t)(passed < UINT16_MAX ? passed : UINT16_MAX);
    for (; profile->n_parts <= part && profile->n_parts < UINT16_MAX; profile->n_parts++) {
        const uint32_t begin = profile->n_parts * PROFILE_PART, end = begin + PROFILE_PART;
        const uint32_t first = begin < profile->head ? profile->head : begin;

        profile_starts(profile)[profile->n_parts] = profile->times[first];
        profile_starts(profile)[profile->n_parts + 1] = profile->times[end];
        for (int i = 0; i < profile->n_booked; i++)
            profile_least(profile, profile->booked[i])[profile->n_parts] =
                least_among(profile->free[profile->booked[i]], first, end);
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
    uint32_t n; /* 0, 1 (first) or 2 */
    bool front; /* the points before them move, not those behind */
};

static void add_place(struct places *places, uint32_t at)
{
    if (places->n++)
        places->second = at;
    else
        places->first = places->second = at;
}

static void *move_column(void *column, const struct profile *profile, uint32_t head)
{
    size_t none = 0;
    int64_t *cells = memory_grow(column, &none, column_room(profile->allocated), sizeof(int64_t));

    memmove(cells + head, cells + profile->head, (profile->n - profile->head) * sizeof *cells);
    return cells;
}

/* Makes room for two more points, in larger columns unless half of the present ones is unused in
 * front of the head. Some of it is left there, for insertions at the front. */
static void make_room(struct profile *profile)
{
    const uint32_t used = profile->n - profile->head;
    uint32_t head;

    if (profile->n + 2 <= profile->allocated)
        return;
    if (profile->head < profile->allocated / 2)
        profile->allocated *= 2;
    head = (profile->allocated - used) / 4;
    profile->times = move_column(profile->times, profile, head);
    profile->presence = move_column(profile->presence, profile, head);
    for (int i = 0; i < profile->n_booked; i++) {
        int64_t **column = &profile->free[profile->booked[i]];

        *column = move_column(*column, profile, head);
    }
    profile->head = head;
    profile->n = head + used;
    profile->n_parts = 0;
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
static void open_gaps(const struct profile *profile, void *column, const struct places *places)
{
    int64_t *cells = column;
    const uint32_t first = places->first, second = places->second, n = places->n;

    if (places->front) {
        move_cells(cells + profile->head - n, cells + profile->head, first - profile->head);
        move_cells(cells + first - 1, cells + first, second - first);
        cells -= n;
    } else {
        move_cells(cells + second + n, cells + second, profile->n - second);
        move_cells(cells + first + 1, cells + first, second - first);
    }
    cells[first] = cells[first - 1];
    if (n == 2)
        cells[second + 1] = cells[second];
}

/* Removes the cells at the places. */
static void close_gaps(const struct profile *profile, void *column, const struct places *places)
{
    int64_t *cells = column;
    const uint32_t first = places->first, second = places->second, n = places->n;

    if (places->front) {
        if (n == 2)
            move_cells(cells + first + 2, cells + first + 1, second - first - 1);
        move_cells(cells + profile->head + n, cells + profile->head, first - profile->head);
    } else {
        if (n == 2)
            move_cells(cells + first, cells + first + 1, second - first - 1);
        move_cells(cells + second + 1 - n, cells + second + 1, profile->n - second - 1);
    }
}

/* Changes each column. The points before the places are moved if they are clearly fewer than those
 * behind: with few points, an unpredictable choice would cost more than it saves. */
static void change_places(struct profile *profile, struct places *places, int sign)
{
    void (*const change)(const struct profile *, void *, const struct places *) =
        sign > 0 ? open_gaps : close_gaps;

    if (places->n == 0)
        return;
    places->front = places->second - profile->head + CLEARLY_FEWER < profile->n - places->first &&
                    (sign < 0 || profile->head >= places->n);
    change(profile, profile->times, places);
    change(profile, profile->presence, places);
    for (int i = 0; i < profile->n_booked; i++)
        change(profile, profile->free[profile->booked[i]], places);
    if (places->front) {
        profile->head -= places->n * (uint32_t)sign;
        profile->n_parts = 0;
    } else {
        profile->n += places->n * (uint32_t)sign;
    }
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

/* Adds to n cells. Returns a negative number if one of them is. */
static int64_t add_to_cells(void *column, uint32_t n, uint64_t amount)
{
    const pair amounts = {amount, amount};
    uint64_t *cells = column, last = 0;
    pair any = {0, 0};

    for (; n >= 2; n -= 2, cells += 2) {
        *(pair *)cells += amounts;
        any |= *(pair *)cells;
    }
    if (n)
        last = *cells += amount;
    return (int64_t)(any[0] | any[1] | last);
}

static uint32_t apply_amounts(struct profile *profile, const struct profile_change *change,
                              uint32_t first, uint32_t last)
{
    uint32_t negative = 0;

    for (int type = 0; type < change->n_types; type++) {
        const int64_t amount = change->amounts[type] * change->sign;

        if (amount == 0)
            continue;
        if (!profile->free[type])
            add_column(profile, type);
        if (add_to_cells(profile->free[type] + first, last - first, (uint64_t)amount) < 0)
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
               : point +
                     (uint32_t)step_at(profile->times + point - 1, profile->n - point + 1, at - 1);
}

uint32_t profile_apply(struct profile *profile, const struct profile_change *change)
{
    const uint64_t mark = change->sign < 0 ? change->mark : -change->mark;
    uint32_t first, last, negative;
    bool last_is_new = false;
    struct places come = {0}, go = {0};

    make_room(profile);
    first = profile_find(profile, change->from);
    last = profile->n;
    if (change->until != INSTANT_NEVER) {
        last = first_not_before(profile, first + 1, change->until);
        last_is_new = last == profile->n || profile->times[last] != change->until;
    }
    if (profile->times[first] != change->from) {
        add_place(&come, ++first);
        last++;
    }
    if (last_is_new)
        add_place(&come, last - come.n);
    change_places(profile, &come, +1);
    if (come.front) {
        first -= come.n;
        last -= come.n;
    }
    profile->times[first] = change->from;
    if (last_is_new)
        profile->times[last] = change->until;

    if (first / PROFILE_PART < profile->n_parts)
        profile->n_parts = (uint16_t)(first / PROFILE_PART);
    negative = apply_amounts(profile, change, first, last);
    if (mark)
        add_to_cells(profile->presence + first, last - first, mark);
    if (same_as_before(profile, first))
        add_place(&go, first);
    if (same_as_before(profile, last))
        add_place(&go, last);
    change_places(profile, &go, -1);
    return negative;
}

void profile_advance(struct profile *profile, int64_t now)
{
    while (profile->head + 1 < profile->n && profile->times[profile->head + 1] <= now)
        profile->head++;
}
