/* learned.h: learns how long operations on VMs really take.
 *
 * An operation is measured from its command to the observation that shows its end. That includes
 * the time of oned, its drivers and the polls, since other VMs wait for these as well. Each kind of
 * operation has two models: the same time for every VM, and a time proportional to memory. The
 * model that has been closer to the observations is used; if both are about as close, the one by
 * memory for suspensions and resumptions, and the other one for boots. Both are smoothed (an eighth
 * of a new value, a quarter of a new deviation, as TCP does for round trips, RFC 6298), plus a
 * margin of some deviations (estimate-margin, 2 unless set): a suspension that ends early costs
 * less than a reservation that starts late.
 *
 * Estimates are facts in the store and survive a restart; operations in progress do not. Times are
 * monotonic milliseconds, memory is MB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct histogram;
struct store;
struct learned; /* opaque */

enum operation {
    OPERATION_SUSPEND, /* stop or suspend, until the VM is stopped or suspended */
    OPERATION_RESUME,  /* deploy of a stopped VM, or resume, until the VM runs */
    OPERATION_BOOT,    /* first deploy, until the VM runs */
    OPERATIONS
};

/* The expected duration, as exactly one of seconds and rate. */
struct estimate {
    size_t n;        /* operations observed; 0: no estimate, the rest is 0 */
    int64_t seconds; /* for any VM, >= 1; 0: depends on memory: */
    double rate;     /* MB/s, > 0 */
};

/* Loads the estimates from the store, which must outlive them. Margin: deviations, >= 0. */
struct learned *learned_create(struct store *store, double margin);
void learned_destroy(struct learned *learned); /* NULL is allowed */

/* A command was sent. A measurement in progress for the same VM is discarded. More than 4096
 * operations at once are not measured. */
void learned_begun(struct learned *learned, int32_t vm, enum operation operation, int64_t memory,
                   int64_t at);
/* A poll sent at `at` saw the VM suspended (running). Counts if such an operation is in progress
 * and began before. True: the estimate has changed by a tenth or more. O(log n) for n operations in
 * progress, O(n) when one ends. */
bool learned_suspended(struct learned *learned, int32_t vm, int64_t at);
bool learned_running(struct learned *learned, int32_t vm, int64_t at);
/* The operation failed, the VM was deleted, or a user interfered: not a measurement. */
void learned_forget(struct learned *learned, int32_t vm);

struct estimate learned_of(const struct learned *learned, enum operation operation);

/* By how much operations took longer (shorter) than estimated, margin included, since the estimates
 * were created. */
const struct histogram *learned_errors(const struct learned *learned, enum operation operation,
                                       bool longer);

/* Estimated seconds for a VM with that memory; 0: no estimate. */
int64_t estimate_seconds(const struct estimate *estimate, int64_t memory);
