/* account.h: who used and reserved how much between two times, from what the store keeps.
 *
 * For how long a lease ran is in its record; when it ran, in its history: the time it ran is spread
 * over the times at which it was running by its history, so that periods that follow each other add
 * up to what the record says. Leases that the store has dropped (`history-keep`) do not count.
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
    int64_t leases; /* that were not over at the beginning, nor requested after the end */
    int64_t refused, late, preemptions;
    int64_t cpu, memory;   /* used */
    int64_t cpu_reserved;  /* by reservations: their time, until they were over */
    int64_t cpu_kept;      /* of that, used */
    int64_t waited, waits; /* seconds from the request, or the time before which the lease may not
                              start, to the first start; of so many leases */
};

/* An account that is made in pieces, between which the store may change. */
struct account; /* opaque */

/* Leases in memory are taken at once: O(leases and VMs there). The store must outlive the
 * result. */
struct account *account_begin(struct store *store, const struct account_period *period);
void account_destroy(struct account *account); /* NULL is allowed */

/* Reads at most `limit` further leases, VMs or events. 1: there is more; 0: that was all; -1 with
 * err: the store cannot be read. About 20 us for each at most. */
int account_go_on(struct account *account, size_t limit, struct error *err);

/* Once all is read: the rows, ascending by name, to be freed, and the period. */
struct account_row *account_rows(struct account *account, struct account_period *period, size_t *n);
