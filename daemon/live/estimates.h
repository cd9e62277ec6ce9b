/* estimates.h: how long operations on VMs really take, learnt from those that were seen.
 *
 * An operation is measured from the command to the observed that shows its end, so what oned, its
 * drivers and the polls take is part of it: that is what others wait for. Two models are kept of
 * each kind: the same time for every VM, and a time in proportion to its memory. The one that has
 * been closer to what was seen counts. Both are smoothed (an eighth of a new figure, a quarter of a
 * new deviation, as TCP does for round trips, RFC 6298), and two deviations are put on top: a
 * suspension that ends early costs less than a reservation that starts late.
 *
 * What was learnt is in the store's facts and survives; operations under way are forgotten with the
 * process. Times are monotonic milliseconds, memory is MB.
 */
#ifndef GALERNA_DAEMON_ESTIMATES_H
#define GALERNA_DAEMON_ESTIMATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;
struct estimates; /* opaque */

enum operation {
    OPERATION_SUSPEND, /* stop or suspend, until it is stopped or suspended */
    OPERATION_RESUME,  /* deploy of a stopped VM or resume, until it runs */
    OPERATION_BOOT,    /* first deploy, until it runs */
    OPERATIONS
};

/* What is expected. One of both is set. */
struct estimate {
    size_t n;        /* operations seen; 0: nothing is known, the rest is 0 */
    int64_t seconds; /* for any VM, >= 1; 0: it depends on its memory: */
    double rate;     /* MB/s, > 0 */
};

/* Takes over what the store has. The store must outlive it. */
struct estimates *estimates_create(struct store *store);
void estimates_destroy(struct estimates *estimates); /* NULL is allowed */

/* A command was sent. One that is under way for the same VM is forgotten. */
void estimates_begun(struct estimates *estimates, int32_t vm, enum operation operation,
                     int64_t memory, int64_t at);
/* The VM was seen suspended (running) by a question asked at that time. It counts when such an
 * operation is under way and began before; true: the estimate has changed noticeably, by a tenth
 * or more. O(log of those under way). */
bool estimates_suspended(struct estimates *estimates, int32_t vm, int64_t at);
bool estimates_running(struct estimates *estimates, int32_t vm, int64_t at);
/* Failed, deleted, or a user interfered: not a measurement. */
void estimates_forget(struct estimates *estimates, int32_t vm);

struct estimate estimates_of(const struct estimates *estimates, enum operation operation);

/* Whole seconds that a VM of that memory takes; 0 when nothing is known. */
int64_t estimate_seconds(const struct estimate *estimate, int64_t memory);

#endif
