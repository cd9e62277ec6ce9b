/* Lets a lease fail because one of its VMs cannot be started. */
#include <stdio.h>

#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/reconcile.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

static void note_ending(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    store_history(daemon->store, vm->lease, now, "ending",
                  "ending VM %d: another VM of its group could not be started", vm->id);
    log_warning_of(vm->lease, vm->id, "ending VM %d: lease %lld has failed", vm->id,
                   (long long)vm->lease);
}

/* A group is one lease: members that keep running would hold their hosts forever without being
 * planned. A VM that is being started may still arrive; a VM that has never run need not be
 * ended. */
static bool is_to_be_ended(const struct daemon *daemon, const struct vm_record *vm)
{
    enum vm_status status = reconcile_vm_status(daemon, vm, world_vm(daemon->world, vm->id));

    return vm->ran || status == STATUS_RUNNING || status == STATUS_IN_TRANSITION ||
           status == STATUS_UNKNOWN;
}

static bool ends_too(const struct daemon *daemon, const struct vm_record *vm,
                     const struct vm_record *failed)
{
    return vm != failed && !vm->gone && is_to_be_ended(daemon, vm);
}

static bool any_ends_too(const struct daemon *daemon, const struct vm_record *failed)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, failed->lease, &n);

    for (size_t i = 0; i < n; i++)
        if (ends_too(daemon, vms[i], failed))
            return true;
    return false;
}

static void end_others(struct daemon *daemon, const struct vm_record *failed, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, failed->lease, &n);

    for (size_t i = 0; i < n; i++)
        if (ends_too(daemon, vms[i], failed)) {
            vm_set_goal(daemon->store, vms[i], GOAL_END);
            if (vms[i]->ran)
                note_ending(daemon, vms[i], now);
        }
}

void reconcile_abandon_start(struct daemon *daemon, const struct vm_record *failed, int64_t now)
{
    const struct lease_record *lease = store_lease(daemon->store, failed->lease);
    char last[STORE_TEXT_MAX], text[STORE_SENTENCE_MAX];

    store_pack_reason(lease, last);
    lease_explain(
        daemon->store, lease,
        &(struct reason){.id = REASON_GIVEN_UP,
                         .n = {failed->id, failed->attempts, any_ends_too(daemon, failed)},
                         .text = last},
        NULL, INSTANT_NONE);
    store_reason_sentence(lease, false, text, sizeof text);
    if (!reconcile_apply(daemon, lease, EVENT_GIVEN_UP, now, "%s", text))
        return;
    end_others(daemon, failed, now);
    log_error_of(lease->id, -1, "lease %lld has failed: %s", (long long)lease->id, text);
}

void reconcile_failed(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *vm = vms[i];
        enum vm_status status;

        if (vm->gone || vm->goal != GOAL_END || vm->ran)
            continue;
        status = reconcile_vm_status(daemon, vm, world_vm(daemon->world, vm->id));
        if (status == STATUS_RUNNING) {
            vm_seen_to_have_run(daemon->store, vm); /* the VM may have work to keep */
            note_ending(daemon, vm, now);
        } else if (status == STATUS_PENDING || status == STATUS_FAILED) {
            vm_set_goal(daemon->store, vm, GOAL_HOLD);
        }
    }
}
