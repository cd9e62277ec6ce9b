/* slot_table_state.h: the parts of a slot table, for its own files only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/presence.h"
#include "core/slot_table.h"
#include "core/total.h"

struct journal_entry {
    struct reservation *reservation;
    int sign; /* -1: booked, +1: released */
};

/* Consecutive reservations of a lease on a host, with the same amounts. */
struct hold {
    uint32_t host;
    int64_t from, until;
    const int64_t *amounts;
};

/* A permanent release on a host, at one version of the table. */
struct release {
    uint64_t version;
    struct interval during;
};

enum { RELEASES_KEPT = 4 };

struct slot_table {
    const struct site *site;
    struct profile *profiles; /* one per host */
    struct total total;       /* free CPU of all hosts together, for quick refusals */
    struct occupancy *occupancy;
    struct presence *presence;
    int64_t now;
    uint64_t version, advances;
    uint32_t ever_negative;                    /* 1 << type: the type was overbooked at some time */
    struct release (*released)[RELEASES_KEPT]; /* per host: the last releases, newest first */

    /* The current state of every host, in columns, for queries about now. */
    int64_t *now_free[RESOURCE_TYPES_MAX];
    int64_t *now_until;   /* when the host changes next */
    int64_t *block_until; /* no host of a block changes before; may be earlier than necessary */
    int64_t free_cpu_now;

    uint32_t changed_hosts[SLOT_TABLE_CHANGES_KEPT]; /* a ring */
    uint64_t n_changes;

    struct hold *holds; /* scratch */
    size_t n_holds, holds_allocated;
    uint32_t *hold_of; /* per host: the number of its hold, from 1; 0: none */

    struct journal_entry *journal;
    size_t n_journal, journal_allocated;
    size_t marks; /* open marks */
};

static inline bool takes_time(const struct reservation *r)
{
    return r->from < r->until;
}

/* Is it to be booked (-1), or released (+1)? */
static inline bool is_open(const struct reservation *r, int sign)
{
    return takes_time(r) && presence_has(r) == (sign > 0);
}

/* Fills `holds` with the lease's amounts on each host, from the reservations of a list. False: on a
 * host these are not one stretch of time with the same amounts, or another reservation of the lease
 * overlaps. */
bool slot_table_gather_holds(struct slot_table *table, struct reservation *const *list, size_t n,
                             int sign);
