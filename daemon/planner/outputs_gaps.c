/* Leases in gaps before others that are promised their hosts. */
#include <stdlib.h>

#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

struct start {
    int64_t at, lease;
};

/* Leases that the plan starts later, ascending. */
struct starts {
    struct start *items;
    size_t n;
    bool is_gathered;
};

static int compare(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->lease > y->lease) - (x->lease < y->lease);
}

static void gather(const struct planner *planner, struct starts *starts)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    starts->items = memory_new(n, sizeof *starts->items);
    for (size_t i = 0; i < n; i++) {
        const struct planned *planned = leases[i]->phase == PHASE_RESERVED
                                            ? planned_of(&planner->planned, leases[i]->id)
                                            : NULL;

        if (planned && planned->is_placed)
            starts->items[starts->n++] = (struct start){planned->start, leases[i]->id};
    }
    if (starts->n)
        qsort(starts->items, starts->n, sizeof *starts->items, compare);
    starts->is_gathered = true;
}

/* The lease that starts at `at` on one of the lease's hosts; -1: none. */
static int64_t next_on_hosts(const struct planner *planner, const struct starts *starts,
                             const struct lease_record *lease, int64_t at)
{
    size_t low = 0, high = starts->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (starts->items[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < starts->n && starts->items[low].at == at; low++)
        if (lease_shares_host(planner->store, starts->items[low].lease, lease->id))
            return starts->items[low].lease;
    return -1;
}

static void note_gap(struct planner *planner, struct starts *starts,
                     const struct plan_output *output, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, output->lease);
    const struct planned *planned = planned_of(&planner->planned, output->lease);
    int64_t next;

    if (!lease || !planned || planned->is_preempted || lease->preempted_at == output->at ||
        (lease->phase != PHASE_STARTING && lease->phase != PHASE_RUNNING))
        return;
    if (!starts->is_gathered)
        gather(planner, starts);
    next = next_on_hosts(planner, starts, lease, output->at);
    if (next < 0)
        return;
    planner_set_reason(
        planner, lease,
        &(struct reason){.id = REASON_SUSPENDED_FOR, .n = {next, output->reservation.until}});
    planner_note_preemption(planner, lease, next, output->at, now);
}

void planner_note_gaps(struct planner *planner, const struct plan_reply *reply, int64_t now)
{
    struct starts starts = {0};

    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];

        if ((output->kind == OUTPUT_OPERATION_STARTED || output->kind == OUTPUT_VM_INTERVAL) &&
            output->at != INSTANT_NONE)
            note_gap(planner, &starts, output, now);
    }
    free(starts.items);
}
