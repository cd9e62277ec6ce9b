/* unfinished.h: accepted, unfinished leases, for admission policies.
 *
 * A lease that the policy admits is stored at once, so that the next request at the same time is
 * checked against it; a later event confirms its acceptance. Leases that are not accepted after all
 * (another policy, no room, only a trial) are removed with the event, or when time advances.
 */
#pragma once

#include <stdlib.h>

#include "galerna_policy.h"

struct live_lease {
    int64_t id;
    int64_t user;
    int64_t at; /* time of its admission */
    uint32_t vms;
    bool external, reservation;
    bool accepted;
    bool parked;             /* by its user, so that it neither waits nor runs */
    int64_t cpu;             /* of all VMs, 1/100 of a processor */
    int64_t start, duration; /* as requested; start: also an earliest start */
    int64_t ran;             /* seconds before `since`, or before `stopped` */
    int64_t since;           /* start of the present run of its VMs; GALERNA_NONE: they do not run
                              */
    int64_t stopped;
};

struct live_leases {
    struct live_lease *items;
    size_t n, allocated;
};

static inline struct live_lease *live_find(const struct live_leases *live, int64_t id)
{
    for (size_t i = live->n; i > 0; i--) /* the youngest are last, and are searched most often */
        if (live->items[i - 1].id == id)
            return &live->items[i - 1];
    return NULL;
}

static inline void live_remove(struct live_leases *live, int64_t id)
{
    struct live_lease *found = live_find(live, id);

    if (found)
        *found = live->items[--live->n];
}

/* Removes leases that were admitted at another time and not accepted. */
static inline void live_forget(struct live_leases *live, int64_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < live->n; i++)
        if (live->items[i].accepted || live->items[i].at == now)
            live->items[kept++] = live->items[i];
    live->n = kept;
}

/* Total request of all VMs of the lease; at most 2^53, so that sums do not overflow. */
static inline int64_t live_amount(const struct galerna_host *host,
                                  const struct galerna_lease *lease, uint32_t type)
{
    const int64_t most = INT64_C(1) << 53;
    int64_t sum = 0;

    for (uint32_t vm = 0; vm < host->lease_vms(lease); vm++) {
        int64_t amount = host->lease_amount(lease, vm, type);

        sum = amount > most - sum ? most : sum + amount;
    }
    return sum;
}

/* Adds a lease, or updates it. False: out of memory. */
static inline bool live_add(struct live_leases *live, const struct galerna_host *host,
                            const struct galerna_lease *lease, int64_t now, bool accepted)
{
    struct live_lease *found = live_find(live, host->lease_id(lease));

    if (!found) {
        if (live->n == live->allocated) {
            size_t more = live->allocated ? 2 * live->allocated : 64;
            void *items = realloc(live->items, more * sizeof *live->items);

            if (!items)
                return false;
            live->items = (struct live_lease *)items;
            live->allocated = more;
        }
        found = &live->items[live->n++];
        *found = (struct live_lease){.since = GALERNA_NONE, .stopped = now};
    }
    *found = (struct live_lease){
        .id = host->lease_id(lease),
        .user = host->lease_user(lease),
        .at = now,
        .vms = host->lease_vms(lease),
        .external = host->lease_origin(lease) == GALERNA_ORIGIN_EXTERNAL,
        .reservation = host->lease_kind(lease) == GALERNA_LEASE_RESERVATION,
        .accepted = found->accepted || accepted,
        .cpu = live_amount(host, lease, GALERNA_CPU),
        .start = host->lease_start(lease),
        .duration = host->lease_duration(lease),
        .ran = found->ran,
        .since = found->since,
        .stopped = found->stopped,
        .parked = found->parked,
    };
    return true;
}

static inline void live_finish(struct live_leases *live)
{
    free(live->items);
}
