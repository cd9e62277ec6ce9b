/* Selects the VMs whose extended forms (with their templates) the next polls must include. */
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/messages.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

enum { LOOKED_AT_MOST = 20 /* running VMs per poll, for their attributes */ };

/* A VM with its observation and its lease. */
struct looked_at {
    const struct vm_record *vm;
    const struct vm_observation *observed; /* NULL: not observed */
    const struct lease_record *lease;      /* NULL: unknown */
};

/* VMs whose forms are wanted: any number that may be placed again, and some of running leases,
 * those whose attribute was read longest ago, oldest first. */
struct wanted_vms {
    int32_t *ids;
    size_t n, n_oldest;
    struct oldest {
        int64_t asked;
        int32_t vm;
    } oldest[LOOKED_AT_MOST];
};

static void keep_oldest(struct wanted_vms *wanted, struct oldest seen)
{
    struct oldest *oldest = wanted->oldest;
    size_t *n = &wanted->n_oldest, at;

    if (*n == LOOKED_AT_MOST && oldest[*n - 1].asked <= seen.asked)
        return;
    at = *n < LOOKED_AT_MOST ? (*n)++ : *n - 1;
    for (; at > 0 && oldest[at - 1].asked > seen.asked; at--)
        oldest[at] = oldest[at - 1];
    oldest[at] = seen;
}

/* The owner may have changed the attribute, so a few VMs are read with each poll. */
static bool may_be_changed(const struct looked_at *one)
{
    return one->observed && one->observed->state != VM_PENDING && one->lease &&
           !one->lease->plain && lease_can(one->lease, EVENT_CHANGED);
}

bool asked_hosts_have(const struct asked_hosts *asked, int32_t host, int32_t cluster)
{
    return drains_of(&asked->drains, host) || (asked->has_cluster && cluster == asked->cluster);
}

/* A VM that ended while galernad was not running is in no list. */
static bool may_be_placed(const struct daemon *daemon, const struct looked_at *one, int64_t now)
{
    const struct vm_record *vm = one->vm;
    const struct vm_observation *observed = one->observed;

    if (!observed)
        return true;
    return observed->state != VM_PENDING &&
           (vm->suspended_by_us || observed->state == VM_HOLD ||
            vm->promise_state == PROMISE_UNANSWERED ||
            asked_hosts_have(&daemon->asked, vm->host, observed->history.cluster) ||
            rebalancing_asks(&daemon->rebalancing, observed->history.cluster) ||
            planner_leaves_by(daemon->planner, vm, now) != INSTANT_NONE ||
            (one->lease &&
             (store_is_preempted(one->lease) || planner_may_move(daemon->planner, one->lease))));
}

static struct looked_at looked_at(const struct daemon *daemon, const struct vm_record *vm)
{
    return (struct looked_at){vm, world_vm(daemon->world, vm->id),
                              store_lease(daemon->store, vm->lease)};
}

/* Plans need the forms of VMs that are to be placed: not of those that just run. */
static bool is_needed(const struct daemon *daemon, const struct looked_at *one, int64_t now)
{
    return (one->lease->phase != PHASE_STARTING && one->lease->phase != PHASE_RUNNING) ||
           !observed_running(one->observed) || one->observed->resched ||
           planner_is_asked(daemon->planner) || may_be_placed(daemon, one, now);
}

void daemon_pass_form(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    const struct looked_at one = looked_at(daemon, vm);

    if (!one.lease || !one.lease->plain || messages_differ(vm, one.observed->full))
        return;
    if (is_needed(daemon, &one, now))
        world_pass_form(daemon->world, vm->id);
    else
        world_drop_form(daemon->world, vm->id);
}

static void look_at(const struct daemon *daemon, const struct vm_record *vm, int64_t now,
                    struct wanted_vms *wanted)
{
    const struct looked_at one = looked_at(daemon, vm);

    if (may_be_placed(daemon, &one, now))
        wanted->ids[wanted->n++] = vm->id;
    if (may_be_changed(&one))
        keep_oldest(wanted, (struct oldest){one.observed->full_asked, vm->id});
}

/* Has nothing changed since the last call, and does the answer not depend on time? */
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

/* Requests the extended forms of VMs that may be placed again, and of a few running ones.
 * O(VMs). */
void daemon_want_forms(struct daemon *daemon)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);
    int64_t now = clock_now();
    struct wanted_vms wanted = {.n = 0};

    if (is_the_same(daemon))
        return;
    wanted.ids = memory_new(n + LOOKED_AT_MOST, sizeof *wanted.ids);
    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone)
            look_at(daemon, vms[i], now, &wanted);
    for (size_t i = 0; i < wanted.n_oldest; i++)
        wanted.ids[wanted.n++] = wanted.oldest[i].vm;
    world_want_full(daemon->world, wanted.ids, wanted.n);
    free(wanted.ids);
    world_want_uses(daemon->world, daemon->asked.has_cluster || daemon->rebalancing.n_asked > 0 ||
                                       daemon->live->unused_after > 0);
}
