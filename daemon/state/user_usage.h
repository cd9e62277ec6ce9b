/* user_usage.h: the usage of users, for fair share (core/fair_share.h).
 *
 * A lease's CPU time is charged to its owner when its VMs have stopped: the store has an account
 * for each user in a group, as a fact, and each lease records the time charged. Uncharged time of
 * running VMs is added when usage is requested. Thus nothing is written while they run, and VMs
 * that ran while the daemon was down count.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/fair_share.h"
#include "daemon/store/store.h"

struct used {
    int32_t uid, gid;
    double used; /* after decay: core/usage.h */
};

/* All users with an account or VMs, in no particular order; to be freed. O(accounts + leases in
 * memory). */
struct used *usage_now(const struct store *store, const struct fair_share_settings *settings,
                       int64_t now, size_t *n);

/* The shares with the present usage. To be destroyed. */
struct fair_share *usage_shares(const struct store *store,
                                const struct fair_share_settings *settings, int64_t now);

/* Charge the lease's run time so far to its owner, who is about to change. */
void usage_charge_lease(struct store *store, const struct fair_share_settings *settings,
                        const struct lease_record *lease, int64_t now);

/* Charge leases whose VMs have stopped; to be called before each commit. O(leases that are
 * awake). */
void usage_charge(struct store *store, const struct fair_share_settings *settings, int64_t now);
