/* reevaluation.h: brings planned leases forward when room becomes free.
 *
 * Costs: f = leases that hold a place in the future, n = reservations booked. O(f n) if none can
 * start earlier, else the cost of scheduling the leases that can.
 */
#pragma once

struct engine;

void reevaluate_future(struct engine *engine);

/* Starts planned leases without an end in front of reservations, where they have room now
 * (in_front.h). */
void start_in_front(struct engine *engine);
