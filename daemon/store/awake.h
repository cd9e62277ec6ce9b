/* awake.h: the leases for which a cycle of the daemon may have something to do.
 *
 * Every change of a lease or of one of its VMs wakes the lease, including changes noted only in
 * memory; store_wake() wakes it when the observations of its VMs change. A lease sleeps, at most
 * until a given time, once a whole cycle has found nothing to do for it (daemon/live/sleep.h). The
 * steps of a cycle visit the awake leases, so a cycle's cost depends on the changes. Newly added or
 * loaded leases are awake.
 */
#pragma once

#include "daemon/store/store.h"

/* The awake leases, ascending by id, and the VMs of these leases. Valid until the next of these
 * calls, or until a lease is added or forgotten; leases that wake meanwhile are in the next answer.
 * O(1) if no lease has woken or gone to sleep since; otherwise the list is sorted, or built from
 * all leases if that is less work. */
const struct lease_record *const *store_awake_leases(struct store *store, size_t *n);
const struct vm_record *const *store_awake_vms(struct store *store, size_t *n);
/* Does a running lease make room for this one? Such leases do not sleep. O(awake leases). */
bool store_has_victim(const struct store *store, int64_t lease);

/* Work may be due for the lease; unknown ids are ignored. O(1). */
void store_wake(struct store *store, int64_t lease);
void store_wake_all(struct store *store); /* O(leases) */
/* Wakes the leases whose time has come. O(1) before the first time, otherwise O(leases). */
void store_wake_due(struct store *store, int64_t now);
/* A time not after the first wake-up, and usually equal to it; INSTANT_NEVER. */
int64_t store_next_wake(const struct store *store);

/* A counter of the changes that wake a lease, awake or not; and its value at the lease's last
 * change. */
uint64_t store_stirs(const struct store *store);
uint64_t store_stirred(const struct lease_record *lease);
/* Its value at the last change of the lease's record or of a record of its VMs: waking alone does
 * not count. */
uint64_t store_noted(const struct lease_record *lease);

/* The lease sleeps until `until`, or until it is woken. It must be in the store. */
void store_let_sleep(struct store *store, const struct lease_record *lease, int64_t until);
