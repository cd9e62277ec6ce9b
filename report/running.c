/* Tracks runs that have begun and not ended. */
#include "report/running.h"

#include <stdlib.h>

#include "util/map.h"
#include "util/memory.h"

struct running {
    struct map runs; /* struct begun_run, by lease */
};

struct running *running_create(void)
{
    struct running *running = memory_new(1, sizeof *running);

    map_init(&running->runs, sizeof(struct begun_run));
    return running;
}

void running_destroy(struct running *running)
{
    if (!running)
        return;
    for (uint32_t i = 0; i < running->runs.n; i++)
        placement_destroy(((struct begun_run *)map_value(&running->runs, i))->placement);
    map_finish(&running->runs);
    free(running);
}

static void begin(struct running *running, const struct engine_output *output)
{
    int64_t lease = output->lease->request.id;
    struct begun_run *run = map_value(&running->runs, map_add(&running->runs, lease));

    placement_destroy(run->placement);
    *run = (struct begun_run){
        .lease = lease,
        .from = output->time,
        .placement = placement_share(output->reservation->placement),
    };
}

/* Does the lease still have the reservation of that run? Then the run was not lost. Another run may
 * begin in the same second. */
static bool is_kept(const struct lease *lease, const struct begun_run *run)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if (r->kind == RESERVATION_VM && r->from == run->from && r->placement == run->placement)
            return true;
    }
    return false;
}

bool running_note(struct running *running, const struct engine_output *output,
                  struct begun_run *lost)
{
    bool vm = output->reservation && output->reservation->kind == RESERVATION_VM;
    bool withdrawn = output->kind == OUTPUT_VM_WITHDRAWN;
    uint32_t number;
    struct begun_run *run;

    if (output->kind == OUTPUT_OPERATION_STARTED && vm)
        begin(running, output);
    if (!(output->kind == OUTPUT_OPERATION_ENDED && vm) && !withdrawn &&
        output->kind != OUTPUT_FINISHED)
        return false;
    number = map_find(&running->runs, output->lease->request.id);
    run = map_value(&running->runs, number);
    if (!run)
        return false;
    withdrawn = withdrawn && !is_kept(output->lease, run);
    if (withdrawn)
        *lost = *run;
    else
        placement_destroy(run->placement);
    map_remove(&running->runs, number);
    return withdrawn;
}
