/* Keeps promises in VMs, and restores leases from them. */
#include "daemon/live/promises.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/new_lease.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

/* When leases were last restored, and how many. */
#define FACT "restored-leases"

enum { PROMISES_IN_A_TERM = 1 << 20 /* at most, per VM */ };

/* --- writing ---------------------------------------------------------------------------------- */

/* Is the VM suspended by galernad, or about to be? VMs suspended by their owner do not count. */
static bool is_suspended(const struct daemon *daemon, const struct vm_record *vm)
{
    const struct vm_observation *observed;

    if (vm->suspended_by_us || vm->goal != GOAL_STOP)
        return vm->suspended_by_us;
    observed = world_vm(daemon->world, vm->id);
    return observed && observed_running(observed);
}

static bool has_promise(const struct daemon *daemon, const struct vm_record *vm,
                        const struct lease_record *lease)
{
    return lease->accepted && lease->phase > PHASE_GATHERING && lease->phase < PHASE_ENDING &&
           (!lease->plain || is_suspended(daemon, vm));
}

/* A promise of a later Raft term supersedes all earlier ones: a deposed galernad may have written
 * promises that were lost. */
static int64_t next_number(const struct daemon *daemon, const struct vm_record *vm)
{
    int64_t first = world_leadership(daemon->world)->term * PROMISES_IN_A_TERM;

    return vm->promise_number < first ? first : vm->promise_number + 1;
}

/* The next promise of the VM. */
static struct promise promise_of(const struct daemon *daemon, const struct vm_record *vm,
                                 const struct lease_record *lease)
{
    if (!has_promise(daemon, vm, lease))
        return (struct promise){.zone = daemon->promises.zone,
                                .vm = vm->id,
                                .number = next_number(daemon, vm),
                                .over = true};
    return (struct promise){.zone = daemon->promises.zone,
                            .vm = vm->id,
                            .lease = lease->id,
                            .number = next_number(daemon, vm),
                            .suspended = is_suspended(daemon, vm),
                            .sequence = vm->sequence,
                            .ran_for = vm->ran_for,
                            .terms = *lease};
}

/* The lease was refused or has failed, and no promise was written since: another store may have
 * accepted it. */
static bool is_to_be_told(const struct vm_record *vm, const struct lease_record *lease)
{
    return vm->goal == GOAL_HOLD && !lease->plain && !vm->promise_told;
}

/* Does the promise that the VM should show differ from the one it certainly shows? */
static bool differs(const struct daemon *daemon, const struct vm_record *vm,
                    const struct lease_record *lease, struct promise_due *due)
{
    struct promise promise;
    bool anyhow = vm->promise_state == PROMISE_DAMAGED || vm->promise_state == PROMISE_UNANSWERED ||
                  is_to_be_told(vm, lease);

    if (!daemon->promises.has_key || vm->promise_state == PROMISE_OF_OTHERS)
        return false;
    if (!anyhow && !vm->promise_digest && !has_promise(daemon, vm, lease))
        return false;
    promise = promise_of(daemon, vm, lease);
    due->number = promise.number;
    due->digest = promise_digest(&promise);
    if (due->digest == vm->promise_digest && !anyhow)
        return false;
    promise_write(&promise, &daemon->promises.key, due->text);
    return true;
}

bool promises_due(const struct daemon *daemon, const struct vm_record *vm,
                  const struct lease_record *lease, struct promise_due *due)
{
    return differs(daemon, vm, lease, due) &&
           (vm->promise_state != PROMISE_UNANSWERED ||
            promise_stamp(due->number, due->digest) == vm->promise_sent);
}

static bool is_awaited(const struct daemon *daemon, const struct vm_record *vm)
{
    size_t n;

    switch (vm->goal) {
    case GOAL_STOP:
    case GOAL_HOLD:
        return true;
    case GOAL_RUN:
        store_vms_of(daemon->store, vm->lease, &n);
        return (n > 1 || vm->promise_number) && !vm->promise_digest;
    default:
        return false;
    }
}

bool promises_precede(const struct daemon *daemon, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    struct promise_due due;

    return lease && !vm->gone && is_awaited(daemon, vm) && differs(daemon, vm, lease, &due) &&
           due.number != vm->promise_refused;
}

bool promises_precede_group(const struct daemon *daemon, int64_t lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease, &n);

    for (size_t i = 0; i < n; i++)
        if (promises_precede(daemon, vms[i]))
            return true;
    return false;
}

/* --- what VMs show ---------------------------------------------------------------------------- */

/* The phase of a lease restored from its promise follows from the states of its VMs. */
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

/* Another front-end has acted on the lease since this store was written: all decisions made here
 * are obsolete. */
static void take_over(struct daemon *daemon, const struct lease_record *lease,
                      const struct vm_record *vm, const struct promise *promise, int64_t now)
{
    lease_apply(daemon->store, lease, EVENT_TAKEN_OVER, now,
                "VM %d has a newer promise than the store: another front-end wrote it", vm->id);
    vm_restore(daemon->store, vm, promise->suspended, promise->sequence, promise->ran_for);
    lease_restore(daemon->store, lease, &promise->terms);
    lease_apply(daemon->store, lease, event_of(daemon, lease), now, "by another front-end");
    daemon_replan(daemon, "lease %lld has a newer promise", (long long)lease->id);
}

/* Another front-end has ended the lease, and may have accepted it before; or it has refused the
 * lease, which is then treated as unknown to this store. */
static void take_end(struct daemon *daemon, const struct lease_record *lease,
                     const struct vm_record *vm, const struct vm *shown, int64_t now)
{
    enum vm_status status = reconcile_vm_status(daemon, vm, world_vm(daemon->world, vm->id));

    if (status == STATUS_UNKNOWN || status == STATUS_GONE || status == STATUS_FAILED)
        return;
    if (shown->state == VM_PENDING || shown->state == VM_HOLD) {
        if (!lease->accepted)
            return;
        lease_apply(daemon->store, lease, EVENT_TAKEN_OVER, now,
                    "VM %d was refused by another front-end", vm->id);
        new_lease_take_up(daemon, lease, shown, now);
    } else {
        lease_apply(daemon->store, lease, EVENT_CANCELLED, now, "by another front-end");
        daemon_replan(daemon, "another front-end has ended lease %lld", (long long)lease->id);
    }
}

/* The VM's promise has ended. */
static void take_over_nothing(struct daemon *daemon, const struct vm_record *vm,
                              const struct vm *shown, int64_t number, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    bool counts = lease && lease->phase < PHASE_ENDING, had_promise = vm->promise_digest;

    vm_has_promise(daemon->store, vm, number, 0);
    if (counts && lease->plain && had_promise)
        vm_restore(daemon->store, vm, false, vm->sequence, vm->ran_for);
    else if (counts && !lease->plain) /* the store may be older than a promise */
        take_end(daemon, lease, vm, shown, now);
}

static void take_newer(struct daemon *daemon, const struct vm_record *vm,
                       const struct promise *promise, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);
    int64_t digest = promise_digest(promise);

    if (lease && promise->lease == lease->id && lease_can(lease, EVENT_TAKEN_OVER)) {
        const struct promise own = promise_of(daemon, vm, lease);

        if (digest != promise_digest(&own))
            take_over(daemon, lease, vm, promise, now);
    }
    vm_has_promise(daemon->store, vm, promise->number, digest);
}

static void report(struct daemon *daemon, const struct vm_record *vm, const char *what, int64_t now)
{
    if (vm->promise_state != PROMISE_INTACT || !daemon_acts(daemon))
        return;
    log_warning_of(vm->lease, vm->id,
                   "VM %d: its attribute " PROMISE_ATTRIBUTE " %s: ignored and rewritten", vm->id,
                   what);
    store_history(daemon->store, vm->lease, now, "promise-damaged",
                  "the attribute " PROMISE_ATTRIBUTE " of VM %d %s: ignored and rewritten", vm->id,
                  what);
    vm_note_promise(daemon->store, vm, PROMISE_DAMAGED);
    daemon_wake(daemon);
}

/* Overwriting the promise would lose data that only the newer version knows. */
static void leave(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    if (vm->promise_state == PROMISE_OF_OTHERS)
        return;
    log_error("VM %d: its attribute " PROMISE_ATTRIBUTE " %s: left unchanged", vm->id,
              promise_verdict_text(PROMISE_UNREADABLE));
    store_history(daemon->store, vm->lease, now, "promise-unreadable",
                  "the attribute " PROMISE_ATTRIBUTE " of VM %d %s: left unchanged", vm->id,
                  promise_verdict_text(PROMISE_UNREADABLE));
    vm_note_promise(daemon->store, vm, PROMISE_OF_OTHERS);
}

static bool is_own(const struct vm_record *vm, const struct promise *promise)
{
    return promise_stamp(promise->number, promise_digest(promise)) == vm->promise_sent;
}

/* The promise arrived although this galernad got no answer: its later decisions count. If the store
 * is an older copy, another front-end may have decided the same, and suspended the VM. */
static void take_own(struct daemon *daemon, const struct vm_record *vm,
                     const struct promise *promise, const struct vm *shown)
{
    vm_has_promise(daemon->store, vm, promise->number, promise_digest(promise));
    if (promise->suspended && shown->state != VM_RUNNING)
        vm_restore(daemon->store, vm, true, vm->sequence, vm->ran_for);
}

void promises_see(struct daemon *daemon, const struct vm_record *vm, const struct vm *shown,
                  int64_t now)
{
    struct promise promise;
    enum promise_verdict verdict;

    if (!daemon->promises.has_key)
        return;
    if (vm->promise_state == PROMISE_UNANSWERED)
        vm_note_promise(daemon->store, vm, PROMISE_INTACT);
    verdict = promise_read(attributes_find(&shown->user_template, PROMISE_ATTRIBUTE),
                           &daemon->promises.key, daemon->promises.zone, vm->id, &promise);
    if (verdict == PROMISE_NONE && !vm->promise_digest)
        return;
    if (verdict == PROMISE_UNREADABLE)
        leave(daemon, vm, now);
    else if (verdict != PROMISE_VALID)
        report(daemon, vm, promise_verdict_text(verdict), now);
    else if (promise.number > vm->promise_number && is_own(vm, &promise))
        take_own(daemon, vm, &promise, shown);
    else if (promise.number > vm->promise_number && promise.over)
        take_over_nothing(daemon, vm, shown, promise.number, now);
    else if (promise.number > vm->promise_number)
        take_newer(daemon, vm, &promise, now);
    else if (promise.number < vm->promise_number || promise_digest(&promise) != vm->promise_digest)
        report(daemon, vm, "is an older one", now);
}

/* --- restoring -------------------------------------------------------------------------------- */

static void note_unreadable(struct promises *promises, int32_t vm)
{
    for (size_t i = 0; i < promises->n_unreadable; i++)
        if (promises->unreadable[i] == vm)
            return;
    MEMORY_GROW(promises->unreadable, promises->unreadable_allocated, promises->n_unreadable + 1);
    promises->unreadable[promises->n_unreadable++] = vm;
}

void promises_review_unreadable(struct daemon *daemon)
{
    struct promises *promises = &daemon->promises;

    for (size_t i = promises->n_unreadable; i-- > 0;) {
        const struct vm_observation *observed = world_vm(daemon->world, promises->unreadable[i]);

        if (!observed || !observed->present || store_vm(daemon->store, promises->unreadable[i]))
            promises->unreadable[i] = promises->unreadable[--promises->n_unreadable];
    }
}

void promises_finish(struct promises *promises)
{
    free(promises->unreadable);
    *promises = (struct promises){0};
}

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
        note_unreadable(&daemon->promises, vm->id);
    if (verdict != PROMISE_VALID || promise.over)
        return verdict == PROMISE_UNREADABLE;
    lease = store_lease(daemon->store, promise.lease);
    if (!lease)
        lease = new_lease_add(daemon, vm, promise.lease);
    new_lease_add_vm(daemon, vm, lease->id);
    record = store_vm(daemon->store, vm->id);
    vm_restore(daemon->store, record, promise.suspended, promise.sequence, promise.ran_for);
    vm_has_promise(daemon->store, record, promise.number, promise_digest(&promise));
    if (lease->phase == PHASE_GATHERING)
        lease_restore(daemon->store, lease, &promise.terms);
    return true;
}

static bool is_restored(const struct lease_record *lease)
{
    return lease->phase == PHASE_GATHERING && lease->accepted;
}

void promises_lost_text(size_t n, char *text, size_t size)
{
    snprintf(text, size,
             "%zu lease%s missing from the store and restored from OpenNebula: their history, the "
             "usage charged to their owners and learned durations are lost",
             n, n == 1 ? " was" : "s were");
}

size_t promises_restored_last(const struct store *store, int64_t *at)
{
    const char *fact = store_fact(store, FACT);
    char *rest = NULL;

    *at = fact ? strtoll(fact, &rest, 10) : INSTANT_NONE;
    return fact ? strtoul(rest, NULL, 10) : 0;
}

static void tell_restored(struct daemon *daemon, size_t n, int64_t now)
{
    char text[STORE_TEXT_MAX], fact[64];

    promises_lost_text(n, text, sizeof text);
    log_warning("%s", text);
    store_history(daemon->store, STORE_NO_LEASE, now, "restored", "%s", text);
    snprintf(fact, sizeof fact, "%lld %zu", (long long)now, n);
    store_set_fact(daemon->store, FACT, fact);
}

void promises_restored(struct daemon *daemon, int64_t now)
{
    size_t n, restored = 0;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        if (!is_restored(leases[i]))
            continue;
        restored++;
        lease_apply(daemon->store, leases[i], event_of(daemon, leases[i]), now,
                    "from its promise in OpenNebula; the store has no earlier history");
    }
    if (!restored)
        return;
    daemon_replan(daemon, "leases were restored");
    if (!daemon_follows(daemon)) /* else another front-end has accepted them */
        tell_restored(daemon, restored, now);
}
