#include "daemon/live/promises.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/live/lease_state.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/live/vm_state.h"
#include "daemon/log.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

/* --- writing ---------------------------------------------------------------------------------- */

static bool has_promise(const struct vm_record *vm, const struct lease_record *lease)
{
    return lease->accepted && lease->phase > PHASE_GATHERING && lease->phase < PHASE_ENDING &&
           (!lease->plain || vm->suspended_by_us);
}

/* The next one of the VM. */
static struct promise promise_of(const struct daemon *daemon, const struct vm_record *vm,
                                 const struct lease_record *lease)
{
    return (struct promise){.zone = daemon->promises.zone,
                            .vm = vm->id,
                            .lease = lease->id,
                            .number = vm->promise_number + 1,
                            .suspended = vm->suspended_by_us,
                            .sequence = vm->sequence,
                            .ran_for = vm->ran_for,
                            .terms = *lease};
}

bool promises_due(const struct daemon *daemon, const struct vm_record *vm,
                  const struct lease_record *lease, struct promise_due *due)
{
    struct promise promise;
    bool wanted = has_promise(vm, lease);

    if (!daemon->promises.has_key || vm->promise_state == PROMISE_OF_OTHERS)
        return false;
    promise = promise_of(daemon, vm, lease);
    due->number = promise.number;
    due->digest = wanted ? promise_digest(&promise) : 0;
    if (due->digest == vm->promise_digest && vm->promise_state != PROMISE_DAMAGED)
        return false;
    due->text[0] = '\0';
    if (wanted)
        promise_write(&promise, &daemon->promises.key, due->text);
    return true;
}

/* --- what VMs show ---------------------------------------------------------------------------- */

/* Another front-end has accepted the lease, or changed its kind: which of the two phases it waits
 * in follows from the kind. */
static void take_decision(struct daemon *daemon, const struct lease_record *lease,
                          enum lease_event event, int64_t now)
{
    if (lease->phase == PHASE_WAITING || lease->phase == PHASE_RESERVED)
        lease_apply(daemon->store, lease, event, now, "by another front-end");
}

/* Another front-end acted on the lease since this store was written. */
static void take_newer(struct daemon *daemon, const struct vm_record *vm,
                       const struct promise *promise, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    int64_t digest = promise_digest(promise);

    if (digest != vm->promise_digest && lease && promise->lease == lease->id &&
        !lease_is_final(lease)) {
        const struct lease_record before = *lease;

        vm_restore(daemon->store, vm, promise->suspended, promise->sequence, promise->ran_for);
        lease_restore(daemon->store, lease, &promise->terms);
        store_history(daemon->store, lease->id, now, "restored",
                      "VM %d shows a newer promise than the store has: another front-end wrote it",
                      vm->id);
        if (!before.accepted)
            take_decision(daemon, lease, EVENT_ACCEPTED, now);
        else if (before.kind != lease->kind)
            take_decision(daemon, lease, EVENT_CHANGED, now);
        daemon_replan(daemon, "lease %lld has a newer promise", (long long)lease->id);
    }
    vm_has_promise(daemon->store, vm, promise->number, digest);
}

static void report(struct daemon *daemon, const struct vm_record *vm, const char *what, int64_t now)
{
    if (vm->promise_state != PROMISE_INTACT)
        return;
    log_warning_of(vm->lease, vm->id,
                   "VM %d: its attribute " PROMISE_ATTRIBUTE " %s: ignored, and written again",
                   vm->id, what);
    store_history(daemon->store, vm->lease, now, "promise-damaged",
                  "the attribute " PROMISE_ATTRIBUTE " of VM %d %s: ignored, and written again",
                  vm->id, what);
    vm_note_promise_damaged(daemon->store, vm);
    daemon_wake(daemon);
}

/* Written over, what only the newer version knows would be lost. */
static void leave(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    if (vm->promise_state == PROMISE_OF_OTHERS)
        return;
    log_error("VM %d: its attribute " PROMISE_ATTRIBUTE " %s: left alone", vm->id,
              promise_verdict_text(PROMISE_UNREADABLE));
    store_history(daemon->store, vm->lease, now, "promise-unreadable",
                  "the attribute " PROMISE_ATTRIBUTE " of VM %d %s: left alone", vm->id,
                  promise_verdict_text(PROMISE_UNREADABLE));
    vm_note_promise_of_others(daemon->store, vm);
}

void promises_see(struct daemon *daemon, const struct vm_record *vm, const struct vm *shown,
                  int64_t now)
{
    struct promise promise;
    enum promise_verdict verdict;

    if (!daemon->promises.has_key)
        return;
    verdict = promise_read(attributes_find(&shown->user_template, PROMISE_ATTRIBUTE),
                           &daemon->promises.key, daemon->promises.zone, vm->id, &promise);
    if (verdict == PROMISE_NONE && !vm->promise_digest)
        return;
    if (verdict == PROMISE_UNREADABLE)
        leave(daemon, vm, now);
    else if (verdict != PROMISE_VALID)
        report(daemon, vm, promise_verdict_text(verdict), now);
    else if (promise.number > vm->promise_number)
        take_newer(daemon, vm, &promise, now);
    else if (promise.number < vm->promise_number || promise_digest(&promise) != vm->promise_digest)
        report(daemon, vm, "is an older one", now);
}

/* --- restoring -------------------------------------------------------------------------------- */

bool promises_restore(struct daemon *daemon, const struct vm *vm)
{
    const struct lease_record *lease;
    const struct vm_record *record;
    struct promise promise;
    enum promise_verdict verdict;

    if (!daemon->promises.has_key)
        return false;
    verdict = promise_read(attributes_find(&vm->user_template, PROMISE_ATTRIBUTE),
                           &daemon->promises.key, daemon->promises.zone, vm->id, &promise);
    if (verdict == PROMISE_UNREADABLE)
        daemon->promises.unreadable++;
    if (verdict != PROMISE_VALID)
        return verdict == PROMISE_UNREADABLE;
    lease = store_lease(daemon->store, promise.lease);
    if (!lease)
        lease = intake_add_lease(daemon, vm, promise.lease);
    intake_add_vm(daemon, vm, lease->id);
    record = store_vm(daemon->store, vm->id);
    vm_restore(daemon->store, record, promise.suspended, promise.sequence, promise.ran_for);
    vm_has_promise(daemon->store, record, promise.number, promise_digest(&promise));
    if (lease->phase == PHASE_GATHERING)
        lease_restore(daemon->store, lease, &promise.terms);
    return true;
}

/* What the VMs of a restored lease do decides its phase. */
static enum lease_event event_of(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n, stopped = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        enum vm_status status = reconcile_vm_status(daemon, vms[i], observed);

        if (status == STATUS_RUNNING || status == STATUS_IN_TRANSITION || status == STATUS_FAILED)
            return EVENT_FOUND_RUNNING;
        stopped += status == STATUS_STOPPED_BY_USER;
    }
    return stopped == n ? EVENT_FOUND_STOPPED : EVENT_RESTORED;
}

static bool is_restored(const struct lease_record *lease)
{
    return lease->phase == PHASE_GATHERING && lease->accepted;
}

static void tell_restored(struct daemon *daemon, size_t n, int64_t now)
{
    char text[STORE_TEXT_MAX], when[STORE_NAME_MAX], *fact;

    snprintf(text, sizeof text,
             "%zu lease%s not in the store and restored from OpenNebula: their history, what their "
             "owners were charged for and what galernad learned before are lost",
             n, n == 1 ? " was" : "s were");
    log_warning("%s", text);
    store_history(daemon->store, STORE_NO_LEASE, now, "restored", "%s", text);
    lease_time_text(now, when, sizeof when);
    fact = memory_format("%s: %s", when, text);
    store_set_fact(daemon->store, "restored", fact);
    free(fact);
    daemon_replan(daemon, "%zu leases were restored", n);
}

void promises_restored(struct daemon *daemon, int64_t now)
{
    size_t n, restored = 0;
    const struct lease_record *const *leases = store_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        if (!is_restored(leases[i]))
            continue;
        restored++;
        lease_apply(daemon->store, leases[i], event_of(daemon, leases[i]), now,
                    "from its promise in OpenNebula; the store has no history before");
    }
    if (restored)
        tell_restored(daemon, restored, now);
}
