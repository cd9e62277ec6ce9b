/* VMs whose extended forms the next polls must bring. */
#include <stdlib.h>

#include "daemon/control/services_question.h"
#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/live/lease_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

enum { LOOKED_AT_MOST = 20 /* running VMs with one poll, for their attribute */ };

/* VMs of running leases whose attribute was looked at longest ago, oldest first. */
struct looked_at {
    int64_t asked;
    int32_t vm;
};

static void keep_oldest(struct looked_at *oldest, size_t *n, struct looked_at seen)
{
    size_t at;

    if (*n == LOOKED_AT_MOST && oldest[*n - 1].asked <= seen.asked)
        return;
    at = *n < LOOKED_AT_MOST ? (*n)++ : *n - 1;
    for (; at > 0 && oldest[at - 1].asked > seen.asked; at--)
        oldest[at] = oldest[at - 1];
    oldest[at] = seen;
}

/* Their owners may have changed the attribute: a few are read with each poll. */
static size_t attributes_to_read(const struct daemon *daemon, struct looked_at *oldest)
{
    size_t n, n_oldest = 0;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = store_lease(daemon->store, vms[i]->lease);
        const struct vm_observation *observed;

        if (vms[i]->gone || !lease || lease->plain || !lease_can(lease, EVENT_CHANGED))
            continue;
        observed = world_vm(daemon->world, vms[i]->id);
        if (observed && observed->state != VM_PENDING)
            keep_oldest(oldest, &n_oldest, (struct looked_at){observed->full_asked, vms[i]->id});
    }
    return n_oldest;
}

static bool may_be_placed(const struct daemon *daemon, const struct vm_record *vm,
                          const struct vm_observation *observed, int64_t now)
{
    return observed->state != VM_PENDING &&
           (vm->suspended_by_us || observed->state == VM_HOLD ||
            vm->promise_state == PROMISE_UNANSWERED ||
            asked_hosts_have(&daemon->asked, vm->host, observed->history.cluster) ||
            rebalancing_asks(&daemon->rebalancing, observed->history.cluster) ||
            planner_leaves_by(daemon->planner, vm, now) != INSTANT_NONE ||
            planner_may_move(daemon->planner, store_lease(daemon->store, vm->lease)));
}

/* Nothing has changed since the last call, and the passing of time changes nothing. */
static bool is_the_same(struct daemon *daemon)
{
    const struct wanted_forms last = daemon->forms,
                              next = {.stirs = store_stirs(daemon->store),
                                      .changes = world_changes(daemon->world),
                                      .are_asked_for = daemon->drains.n || daemon->asked.drains.n ||
                                                       daemon->asked.has_cluster ||
                                                       daemon->rebalancing.n_asked};

    daemon->forms = next;
    return next.stirs == last.stirs && next.changes == last.changes && !next.are_asked_for &&
           !last.are_asked_for;
}

/* VMs that may be placed again need their extended form. One that was ended while galernad was off
 * is in no listing. */
void daemon_want_forms(struct daemon *daemon)
{
    size_t n, n_ids = 0, n_oldest;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);
    struct looked_at oldest[LOOKED_AT_MOST];
    int64_t now = clock_now();
    int32_t *ids;

    if (is_the_same(daemon))
        return;
    n_oldest = attributes_to_read(daemon, oldest);
    ids = memory_new(n + n_oldest, sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (!vms[i]->gone && (!observed || may_be_placed(daemon, vms[i], observed, now)))
            ids[n_ids++] = vms[i]->id;
    }
    for (size_t i = 0; i < n_oldest; i++)
        ids[n_ids++] = oldest[i].vm;
    world_want_full(daemon->world, ids, n_ids);
    free(ids);
    world_want_uses(daemon->world, daemon->asked.has_cluster || daemon->rebalancing.n_asked > 0 ||
                                       daemon->live->unused_after > 0);
}
