/* reevaluation.h: planned leases are brought forward when room comes back.
 *
 * Costs: f = leases that hold a place in the future, n = reservations booked. O(f n) to see that
 * none can start earlier; else as scheduling the leases that can.
 */
#pragma once

struct engine;

void reevaluate_future(struct engine *engine);
