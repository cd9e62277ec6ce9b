/* Finds the VM for which a starting, stopping or ending lease waits: another VM still on its hosts,
 * or one of its own VMs that has not arrived. */

#include "daemon/live/daemon.h"
#include "daemon/live/reconcile.h"
#include "daemon/live/reconcile_inside.h"

const struct vm_record *reconcile_departing_vm(const struct daemon *daemon, int32_t host)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);

        if (vms[i]->host == host && !vms[i]->gone && vms[i]->goal != GOAL_RUN &&
            vms[i]->goal != GOAL_NONE && observed_holds_host(observed) &&
            observed->history.host == host)
            return vms[i];
    }
    return NULL;
}

const struct vm_record *reconcile_departing_vm_of_lease(const struct daemon *daemon,
                                                        const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    const struct vm_record *departing = NULL;

    for (size_t i = 0; i < n && !departing; i++)
        departing = vms[i]->gone ? NULL : reconcile_departing_vm(daemon, vms[i]->host);
    return departing;
}

/* When a VM that failed or was refused may get a command again; INSTANT_NONE: at any time. */
static int64_t paused_until(const struct vm_record *vm, int64_t now)
{
    int64_t until = vm->next_try;

    if (until == INSTANT_NONE || (vm->pause_until != INSTANT_NONE && vm->pause_until > until))
        until = vm->pause_until;
    return until != INSTANT_NONE && until > now ? until : INSTANT_NONE;
}

static struct awaited awaits(const struct daemon *daemon, enum awaited_what what,
                             const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);

    return (struct awaited){.what = what,
                            .vm = vm->id,
                            .host = what == AWAITED_LEAVES ? observed->history.host : vm->host,
                            .state = observed->state_name,
                            .stuck = vm->stuck ? vm->stuck : INSTANT_NONE,
                            .at = INSTANT_NONE};
}

/* The lease's first VM that is not running yet. */
static struct awaited arrives(const struct daemon *daemon, const struct lease_record *lease,
                              int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        int64_t until = paused_until(vms[i], now);
        struct awaited awaited;

        if (vms[i]->gone || !observed || observed_running(observed))
            continue;
        awaited = awaits(daemon, until != INSTANT_NONE ? AWAITED_ATTEMPT : AWAITED_RUNS, vms[i]);
        awaited.at = until;
        return awaited;
    }
    return (struct awaited){0};
}

/* The lease's first VM that is still on a host. */
static struct awaited goes(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && observed_holds_host(world_vm(daemon->world, vms[i]->id)))
            return awaits(daemon, AWAITED_LEAVES, vms[i]);
    return (struct awaited){0};
}

struct awaited reconcile_waits_for(const struct daemon *daemon, const struct lease_record *lease,
                                   int64_t now)
{
    bool due = lease->phase == PHASE_STARTING ||
               (lease->phase == PHASE_RESERVED && lease->expected != INSTANT_NONE &&
                lease->expected < now);
    const struct vm_record *departing = due ? reconcile_departing_vm_of_lease(daemon, lease) : NULL;

    if (departing)
        return awaits(daemon, AWAITED_LEAVES, departing);
    if (lease->phase == PHASE_STARTING)
        return arrives(daemon, lease, now);
    return lease->phase == PHASE_STOPPING || lease->phase == PHASE_ENDING ? goes(daemon, lease)
                                                                          : (struct awaited){0};
}
