/* reconcile.h: updates leases from the observations of their VMs, and by time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/awaited.h"
#include "daemon/store/store.h"
#include "util/error.h"

struct daemon;

/* Is none of its commands in progress, and none of its VMs on a host? O(VMs of the lease). */
bool reconcile_not_begun(const struct daemon *daemon, const struct lease_record *lease);
/* Has its start begun, or may a start that OpenNebula has accepted still take effect? The same
 * cost. */
bool reconcile_may_have_begun(const struct daemon *daemon, const struct lease_record *lease);
/* Starting leases without a command return to the queue, except those that only wait for other VMs
 * to leave their hosts. */
void reconcile_before_replan(struct daemon *daemon);
/* This galernad begins to act: leases that it had decided to suspend or end to make room keep
 * running if it has sent no command for that: the reason may no longer exist. O(leases that are
 * awake). */
void reconcile_withdraw(struct daemon *daemon, int64_t now);
/* The VM cannot be started: its lease fails, finally unless its user releases the VM. Other VMs of
 * the lease that run or are in transition are ended, the rest are held. The lease's reason is
 * the last failure. */
void reconcile_abandon_start(struct daemon *daemon, const struct vm_record *failed, int64_t now);
/* Update leases from the observations of their VMs. */
void reconcile(struct daemon *daemon, int64_t now);
/* When a lease is due by time alone, as reconcile_lease_time(); INSTANT_NEVER. O(leases that are
 * awake). */
int64_t reconcile_next_time(const struct daemon *daemon, int64_t now);
/* The VM for which a starting, stopping, ending or late lease waits at `now` (seconds since
 * 1970). */
struct awaited reconcile_waits_for(const struct daemon *daemon, const struct lease_record *lease,
                                   int64_t now);
/* A user or operator cancels the lease. -1 with err: ENOENT (no such lease in memory), EALREADY
 * (the lease is over). */
int reconcile_cancel(struct daemon *daemon, int64_t id, const char *who, struct error *err);
