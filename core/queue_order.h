/* queue_order.h: the order in which waiting leases are tried.
 *
 * Costs: n = waiting leases. Order: O(n log n). Next: O(n + places in the future).
 */
#ifndef GALERNA_CORE_QUEUE_ORDER_H
#define GALERNA_CORE_QUEUE_ORDER_H

#include "core/leases.h"

/* Leases of higher priority come first, among equals the older ones. False: priorities do not
 * differ, or the policy sees it the other way round, and the order is that of submission. */
bool queue_put_in_order(const struct engine *engine, struct lease_list *queue);

/* The most important of the queue, if less important ones hold places in the future; or NULL. */
struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue);

/* Leases that hold places in the future and are less important than this one give them up and go to
 * the end of `queue`. */
void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease *lease);

#endif
