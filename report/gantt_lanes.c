/* Finds lanes for simultaneous boxes on one host. */
#include "report/gantt_lanes.h"

#include <stdlib.h>

#include "util/memory.h"

/* A piece for which a lane is searched. */
struct place {
    int64_t from, until, lease;
    uint32_t host;
    size_t piece;
};

struct lane {
    int64_t until, lease;
};

/* Orders by host, then by time; ties stay in the order of the boxes. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->piece > y->piece) - (x->piece < y->piece);
}

/* A free lane: the previous one of the lease or, if occupied, the first free one. */
static unsigned find_lane(const struct lane *lanes, unsigned n, const struct place *place)
{
    unsigned found = n;

    for (unsigned i = 0; i < n; i++) {
        if (lanes[i].until > place->from)
            continue;
        if (lanes[i].lease == place->lease)
            return i;
        if (found == n)
            found = i;
    }
    return found < GANTT_LANES_MAX ? found : GANTT_LANES_MAX - 1;
}

/* Lays out connected pieces of one host, of which each begins before all earlier ones have ended.
 * Returns their number. */
static size_t lay_out(struct gantt_lanes *lanes, const struct place *places, size_t n)
{
    struct lane open[GANTT_LANES_MAX];
    int64_t until = places[0].until;
    unsigned n_open = 0;
    size_t end = 0;

    while (end < n && places[end].host == places[0].host &&
           (end == 0 || places[end].from < until)) {
        const struct place *place = &places[end++];
        unsigned lane = find_lane(open, n_open, place);

        n_open = lane < n_open ? n_open : lane + 1;
        open[lane] = (struct lane){place->until, place->lease};
        lanes->pieces[place->piece].lane = (uint8_t)lane;
        until = place->until > until ? place->until : until;
    }
    for (size_t i = 0; i < end; i++)
        lanes->pieces[places[i].piece].lanes = (uint8_t)n_open;
    lanes->most = n_open > lanes->most ? n_open : lanes->most;
    return end;
}

static size_t list_places(struct place *places, const struct gantt_lanes *lanes,
                          const struct gantt_boxes *boxes, const bool *wanted)
{
    size_t n = 0;

    for (size_t i = 0; i < boxes->n_boxes; i++) {
        const struct gantt_box *box = &boxes->boxes[i];

        for (uint32_t host = 0; wanted[i] && host < box->count; host++)
            places[n++] = (struct place){box->from, box->until, box->lease, box->first + host,
                                         lanes->first[i] + host};
    }
    return n;
}

void gantt_lanes_init(struct gantt_lanes *lanes, const struct gantt_boxes *boxes,
                      const bool *wanted)
{
    struct place *places;
    size_t n = 0;

    *lanes = (struct gantt_lanes){.most = 1};
    lanes->first = memory_new(boxes->n_boxes, sizeof *lanes->first);
    for (size_t i = 0; i < boxes->n_boxes; i++) {
        lanes->first[i] = n;
        n += wanted[i] ? boxes->boxes[i].count : 0;
    }
    lanes->pieces = memory_new(n, sizeof *lanes->pieces);
    places = memory_new(n, sizeof *places);
    n = list_places(places, lanes, boxes, wanted);
    qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0; i < n;)
        i += lay_out(lanes, places + i, n - i);
    free(places);
}

void gantt_lanes_finish(struct gantt_lanes *lanes)
{
    free(lanes->pieces);
    free(lanes->first);
    *lanes = (struct gantt_lanes){0};
}
