/* account.h: usage and reservations of users or groups between two times, from the store.
 *
 * A lease's record gives its run time, and its history when it ran. The run time is spread over
 * those times, so the accounts of consecutive periods add up to the record. Leases that the store
 * has dropped (`history-keep`) do not count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/store.h"

struct account_period {
    int64_t from, until; /* seconds since 1970 */
    int64_t now;
    bool by_group; /* a row for each group, else for each user */
};

/* CPU in 1/100, memory in MB, each times seconds. */
struct account_row {
    char name[STORE_NAME_MAX];
    int64_t leases; /* not over before the period, nor requested after it */
    int64_t refused, late, preemptions;
    int64_t cpu, memory;   /* used */
    int64_t cpu_reserved;  /* by reservations: their time until they were over */
    int64_t cpu_kept;      /* the used part of cpu_reserved */
    int64_t waited, waits; /* seconds from the request, or from the earliest start of the lease,
                              to the first start; number of leases with a first start in the
                              period */
};

/* An account that is computed in pieces; the store may change between them. */
struct account; /* opaque */

/* Takes leases in memory at once: O(leases and VMs there). The store must outlive the result. */
struct account *account_begin(struct store *store, const struct account_period *period);
void account_destroy(struct account *account); /* NULL is allowed */

/* Read at most `limit` further leases, VMs or events, in up to 20 us each. 1: more remain; 0:
 * finished; -1 with err: the store cannot be read. */
int account_go_on(struct account *account, size_t limit, struct error *err);

/* After the last piece: the rows, ascending by name, to be freed, and the period. */
struct account_row *account_rows(struct account *account, struct account_period *period, size_t *n);
