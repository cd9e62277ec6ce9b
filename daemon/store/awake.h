/* awake.h: the leases for which a cycle of the daemon may have something to do.
 *
 * Every change of a lease or of one of its VMs wakes the lease, what is noted only in memory
 * included; so does store_wake(), for what is observed of its VMs. It sleeps once a whole cycle has
 * found nothing to do, until a time (daemon/live/sleep.h). The steps of a cycle go through the
 * leases that are awake, so its cost follows what changed. Leases that were just added or loaded
 * are awake.
 */
#pragma once

#include "daemon/store/store.h"

/* Those that are awake, ascending by id; VMs of these leases. Valid until the next of these calls,
 * or until a lease is added or forgotten; leases that wake meanwhile are in the next answer. O(1)
 * if none has woken or gone to sleep since; else they are sorted, or all leases gone through where
 * that is less work. */
const struct lease_record *const *store_awake_leases(struct store *store, size_t *n);
const struct vm_record *const *store_awake_vms(struct store *store, size_t *n);
/* Does a running lease make room for this one? Such leases do not sleep. O(awake leases). */
bool store_has_victim(const struct store *store, int64_t lease);

/* Something is to be done about the lease, or may be; unknown ids are ignored. O(1). */
void store_wake(struct store *store, int64_t lease);
void store_wake_all(struct store *store); /* O(leases) */
/* Those whose time has come. O(1) before the first one's, else O(leases). */
void store_wake_due(struct store *store, int64_t now);
/* When the first one wakes, or before that; INSTANT_NEVER. */
int64_t store_next_wake(const struct store *store);

/* A number that grows with each change that wakes a lease, awake or not; that of the last one of
 * the lease. */
uint64_t store_stirs(const struct store *store);
uint64_t store_stirred(const struct lease_record *lease);
/* That of the last change of its record or one of its VMs': waking alone is none. */
uint64_t store_noted(const struct lease_record *lease);

/* Until then, or until it is woken. The lease must be in the store. */
void store_let_sleep(struct store *store, const struct lease_record *lease, int64_t until);
