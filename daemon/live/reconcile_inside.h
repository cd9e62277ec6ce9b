/* reconcile_inside.h: what the files of the reconciliation share. */
#ifndef GALERNA_DAEMON_RECONCILE_INSIDE_H
#define GALERNA_DAEMON_RECONCILE_INSIDE_H

#include "daemon/daemon.h"
#include "daemon/live/lease_state.h"

/* What OpenNebula shows of a VM, in the words that matter to its lease. */
enum standing {
    STANDS_UNKNOWN, /* nothing newer than the last command */
    STANDS_GONE,
    STANDS_PENDING,
    STANDS_RUNNING,
    STANDS_MOVING,     /* on its way to another state */
    STANDS_FAILED,     /* waits for a user to recover it */
    STANDS_OUR_STOP,   /* suspended or stopped by us */
    STANDS_THEIR_STOP, /* suspended, stopped, powered off, undeployed, held by a user */
};

struct standings {
    size_t n, of[STANDS_THEIR_STOP + 1];
    int64_t since; /* the latest begin of running among those that run */
};

enum { MISSING_MEANS_GONE = 2 };

/* How a VM stands by its last observed. */
enum standing reconcile_standing(const struct daemon *daemon, const struct vm_record *vm,
                                 const struct vm_observation *observed);
/* Take note of what is seen of a VM, and count its standing. */
void reconcile_observe_vm(struct daemon *daemon, const struct lease_record *lease,
                          const struct vm_record *vm, int64_t now, struct standings *standings);
/* lease_apply(), of which the planner and the loop are told. False: the event cannot happen. */
bool reconcile_apply(struct daemon *daemon, const struct lease_record *lease,
                     enum lease_event event, int64_t now, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same with the sentence of a reason, which becomes the lease's; NONE: of that it has. */
bool reconcile_apply_by(struct daemon *daemon, const struct lease_record *lease,
                        enum lease_event event, enum reason_id reason, int64_t now);
/* All its VMs run, since then. */
void reconcile_runs(struct daemon *daemon, const struct lease_record *lease, int64_t since,
                    int64_t now);
/* A user or operator stopped all its VMs. */
void reconcile_parked_by_user(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Back to the queue, or to its promise, by that event; or at its end if it has had its time. */
void reconcile_wait_again(struct daemon *daemon, const struct lease_record *lease,
                          enum lease_event event, int64_t now);
/* Of a lease that failed: what was on its way then is ended when it runs, and held when it
 * comes to nothing. */
void reconcile_failed(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Reports a reservation that has been commanded and does not run at its time. */
void reconcile_watch_start(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Ends and warns leases whose time has come. */
void reconcile_watch_end(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* A promise whose time has passed is reported. */
void reconcile_watch_promise(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* Nothing of it has been commanded: where it starts may be thought over. */
bool reconcile_not_begun(const struct daemon *daemon, const struct lease_record *lease);
/* A VM that is to leave the host and is still there, or NULL. */
const struct vm_record *reconcile_leaver(const struct daemon *daemon, int32_t host);
/* The same of the hosts of all VMs of a lease: the first that is found. */
const struct vm_record *reconcile_leaver_of_lease(const struct daemon *daemon,
                                                  const struct lease_record *lease);

#endif
