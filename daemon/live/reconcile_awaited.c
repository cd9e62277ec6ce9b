/* Finds the VM for which a starting, stopping or ending lease waits: another VM still on its hosts,
 * or one of its own VMs that has not arrived. */
#include <stdio.h>

#include "daemon/daemon.h"
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

/* "VM 3 (SAVE_STOP)", and since when if that is overdue. */
static void name_operation(const struct daemon *daemon, const struct vm_record *vm, char *text,
                           size_t size)
{
    const char *state = world_vm(daemon->world, vm->id)->state_name;
    char since[64];

    lease_time_text(vm->stuck, since, sizeof since);
    if (vm->stuck)
        snprintf(text, size, "VM %d (%s since %s; if it is lost: onevm recover --retry %d)", vm->id,
                 state, since, vm->id);
    else
        snprintf(text, size, "VM %d (%s)", vm->id, state);
}

static void say_leaves(const struct daemon *daemon, const struct vm_record *vm, char *text,
                       size_t size)
{
    char operation[STORE_TEXT_MAX];

    name_operation(daemon, vm, operation, sizeof operation);
    snprintf(text, size, "%s to leave host %d", operation,
             world_vm(daemon->world, vm->id)->history.host);
}

/* The lease's first VM that is not running yet. */
static void say_arrives(const struct daemon *daemon, const struct lease_record *lease, int64_t now,
                        char *text, size_t size)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        int64_t until = paused_until(vms[i], now);
        char when[64], where[32] = "", operation[STORE_TEXT_MAX];

        if (vms[i]->gone || !observed || observed_running(observed))
            continue;
        if (vms[i]->host >= 0)
            snprintf(where, sizeof where, " on host %d", vms[i]->host);
        if (until != INSTANT_NONE) {
            lease_time_text(until, when, sizeof when);
            snprintf(text, size, "the next attempt to start VM %d, at %s", vms[i]->id, when);
        } else {
            name_operation(daemon, vms[i], operation, sizeof operation);
            snprintf(text, size, "%s to run%s", operation, where);
        }
        return;
    }
}

/* The lease's first VM that is still on a host. */
static void say_goes(const struct daemon *daemon, const struct lease_record *lease, char *text,
                     size_t size)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && observed_holds_host(world_vm(daemon->world, vms[i]->id))) {
            say_leaves(daemon, vms[i], text, size);
            return;
        }
}

void reconcile_waits_for(const struct daemon *daemon, const struct lease_record *lease, int64_t now,
                         char *text, size_t size)
{
    bool due = lease->phase == PHASE_STARTING ||
               (lease->phase == PHASE_RESERVED && lease->expected != INSTANT_NONE &&
                lease->expected < now);
    const struct vm_record *departing = due ? reconcile_departing_vm_of_lease(daemon, lease) : NULL;

    text[0] = '\0';
    if (departing)
        say_leaves(daemon, departing, text, size);
    else if (lease->phase == PHASE_STARTING)
        say_arrives(daemon, lease, now, text, size);
    else if (lease->phase == PHASE_STOPPING || lease->phase == PHASE_ENDING)
        say_goes(daemon, lease, text, size);
}
