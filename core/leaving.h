/* leaving.h: moving leases off hosts that they must leave by a time: drained hosts, and hosts that
 * others have reserved. How such a move runs: opportunistic.h.
 */
#ifndef GALERNA_CORE_LEAVING_H
#define GALERNA_CORE_LEAVING_H

struct engine;

/* Plans the moves of the leases that were adopted with leave_by: live, as late as that time allows,
 * to the best of the hosts that they may use to their end. Terms do not matter. A lease without
 * room elsewhere stays, with REASON_CANNOT_LEAVE, and is tried again in the next step. Once a
 * lease was adopted so: O(leases), plus one mapping for each lease that must leave. */
void leave_hosts(struct engine *engine);

/* Takes the moves of leave_hosts() that have not begun out of the plan: what is requested now comes
 * first, and may preempt these leases as any other. Each step plans them again. Moves that make
 * room for another lease stay: they are planned here if they are not, and dropped if they are not
 * needed any more. */
void withdraw_leaves(struct engine *engine);

#endif
