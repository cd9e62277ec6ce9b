/* Free resources of one host as a step function of time. */
#include "core/profile.h"

#include <assert.h>
#include <stddef.h>
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

static void add_column(struct profile *profile, int type)
{
    int64_t *column = memory_new(column_room(profile->allocated), sizeof *column);

    for (uint32_t i = 0; i < profile->n; i++)
        column[i] = profile->capacity->of[type];
    profile->free[type] = column;
    profile->n_parts = 0;
    profile->booked[profile->n_booked++] = (uint8_t)type;
}

/* The columns, times first, and what a change adds to the cells of each. */
struct columns {
    uint32_t n;
    uint64_t *cells[2 + RESOURCE_TYPES_MAX];
    uint64_t amounts[2 + RESOURCE_TYPES_MAX];
};

static void add_to(struct columns *columns, void *cells, uint64_t amount)
{
    columns->cells[columns->n] = cells;
    columns->amounts[columns->n++] = amount;
}

static void list_columns(struct columns *columns, const struct profile *profile,
                         const struct profile_change *change)
{
    const uint64_t sign = (uint64_t)(int64_t)change->sign;

    columns->n = 0;
    add_to(columns, profile->times, 0);
    add_to(columns, profile->presence, -sign * change->mark);
    for (int i = 0; i < profile->n_booked; i++) {
        const int type = profile->booked[i];

        add_to(columns, profile->free[type],
               type < change->n_types ? (uint64_t)change->amounts[type] * sign : 0);
    }
}

/* Cells of each column that move by a few places. */
struct cells_move {
    uint32_t begin, end;
    int by;
};

static void move_cells(const struct columns *columns, const struct cells_move *move)
{
    const size_t bytes = (move->end - move->begin) * sizeof(uint64_t);

    for (uint32_t c = 0; c < columns->n; c++) {
        uint64_t *cells = columns->cells[c] + move->begin;

        memmove(cells + move->by, cells, bytes);
    }
}

/* Moves one or more cells by at most one place, and adds to them. Returns a negative number if one
 * of them then is. */
static int64_t move_and_add(uint64_t *cells, uint32_t n, int by, uint64_t amount)
{
    const pair amounts = {amount, amount};
    /* Two at a time, from the end on if they move up. The odd one that is left is also written if
     * there is none: a branch would be unpredictable. */
    const uint32_t odd = by > 0 ? 0 : n - 1;
    const uint64_t last = cells[odd] + amount;
    const int step = by > 0 ? -2 : 2;
    ptrdiff_t at = by > 0 ? (ptrdiff_t)n - 2 : 0;
    pair any = {last, last};

    for (uint32_t i = 0; i < n / 2; i++, at += step) {
        const pair sums = *(pair *)(cells + at) + amounts;

        *(pair *)(cells + at + by) = sums;
        any |= sums;
    }
    cells[(int)odd + by] = last;
    return (int64_t)(any[0] | any[1]);
}

/* Returns a bit for each resource type (1 << type) with a negative amount among the cells. */
static uint32_t move_and_add_all(const struct profile *profile, const struct columns *columns,
                                 const struct cells_move *move)
{
    uint32_t negative = 0;

    for (uint32_t c = 0; c < columns->n; c++)
        if (move_and_add(columns->cells[c] + move->begin, move->end - move->begin, move->by,
                         columns->amounts[c]) < 0 &&
            c >= 2 && columns->amounts[c])
            negative |= UINT32_C(1) << profile->booked[c - 2];
    return negative;
}

/* Will the state that begins at the point equal the one before it, when the amounts have been added
 * to it (sign 1) or to the one before it (-1)? */
static bool vanishes(const struct columns *columns, uint32_t point, int sign)
{
    for (uint32_t c = 1; c < columns->n; c++) {
        const uint64_t *cells = columns->cells[c] + point;

        if (cells[0] + columns->amounts[c] * (uint64_t)sign != cells[-1])
            return false;
    }
    return true;
}

/* The first point >= i that does not begin before `at`: counts the earlier ones, 8 at a time, by
 * the signs of their differences. A branch for each would be unpredictable. */
static uint32_t first_not_before(const struct profile *profile, uint32_t i, int64_t at)
{
    const pair ats = {(uint64_t)at, (uint64_t)at};

    for (; i + 8 <= profile->n; i += 8) {
        const pair *times = (const pair *)(profile->times + i);
        const pair earlier = ((times[0] - ats) >> 63) + ((times[1] - ats) >> 63) +
                             ((times[2] - ats) >> 63) + ((times[3] - ats) >> 63);

        if (earlier[0] + earlier[1] < 8)
            return i + (uint32_t)(earlier[0] + earlier[1]);
    }
    while (i < profile->n && profile->times[i] < at)
        i++;
    return i;
}

/* Prepares for a change; false: it changes nothing. */
static bool prepare(struct profile *profile, const struct profile_change *change)
{
    bool some = change->mark != 0;

    for (int type = 0; type < change->n_types; type++) {
        if (change->amounts[type] == 0)
            continue;
        if (!profile->free[type])
            add_column(profile, type);
        some = true;
    }
    if (some)
        make_room(profile);
    return some;
}

/* The states that a change affects, wholly or in part. At each end of it a point comes (1) if there
 * is none, or goes (-1) if the states before and behind it become equal. */
struct stretch {
    uint32_t first, last; /* [first, last) */
    int begin, end;
};

static struct stretch find_stretch(const struct profile *profile, const struct columns *columns,
                                   const struct profile_change *change, uint32_t first)
{
    struct stretch stretch = {.first = first, .last = profile->n};

    if (profile->times[first] != change->from)
        stretch.begin = 1;
    else if (first > profile->head && vanishes(columns, first, 1))
        stretch.begin = -1;
    if (change->until == INSTANT_NEVER)
        return stretch;
    stretch.last = first_not_before(profile, first + 1, change->until);
    if (stretch.last == profile->n || profile->times[stretch.last] != change->until)
        stretch.end = 1;
    else if (vanishes(columns, stretch.last, -1))
        stretch.end = -1;
    return stretch;
}

/* The points before the stretch move if they are clearly fewer than those behind: with few points,
 * an unpredictable choice would cost more than it saves. */
static void plan_moves(struct profile *profile, const struct stretch *stretch,
                       struct cells_move *inside, struct cells_move *outside)
{
    const int more = stretch->begin + stretch->end;
    const uint32_t first = stretch->first, last = stretch->last;

    if (first / PROFILE_PART < profile->n_parts)
        profile->n_parts = (uint16_t)(first / PROFILE_PART);
    if (first - profile->head + CLEARLY_FEWER < profile->n - last && (int)profile->head >= more) {
        *inside = (struct cells_move){first, last, -stretch->end};
        *outside = (struct cells_move){profile->head, first + (stretch->begin > 0), -more};
        profile->head -= (uint32_t)more;
        if (more)
            profile->n_parts = 0;
    } else {
        *inside = (struct cells_move){first, last, stretch->begin};
        *outside = (struct cells_move){last - (uint32_t)stretch->end, profile->n, more};
        profile->n += (uint32_t)more;
    }
}

uint32_t profile_apply(struct profile *profile, const struct profile_change *change, uint32_t point)
{
    const uint32_t from_head = point - profile->head;
    struct columns columns;
    struct cells_move inside, outside;
    struct stretch stretch;
    int64_t from;
    uint32_t negative;

    assert(profile->times[point] <= change->from &&
           (point + 1 == profile->n || profile->times[point + 1] > change->from));
    if (!prepare(profile, change))
        return 0;
    list_columns(&columns, profile, change);
    stretch = find_stretch(profile, &columns, change, profile->head + from_head);
    from = stretch.begin < 0 ? profile->times[stretch.first - 1] : change->from;
    plan_moves(profile, &stretch, &inside, &outside);
    /* The cells outside move before their places are taken, or after these have become free. */
    if (stretch.begin + stretch.end > 0)
        move_cells(&columns, &outside);
    negative = move_and_add_all(profile, &columns, &inside);
    if (stretch.begin + stretch.end < 0)
        move_cells(&columns, &outside);
    profile->times[(int)inside.begin + inside.by] = from;
    if (stretch.end > 0)
        profile->times[(int)inside.end + inside.by] = change->until;
    return negative;
}

void profile_advance(struct profile *profile, int64_t now)
{
    while (profile->head + 1 < profile->n && profile->times[profile->head + 1] <= now)
        profile->head++;
}
