/* The order of commands when limits allow only few of them at a time. */
#include <stdlib.h>

#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/reconcile.h"
#include "util/memory.h"

/* First the rest of started leases, since the VMs of a lease start together, then promised starts
 * and what makes room for them, then by priority, then the users in turn: who starts or ends many
 * VMs does not delay those who have few. */
static int compare_due(const void *a, const void *b)
{
    const struct due_command *one = a, *other = b;

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

static enum urgency urgency_of_kind(const struct lease_record *lease)
{
    static const enum urgency urgencies[] = {[LEASE_RESERVATION] = URGENCY_PROMISED,
                                             [LEASE_IMMEDIATE] = URGENCY_PROMISED,
                                             [LEASE_DEADLINE] = URGENCY_DEADLINE,
                                             [LEASE_BEST_EFFORT] = URGENCY_NONE};

    return urgencies[lease->kind];
}

/* Has the lease so few VMs that they start together? */
static bool starts_at_once(const struct enactor *enactor, const struct lease_record *lease)
{
    size_t n;

    store_vms_of(enactor->daemon->store, lease->id, &n);
    return n <= (size_t)enactor->daemon->live->actions_in_all;
}

static enum urgency urgency_of(const struct enactor *enactor, const struct lease_record *lease,
                               enum command command)
{
    if (!lease || command_kinds[command].load != LOADS_HOST)
        return URGENCY_NONE;
    if (lease->phase == PHASE_STARTING && reconcile_may_have_begun(enactor->daemon, lease) &&
        starts_at_once(enactor, lease))
        return URGENCY_BEGUN;
    return urgency_of_kind(lease);
}

bool enactor_is_urgent(const struct enactor *enactor, const struct vm_record *vm,
                       enum command command)
{
    return urgency_of(enactor, store_lease(enactor->daemon->store, vm->lease), command) <=
           URGENCY_PROMISED;
}

/* The lease that an operation of the VM serves: its own, or that which the VM makes room for. */
static const struct lease_record *lease_served(const struct enactor *enactor,
                                               const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    const struct lease_record *other = NULL;

    if (lease && vm->goal != GOAL_RUN && store_is_preempted(lease))
        other = store_lease(enactor->daemon->store, lease->preempted_for);
    return other ? other : lease;
}

void enactor_add_due(struct enactor *enactor, const struct vm_record *vm, enum command command)
{
    const struct lease_record *lease = lease_served(enactor, vm);
    const struct due_command *last = enactor->n_due ? &enactor->due[enactor->n_due - 1] : NULL;
    bool same = last && last->vm->lease == vm->lease && last->command == command;
    bool makes_room = lease && lease->id != vm->lease;
    enum urgency urgency = same         ? last->urgency
                           : makes_room ? urgency_of_kind(lease)
                                        : urgency_of(enactor, lease, command);

    MEMORY_GROW(enactor->due, enactor->due_allocated, enactor->n_due + 1);
    enactor->due[enactor->n_due++] = (struct due_command){
        .vm = vm, .command = command, .urgency = urgency, .priority = lease ? lease->priority : 0};
}

int64_t *enactor_busy_of(struct enactor *enactor, const struct vm_record *vm)
{
    const struct lease_record *lease = lease_served(enactor, vm);
    int64_t user = lease ? lease->uid : -1;

    return map_value(&enactor->busy_users, map_add(&enactor->busy_users, user));
}

/* The VMs of a lease are in the same turn, up to the number that the limits allow at a time. */
void enactor_sort_due(struct enactor *enactor)
{
    struct due_command *due = enactor->due;
    int64_t first = 0, n_first = 0;

    if (!enactor->n_due)
        return;
    qsort(due, enactor->n_due, sizeof *due, compare_due);
    for (size_t i = 0; i < enactor->n_due; i++) {
        int64_t *before = enactor_busy_of(enactor, due[i].vm);

        if (i == 0 || due[i - 1].vm->lease != due[i].vm->lease ||
            n_first >= enactor->daemon->live->actions_in_all) {
            first = *before;
            n_first = 0;
        }
        due[i].turn = first;
        n_first++;
        ++*before;
    }
    qsort(due, enactor->n_due, sizeof *due, compare_due);
}
