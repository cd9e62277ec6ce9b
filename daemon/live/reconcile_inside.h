/* reconcile_inside.h: shared by the files of the reconciliation. */
#pragma once

#include "daemon/live/daemon.h"
#include "daemon/state/lease_state.h"

/* A VM's state in OpenNebula, as far as its lease depends on it. */
enum vm_status {
    STATUS_UNKNOWN, /* no observation since the last command */
    STATUS_GONE,
    STATUS_PENDING,
    STATUS_RUNNING,
    STATUS_IN_TRANSITION,   /* booting, migrating, being suspended, ... */
    STATUS_FAILED,          /* needs recovery by a user */
    STATUS_PREEMPTED,       /* suspended or stopped by galernad */
    STATUS_STOPPED_BY_USER, /* suspended, stopped, powered off, undeployed, held by a user */
};

struct vm_statuses {
    size_t n; /* VMs that are not gone */
    size_t of[STATUS_STOPPED_BY_USER + 1];
    size_t off; /* VMs stopped by their user after they had run */
    /* Of the running VM that has run for the shortest time: when it started, and how long it ran
     * before. `since` is 0 if the start of any VM is unknown. */
    int64_t since, ran_before;
    bool has_untimed; /* one of these starts is unknown */
    /* Of the VMs found gone: how long each ran at least, and when the last one ended; 0:
     * unknown. */
    int64_t ran_for, until;
    bool resumed; /* one of these was suspended and resumed between polls */
    bool lost;    /* OpenNebula no longer knows one of these */
};

/* Has OpenNebula given the VM's id to another VM? Then the VM of the lease is gone. */
bool reconcile_is_another(const struct vm_record *vm, const struct vm_observation *observed);
/* A VM's status by its last observation. */
enum vm_status reconcile_vm_status(const struct daemon *daemon, const struct vm_record *vm,
                                   const struct vm_observation *observed);
/* Record the last observation of a VM, and count its status. */
void reconcile_observe_vm(struct daemon *daemon, const struct lease_record *lease,
                          const struct vm_record *vm, int64_t now, struct vm_statuses *statuses);
/* lease_apply(), which also informs the planner and the loop. False: the event cannot happen. */
bool reconcile_apply(struct daemon *daemon, const struct lease_record *lease,
                     enum lease_event event, int64_t now, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* As reconcile_apply(), with a reason, which becomes the lease's reason and whose sentence goes
 * into the history. REASON_NONE: the lease keeps its reason. */
bool reconcile_apply_by(struct daemon *daemon, const struct lease_record *lease,
                        enum lease_event event, enum reason_id reason, int64_t now);
/* All VMs of the lease run. */
void reconcile_runs(struct daemon *daemon, const struct lease_record *lease,
                    const struct vm_statuses *s, int64_t now);
/* A user or operator stopped all VMs of the lease. */
void reconcile_parked_by_user(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* The event returns the lease to the queue or to its promise, or ends it if its time is over. */
void reconcile_wait_again(struct daemon *daemon, const struct lease_record *lease,
                          enum lease_event event, int64_t now);
/* After a lease has failed: VMs still being started are ended if they run, held if they fail. */
void reconcile_failed(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Reports a lease that does not run after its promised start, with or without a command. */
void reconcile_watch_start(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Ends leases whose time is over, and warns their owners before. */
void reconcile_watch_end(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Ends leases whose VMs are unused (unused-after), and notifies their owners before. */
void reconcile_watch_use(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Tells the owner who stopped the lease's VMs that its deadline has passed. */
void reconcile_watch_deadline(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Reports promises that were not kept in time. */
void reconcile_watch_promise(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* When the lease is next due by time alone, after `now`; INSTANT_NEVER. */
int64_t reconcile_lease_time(const struct daemon *daemon, const struct lease_record *lease,
                             int64_t now);
/* A VM that must leave the host and is still there, or NULL. O(VMs). */
const struct vm_record *reconcile_departing_vm(const struct daemon *daemon, int32_t host);
/* The first departing VM on the hosts of a lease, or NULL. */
const struct vm_record *reconcile_departing_vm_of_lease(const struct daemon *daemon,
                                                        const struct lease_record *lease);
