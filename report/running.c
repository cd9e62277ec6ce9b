#include "report/running.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing; a place is empty when its hosts are NULL. */
struct running {
    struct run *places;
    size_t n_places; /* a power of two */
    size_t n_used;
};

struct running *running_create(struct error *err)
{
    struct running *running = calloc(1, sizeof *running);

    if (running) {
        running->n_places = 64;
        running->places = calloc(running->n_places, sizeof *running->places);
    }
    if (!running || !running->places) {
        running_destroy(running);
        error_set(err, ENOMEM, "no memory for the table of running leases");
        return NULL;
    }
    return running;
}

void running_destroy(struct running *running)
{
    int saved = errno;

    if (!running)
        return;
    for (size_t i = 0; running->places && i < running->n_places; i++)
        free(running->places[i].hosts);
    free(running->places);
    free(running);
    errno = saved;
}

static size_t home(const struct running *running, int64_t lease)
{
    return ((uint64_t)lease * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (running->n_places - 1);
}

/* The lease's place, or the empty one where it would go. */
static size_t find(const struct running *running, int64_t lease)
{
    size_t at = home(running, lease);

    while (running->places[at].hosts && running->places[at].lease != lease)
        at = (at + 1) & (running->n_places - 1);
    return at;
}

static int grow(struct running *running, struct error *err)
{
    struct running larger = {.n_places = running->n_places * 2, .n_used = running->n_used};

    larger.places = calloc(larger.n_places, sizeof *larger.places);
    if (!larger.places)
        return error_set(err, ENOMEM, "no memory for %zu running leases", larger.n_places);
    for (size_t i = 0; i < running->n_places; i++) {
        if (running->places[i].hosts)
            larger.places[find(&larger, running->places[i].lease)] = running->places[i];
    }
    free(running->places);
    *running = larger;
    return 0;
}

/* Empty a place and move up those that were pushed past it. */
static void clear(struct running *running, size_t gap)
{
    size_t mask = running->n_places - 1;

    running->n_used--;
    for (size_t at = (gap + 1) & mask; running->places[at].hosts; at = (at + 1) & mask) {
        size_t wanted = home(running, running->places[at].lease);

        if (((at - wanted) & mask) >= ((at - gap) & mask)) {
            running->places[gap] = running->places[at];
            gap = at;
        }
    }
    running->places[gap] = (struct run){0};
}

static int begin(struct running *running, const struct engine_output *output, struct error *err)
{
    const struct reservation *reservation = output->reservation;
    const struct placement *placement = reservation->placement;
    uint32_t *hosts;
    size_t at;

    if (running->n_used * 2 >= running->n_places && grow(running, err) < 0)
        return -1;
    hosts = malloc((placement->n_hosts ? placement->n_hosts : 1) * sizeof *hosts);
    if (!hosts)
        return error_set(err, ENOMEM, "lease %lld: no memory for its hosts",
                         (long long)output->lease->request.id);
    memcpy(hosts, placement->hosts, placement->n_hosts * sizeof *hosts);
    at = find(running, output->lease->request.id);
    if (!running->places[at].hosts)
        running->n_used++;
    free(running->places[at].hosts);
    running->places[at] = (struct run){
        .lease = output->lease->request.id,
        .from = output->time,
        .n_hosts = placement->n_hosts,
        .hosts = hosts,
    };
    return 0;
}

/* The lease kept the reservation of that run: nothing was lost. */
static bool is_kept(const struct lease *lease, int64_t from)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        if (lease->reservations[i]->kind == RESERVATION_VM && lease->reservations[i]->from == from)
            return true;
    }
    return false;
}

int running_note(struct running *running, const struct engine_output *output, struct run *lost,
                 struct error *err)
{
    bool vm = output->reservation && output->reservation->kind == RESERVATION_VM;
    bool withdrawn = output->kind == OUTPUT_VM_WITHDRAWN;
    size_t at;

    if (output->kind == OUTPUT_OPERATION_STARTED && vm)
        return begin(running, output, err);
    if (!(output->kind == OUTPUT_OPERATION_ENDED && vm) && !withdrawn &&
        output->kind != OUTPUT_FINISHED)
        return 0;
    at = find(running, output->lease->request.id);
    if (!running->places[at].hosts)
        return 0;
    withdrawn = withdrawn && !is_kept(output->lease, running->places[at].from);
    if (withdrawn)
        *lost = running->places[at];
    else
        free(running->places[at].hosts);
    clear(running, at);
    return withdrawn;
}
