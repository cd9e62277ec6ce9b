/* A lease that is given up because one of its VMs cannot be started. */
#include <stdio.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/reconcile_inside.h"

static void note_ending(struct daemon *daemon, const struct book_vm *vm, int64_t now)
{
    book_history(daemon->book, vm->lease, now, "ending",
                 "VM %d is ended: the group it is part of was given up", vm->id);
    log_warning("VM %d is ended: lease %lld was given up", vm->id, (long long)vm->lease);
}

/* A group is one lease: what of it runs would hold its hosts for ever, and nobody plans it. Of a VM
 * on its way nobody knows yet where it arrives; one that never ran has nothing to be ended. */
static bool is_to_be_ended(const struct daemon *daemon, const struct book_vm *vm)
{
    enum standing standing = reconcile_standing(daemon, vm, world_sight(daemon->world, vm->id));

    return vm->ran || standing == STANDS_RUNNING || standing == STANDS_MOVING ||
           standing == STANDS_UNKNOWN;
}

static bool end_others(struct daemon *daemon, const struct book_vm *failed, int64_t now)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, failed->lease, &n);
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (vms[i] == failed || vms[i]->gone || !is_to_be_ended(daemon, vms[i]))
            continue;
        vms[i]->goal = GOAL_END;
        book_mark_vm(daemon->book, vms[i]);
        if (vms[i]->ran)
            note_ending(daemon, vms[i], now);
        any = true;
    }
    return any;
}

void reconcile_give_up(struct daemon *daemon, const struct book_vm *failed, const char *why,
                       int64_t now)
{
    struct book_lease *lease = book_lease(daemon->book, failed->lease);
    char text[BOOK_TEXT_MAX];
    bool others;

    if (!lease)
        return;
    planner_gone(daemon->planner, lease->id);
    reconcile_set_phase(daemon, lease, PHASE_FAILED);
    reconcile_set_goal(daemon, lease, GOAL_HOLD);
    others = end_others(daemon, failed, now);
    snprintf(text, sizeof text, "%.250s%s", why,
             others ? "; the other VMs of its group are ended" : "");
    book_set_reason(daemon->book, lease, "given-up", text);
    book_history(daemon->book, lease->id, now, "given-up", "%s", lease->reason);
    log_error("lease %lld is given up: %s", (long long)lease->id, lease->reason);
}

void reconcile_failed(struct daemon *daemon, const struct book_lease *lease, int64_t now)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        struct book_vm *vm = vms[i];
        enum standing standing;

        if (vm->gone || vm->goal != GOAL_END || vm->ran)
            continue;
        standing = reconcile_standing(daemon, vm, world_sight(daemon->world, vm->id));
        if (standing == STANDS_RUNNING) {
            vm->ran = true; /* it has work to lose, which an end action may keep */
            note_ending(daemon, vm, now);
        } else if (standing == STANDS_PENDING || standing == STANDS_FAILED) {
            vm->goal = GOAL_HOLD;
        }
        book_mark_vm(daemon->book, vm);
    }
}
