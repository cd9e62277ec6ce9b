/* sleep.h: which leases a cycle looks at (daemon/store/awake.h).
 *
 * A lease goes to sleep when a whole cycle has changed nothing about it, its phase waits for no
 * more than its VMs, its owner or a time, and its VMs are seen to be where they should be. A change
 * of what is observed of its VMs wakes it, as a change of its records does. What concerns all
 * leases (a reload, who acts, broken rules of VM groups) wakes all of them; so does the passing of
 * a minute, in case a cycle was wrong about one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;

struct sleep {
    uint64_t cycle;  /* store_stirs() when the cycle began */
    int64_t all_at;  /* monotonic milliseconds: when all leases were last awake */
    bool acted;      /* as then */
    bool broke_rule; /* rules of VM groups were broken then */
};

/* A cycle begins: wakes the leases that it has to look at. */
void sleep_begin(struct daemon *daemon, int64_t now);
/* It has taken all its steps: leases for which nothing was done may go to sleep. */
void sleep_end(struct daemon *daemon);
