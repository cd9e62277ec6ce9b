/* The order of starts and moves when limits allow only few commands at a time. */
#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/reconcile.h"
#include "util/memory.h"

/* First the rest of started leases, since the VMs of a lease start together, then promised starts,
 * then by priority, then the users in turn: who has many VMs does not delay those who have few. */
static int compare_starts(const void *a, const void *b)
{
    const struct start *one = a, *other = b;

    if (one->urgency != other->urgency)
        return one->urgency < other->urgency ? -1 : 1;
    if (one->priority != other->priority)
        return one->priority > other->priority ? -1 : 1;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    if (one->vm->lease != other->vm->lease)
        return one->vm->lease < other->vm->lease ? -1 : 1;
    return one->vm->id < other->vm->id ? -1 : one->vm->id > other->vm->id;
}

static enum urgency urgency_of(const struct enactor *enactor, const struct lease_record *lease,
                               enum command command)
{
    static const enum urgency urgencies[] = {[LEASE_RESERVATION] = URGENCY_PROMISED,
                                             [LEASE_IMMEDIATE] = URGENCY_PROMISED,
                                             [LEASE_DEADLINE] = URGENCY_DEADLINE,
                                             [LEASE_BEST_EFFORT] = URGENCY_NONE};

    if (!lease || command_kinds[command].load != LOADS_HOST)
        return URGENCY_NONE;
    if (lease->phase == PHASE_STARTING && !reconcile_not_begun(enactor->daemon, lease))
        return URGENCY_BEGUN;
    return urgencies[lease->kind];
}

bool enactor_is_urgent(const struct enactor *enactor, const struct vm_record *vm,
                       enum command command)
{
    return urgency_of(enactor, store_lease(enactor->daemon->store, vm->lease), command) <=
           URGENCY_PROMISED;
}

void enactor_add_start(struct enactor *enactor, const struct vm_record *vm, enum command command)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    const struct start *last = enactor->n_starts ? &enactor->starts[enactor->n_starts - 1] : NULL;
    bool same = last && last->vm->lease == vm->lease && last->command == command;
    enum urgency urgency = same ? last->urgency : urgency_of(enactor, lease, command);

    enactor->starts = memory_grow(enactor->starts, &enactor->starts_allocated,
                                  enactor->n_starts + 1, sizeof *enactor->starts);
    enactor->starts[enactor->n_starts++] = (struct start){
        .vm = vm, .command = command, .urgency = urgency, .priority = lease ? lease->priority : 0};
}

int64_t *enactor_busy_of(struct enactor *enactor, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    int64_t user = lease ? lease->uid : -1;

    return map_value(&enactor->busy_users, map_add(&enactor->busy_users, user));
}

void enactor_sort_starts(struct enactor *enactor)
{
    struct start *starts = enactor->starts;

    if (!enactor->n_starts)
        return;
    qsort(starts, enactor->n_starts, sizeof *starts, compare_starts);
    for (size_t i = 0; i < enactor->n_starts; i++) {
        int64_t *before = enactor_busy_of(enactor, starts[i].vm);
        bool same = i > 0 && starts[i - 1].vm->lease == starts[i].vm->lease;

        starts[i].turn = same ? starts[i - 1].turn : *before;
        ++*before;
    }
    qsort(starts, enactor->n_starts, sizeof *starts, compare_starts);
}
