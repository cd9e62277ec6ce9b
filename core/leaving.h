/* leaving.h: moving leases off hosts that they must leave by a time: drained hosts, and hosts that
 * others have reserved. How such a move runs: opportunistic.h.
 */
#pragma once

#include <stdbool.h>

struct engine;
struct lease_list;
struct lease;

/* What is requested now does not take the room to which a lease that is never preempted must move;
 * it comes before moves that are only wanted, and before leases that it may preempt as any other.
 */
enum leaving {
    LEAVING_FIRM,   /* planned before what is requested */
    LEAVING_YIELDS, /* after it, but before the queue */
};

/* Plans the moves of the leases that were adopted with leave_by: live, as late as that time allows,
 * to the best of the hosts that they may use to their end. A lease without room elsewhere stays,
 * with REASON_CANNOT_LEAVE, and is tried again in the next step. Once a lease was adopted so:
 * O(leases), plus one mapping for each lease that must leave. */
void leave_hosts(struct engine *engine, enum leaving which);

/* Reservations, immediate and deadline leases that found no room beside the firm moves are placed
 * where these find other room, and taken out of the list. Costs: a mapping for each lease; for each
 * that has room without the moves, as leave_hosts(), which is called at the end, too. */
void schedule_beside_leaves(struct engine *engine, struct lease_list *refused);

/* Takes the moves of leave_hosts() that have not begun out of the plan; each step plans them again.
 * Moves that make room for another lease stay: they are planned here if they are not, and dropped
 * if they are not needed any more. */
void withdraw_leaves(struct engine *engine);
