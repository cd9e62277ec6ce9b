/* sleep.h: selects the leases that a cycle examines (daemon/store/awake.h).
 *
 * A lease goes to sleep after a whole cycle without a change to it, if its phase waits only for its
 * VMs, its owner or a time, and its VMs are observed where they should be. A changed observation of
 * its VMs wakes it, as does a change of its records. Changes that concern all leases (a reload,
 * another acting galernad, broken rules of VM groups) wake all of them; so does the passing of a
 * minute, in case a cycle let one sleep by mistake.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;

struct sleep {
    uint64_t cycle;  /* store_stirs() when the cycle began */
    int64_t all_at;  /* monotonic milliseconds: when all leases were last awake */
    bool acted;      /* whether this daemon acted then */
    bool broke_rule; /* whether rules of VM groups were broken then */
};

/* A cycle begins: wakes the leases that it must examine. */
void sleep_begin(struct daemon *daemon, int64_t now);
/* The cycle has taken all its steps: unchanged leases may go to sleep. */
void sleep_end(struct daemon *daemon);
