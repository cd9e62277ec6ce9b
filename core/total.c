/* Free CPU of the whole site over time, for quick refusals. */
#include "core/total.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/step_search.h"
#include "util/instant.h"
#include "util/memory.h"

enum { TOTAL_PIECE = 64 };

struct total_cells {
    uint32_t n;
    int64_t times[TOTAL_PIECE];
    int64_t amounts[TOTAL_PIECE];
};

/* A point: its piece, and its place in the piece. */
struct total_position {
    size_t piece;
    uint32_t cell;
};

static void make_room(struct total *total, size_t n)
{
    MEMORY_GROW(total->pieces, total->allocated, n);
    MEMORY_GROW(total->starts, total->starts_allocated, n);
}

/* Moves the pieces from `at` on to another place. */
static void move_pieces(struct total *total, size_t to, size_t at)
{
    memmove(total->pieces + to, total->pieces + at, (total->n - at) * sizeof *total->pieces);
    memmove(total->starts + to, total->starts + at, (total->n - at) * sizeof *total->starts);
    total->n = total->n - at + to;
}

void total_init(struct total *total, int64_t amount)
{
    memset(total, 0, sizeof *total);
    total->now = INT64_MIN;
    make_room(total, 1);
    total->starts[0] = INT64_MIN;
    total->pieces[0] = (struct total_piece){.least = amount};
    total->pieces[0].cells = memory_new(1, sizeof *total->pieces[0].cells);
    total->pieces[0].cells->n = 1;
    total->pieces[0].cells->times[0] = INT64_MIN;
    total->pieces[0].cells->amounts[0] = amount;
    total->n = 1;
}

void total_finish(struct total *total)
{
    for (size_t i = 0; i < total->n; i++)
        free(total->pieces[i].cells);
    free(total->pieces);
    free(total->starts);
}

/* The point whose amount holds at `at`. */
static struct total_position find(const struct total *total, int64_t at)
{
    struct total_position position = {.piece = step_at(total->starts, total->n, at)};
    const struct total_cells *cells = total->pieces[position.piece].cells;

    position.cell = (uint32_t)step_at(cells->times, cells->n, at);
    return position;
}

static int64_t least_of(const struct total_piece *piece, uint32_t first, uint32_t last)
{
    const int64_t *amounts = piece->cells->amounts;
    int64_t least = amounts[first];

    for (uint32_t i = first + 1; i < last; i++)
        least = amounts[i] < least ? amounts[i] : least;
    return least + piece->more;
}

/* Moves the second half of a full piece to a new piece. */
static void halve(struct total *total, size_t at)
{
    const uint32_t half = TOTAL_PIECE / 2;
    struct total_cells *cells = memory_new(1, sizeof *cells), *before;
    struct total_piece *piece;

    make_room(total, total->n + 1);
    move_pieces(total, at + 1, at);
    piece = &total->pieces[at];
    piece[0] = piece[1];
    before = piece->cells;
    cells->n = before->n - half;
    memcpy(cells->times, before->times + half, cells->n * sizeof *cells->times);
    memcpy(cells->amounts, before->amounts + half, cells->n * sizeof *cells->amounts);
    before->n = half;
    total->starts[at + 1] = cells->times[0];
    piece[1].cells = cells;
    piece[0].least = least_of(&piece[0], 0, half);
    piece[1].least = least_of(&piece[1], 0, cells->n);
}

/* Finds the point at `at`, which is created if necessary. The point in effect now counts as
 * beginning now. */
static struct total_position split(struct total *total, int64_t at)
{
    struct total_position position = find(total, at);
    struct total_cells *cells = total->pieces[position.piece].cells;
    uint32_t cell = position.cell + 1;

    if (cells->times[position.cell] == at || at == total->now)
        return position;
    if (cells->n == TOTAL_PIECE) {
        halve(total, position.piece);
        return split(total, at);
    }
    memmove(&cells->times[cell + 1], &cells->times[cell], (cells->n - cell) * sizeof(int64_t));
    memmove(&cells->amounts[cell + 1], &cells->amounts[cell], (cells->n - cell) * sizeof(int64_t));
    cells->times[cell] = at;
    cells->amounts[cell] = cells->amounts[cell - 1];
    cells->n++;
    position.cell = cell;
    return position;
}

static int64_t amount_at(const struct total *total, struct total_position position)
{
    const struct total_piece *piece = &total->pieces[position.piece];

    return piece->cells->amounts[position.cell] + piece->more;
}

static bool same_as_before(const struct total *total, struct total_position position)
{
    struct total_position before = position;

    if (position.cell) {
        before.cell--;
    } else {
        if (position.piece == 0)
            return false;
        before.piece--;
        before.cell = total->pieces[before.piece].cells->n - 1;
    }
    return amount_at(total, before) == amount_at(total, position);
}

/* Removes the point if the amount does not change there. */
static void merge(struct total *total, struct total_position position)
{
    struct total_piece *piece = &total->pieces[position.piece];
    struct total_cells *cells = piece->cells;
    uint32_t after = position.cell + 1;

    if (!same_as_before(total, position))
        return;
    memmove(&cells->times[after - 1], &cells->times[after], (cells->n - after) * sizeof(int64_t));
    memmove(&cells->amounts[after - 1], &cells->amounts[after],
            (cells->n - after) * sizeof(int64_t));
    if (--cells->n == 0) {
        free(cells);
        move_pieces(total, position.piece, position.piece + 1);
    } else if (position.cell == 0) {
        total->starts[position.piece] = cells->times[0];
        piece->least = least_of(piece, 0, cells->n);
    }
}

static void add_to(struct total_piece *piece, uint32_t first, uint32_t last, int64_t amount)
{
    if (first == 0 && last == piece->cells->n) {
        piece->more += amount;
        piece->least += amount;
        return;
    }
    for (uint32_t i = first; i < last; i++)
        piece->cells->amounts[i] += amount;
    if (amount > 0) {
        piece->least = least_of(piece, 0, piece->cells->n);
    } else {
        int64_t least = least_of(piece, first, last);

        piece->least = least < piece->least ? least : piece->least;
    }
}

void total_apply(struct total *total, int64_t from, int64_t until, int64_t amount)
{
    struct total_position first = split(total, from), at, end = {.piece = total->n};
    const size_t n = total->n;

    if (until != INSTANT_NEVER)
        end = split(total, until);
    if (total->n != n) /* a piece was halved, perhaps that of the first point */
        first = find(total, from);
    for (at = first; at.piece < end.piece; at.piece++, at.cell = 0)
        add_to(&total->pieces[at.piece], at.cell, total->pieces[at.piece].cells->n, amount);
    if (at.cell < end.cell)
        add_to(&total->pieces[end.piece], at.cell, end.cell, amount);
    if (until != INSTANT_NEVER)
        merge(total, end);
    merge(total, first);
}

int64_t total_least(const struct total *total, int64_t from, int64_t until)
{
    struct total_position first = find(total, from), last;
    int64_t least = amount_at(total, first);

    if (until <= from)
        return least;
    last = find(total, until - 1);
    for (; first.piece < last.piece; first.piece++, first.cell = 0) {
        const struct total_piece *piece = &total->pieces[first.piece];
        int64_t here = first.cell ? least_of(piece, first.cell, piece->cells->n) : piece->least;

        least = here < least ? here : least;
    }
    {
        int64_t here = least_of(&total->pieces[last.piece], first.cell, last.cell + 1);

        return here < least ? here : least;
    }
}

struct room {
    int64_t amount, span, before;
    int64_t begin; /* of the current stretch; INSTANT_NEVER: too little is free */
};

/* Scans a piece's points from `cell` on. True: the result is room->begin. */
static bool sweep(struct room *room, const struct total_piece *piece, uint32_t cell)
{
    const struct total_cells *cells = piece->cells;

    for (; cell < cells->n; cell++) {
        int64_t at = cells->times[cell];

        if (at >= room->before || at >= instant_add(room->begin, room->span))
            return true;
        if (cells->amounts[cell] + piece->more < room->amount)
            room->begin = INSTANT_NEVER;
        else if (room->begin == INSTANT_NEVER)
            room->begin = at;
    }
    return false;
}

int64_t total_earliest(const struct total *total, int64_t amount, int64_t from, int64_t span,
                       int64_t before)
{
    struct total_position first = find(total, from);
    struct room room = {amount, span, before, INSTANT_NEVER};

    if (amount_at(total, first) >= amount)
        room.begin = from;
    first.cell++;
    for (size_t i = first.piece; i < total->n; i++, first.cell = 0) {
        const struct total_piece *piece = &total->pieces[i];

        if (room.begin != INSTANT_NEVER && piece->least >= amount)
            continue;
        if (sweep(&room, piece, first.cell))
            break;
    }
    return room.begin < before ? room.begin : INSTANT_NEVER;
}

void total_advance(struct total *total, int64_t now)
{
    size_t gone = 0;

    total->now = now;
    while (gone + 1 < total->n && total->starts[gone + 1] <= now)
        free(total->pieces[gone++].cells);
    if (gone)
        move_pieces(total, 0, gone);
}
