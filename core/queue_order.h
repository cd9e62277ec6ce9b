/* queue_order.h: the order in which waiting leases are tried.
 *
 * Costs: n = waiting leases. Order: O(n log n). Next: O(n + places in the future).
 */
#pragma once

#include "core/leases.h"

/* Orders the queue by priority, then fair share (fair_share.h), then submission: a preempted lease
 * goes before those submitted after it. False: priorities were ignored, since all are equal or the
 * policy disagrees. */
bool queue_put_in_order(const struct engine *engine, struct lease_list *queue);

/* Does the lease go before the other, and does the policy agree? It may favor leases that have
 * waited long. */
bool queue_outranks(const struct engine *engine, const struct lease *lease,
                    const struct lease *other);

/* Sorts in the same order; without `by_priority`, all priorities count as equal. O(n log n). */
void queue_sort(const struct engine *engine, struct lease **leases, size_t n, bool by_priority);

/* The queued lease of the highest rank that is not stuck, if leases of lower rank hold places in
 * the future, which fill `holders`; else NULL. */
struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue,
                                     struct lease_list *holders);

/* Moves the holders from their places in the future to the end of `queue`. */
void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease_list *holders);
