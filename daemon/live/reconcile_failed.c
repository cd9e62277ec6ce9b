/* A lease that is given up because one of its VMs cannot be started. */
#include <stdio.h>

#include "daemon/daemon.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/log.h"

static void note_ending(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    store_history(daemon->store, vm->lease, now, "ending",
                  "VM %d is ended: the group it is part of was given up", vm->id);
    log_warning("VM %d is ended: lease %lld was given up", vm->id, (long long)vm->lease);
}

/* A group is one lease: what of it runs would hold its hosts for ever, and nobody plans it. Of a VM
 * on its way nobody knows yet where it arrives; one that never ran has nothing to be ended. */
static bool is_to_be_ended(const struct daemon *daemon, const struct vm_record *vm)
{
    enum standing standing = reconcile_standing(daemon, vm, world_vm(daemon->world, vm->id));

    return vm->ran || standing == STANDS_RUNNING || standing == STANDS_MOVING ||
           standing == STANDS_UNKNOWN;
}

static bool end_others(struct daemon *daemon, const struct vm_record *failed, int64_t now)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, failed->lease, &n);
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (vms[i] == failed || vms[i]->gone || !is_to_be_ended(daemon, vms[i]))
            continue;
        vms[i]->goal = GOAL_END;
        store_mark_vm(daemon->store, vms[i]);
        if (vms[i]->ran)
            note_ending(daemon, vms[i], now);
        any = true;
    }
    return any;
}

void reconcile_give_up(struct daemon *daemon, const struct vm_record *failed, const char *why,
                       int64_t now)
{
    struct lease_record *lease = store_lease(daemon->store, failed->lease);
    char text[STORE_TEXT_MAX];
    bool others;

    if (!lease)
        return;
    planner_gone(daemon->planner, lease->id);
    reconcile_set_phase(daemon, lease, PHASE_FAILED);
    reconcile_set_goal(daemon, lease, GOAL_HOLD);
    others = end_others(daemon, failed, now);
    snprintf(text, sizeof text, "%.250s%s", why,
             others ? "; the other VMs of its group are ended" : "");
    store_set_reason(daemon->store, lease, "given-up", text);
    store_history(daemon->store, lease->id, now, "given-up", "%s", lease->reason);
    log_error("lease %lld is given up: %s", (long long)lease->id, lease->reason);
}

void reconcile_failed(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        struct vm_record *vm = vms[i];
        enum standing standing;

        if (vm->gone || vm->goal != GOAL_END || vm->ran)
            continue;
        standing = reconcile_standing(daemon, vm, world_vm(daemon->world, vm->id));
        if (standing == STANDS_RUNNING) {
            vm->ran = true; /* it has work to lose, which an end action may keep */
            note_ending(daemon, vm, now);
        } else if (standing == STANDS_PENDING || standing == STANDS_FAILED) {
            vm->goal = GOAL_HOLD;
        }
        store_mark_vm(daemon->store, vm);
    }
}
