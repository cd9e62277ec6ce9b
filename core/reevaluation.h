/* reevaluation.h: planned leases are brought forward when room comes back.
 *
 * Costs: f = leases that hold a place in the future, n = reservations booked. O(f n) to see that
 * none can start earlier; else as scheduling the leases that can.
 */
#ifndef GALERNA_CORE_REEVALUATION_H
#define GALERNA_CORE_REEVALUATION_H

struct engine;

void reevaluate_future(struct engine *engine);

#endif
