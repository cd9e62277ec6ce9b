/* Adds leases and VMs to the store. */
#include "daemon/live/new_lease.h"

#include "daemon/live/daemon.h"
#include "daemon/state/lease_state.h"

void new_lease_add_vm(struct daemon *daemon, const struct vm *vm, int64_t lease)
{
    struct vm_record *entry = store_add_vm(daemon->store, vm->id, lease);

    entry->host = vm->history.sequence >= 0 ? vm->history.host : -1;
    entry->cpu = vm->cpu;
    entry->memory = vm->memory;
    entry->created = vm->stime;
    entry->ran = vm_state_traits[vm->state].active;
}

const struct lease_record *new_lease_add(struct daemon *daemon, const struct vm *vm, int64_t id)
{
    struct lease_record *lease = store_add_lease(daemon->store, id);

    lease->kind = LEASE_BEST_EFFORT;
    lease->submit = vm->stime - clocks_ahead_at(daemon, vm->stime);
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease_belongs_to(daemon->store, lease, vm);
    return lease;
}

void new_lease_take_up(struct daemon *daemon, const struct lease_record *lease, const struct vm *vm,
                       int64_t now)
{
    const char *state = vm->state_name;

    daemon_wake(daemon);
    if (vm->state == VM_PENDING || (vm->state == VM_HOLD && daemon->live->submit_on_hold)) {
        lease_apply(daemon->store, lease, EVENT_REQUESTED, now, "%s",
                    lease_kind_words[lease->kind]);
        planner_new(daemon->planner, lease->id);
        return;
    }
    if (vm_state_traits[vm->state].active) { /* reconciliation finds its actual state */
        lease_apply(daemon->store, lease, EVENT_FOUND_RUNNING, now, "found running");
    } else {
        bool held = vm->state == VM_HOLD;

        lease_apply(daemon->store, lease, held ? EVENT_FOUND_HELD : EVENT_FOUND_STOPPED, now,
                    "found %s", state);
        lease_explain(daemon->store, lease,
                      &(struct reason){.id = held ? REASON_ON_HOLD : REASON_PARKED}, NULL,
                      INSTANT_NONE);
    }
    daemon_replan(daemon, "VM %d was found %s", vm->id, state);
}
