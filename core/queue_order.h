/* queue_order.h: the order in which waiting leases are tried.
 *
 * Costs: n = waiting leases. Order: O(n log n). Next: O(n + places in the future).
 */
#pragma once

#include "core/leases.h"

/* Leases of higher priority come first, then those of owners whose turn it is (fair_share.h), then
 * older ones. False: without the priorities, which are equal, or the policy disagrees. */
bool queue_put_in_order(const struct engine *engine, struct lease_list *queue);

/* That order; without `by_priority` all priorities count as equal. O(n log n). */
void queue_sort(const struct engine *engine, struct lease **leases, size_t n, bool by_priority);

/* The most important queued lease, if less important ones hold places in the future; or NULL. */
struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue);

/* Leases less important than this one lose their places in the future and go to the end of
 * `queue`. */
void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease *lease);
