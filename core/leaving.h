/* leaving.h: moves leases off hosts that they must leave by a given time: drained hosts, and hosts
 * reserved by others. opportunistic.h describes how such a move runs.
 */
#pragma once

struct engine;
struct lease_list;
struct lease;

/* New requests do not take the room to which a non-preemptable lease must move. They come before
 * optional moves, and before moves of leases that they may preempt. */
enum leaving {
    LEAVING_FIRM,   /* planned before new requests */
    LEAVING_YIELDS, /* planned after new requests, but before the queue */
};

/* Plans live moves of the leases adopted with leave_by, as late as that time allows, to the best
 * hosts that they may use until their end. A lease without room elsewhere stays, with
 * REASON_CANNOT_LEAVE, and is tried again in the next step. O(1) until a lease is adopted with
 * leave_by, then O(leases), plus one mapping for each lease that must leave. */
void leave_hosts(struct engine *engine, enum leaving which);

/* Places reservations, immediate and deadline leases that found no room beside the firm moves, if
 * the moves find other room, and removes them from the list. Costs: a mapping for each lease, and
 * those of leave_hosts() for each lease that has room without the moves and once at the end. */
void schedule_beside_leaves(struct engine *engine, struct lease_list *refused);

/* Removes the moves of leave_hosts() that have not begun from the plan; each step plans them again.
 * Moves that make room for another lease stay: this function plans them if necessary, and drops
 * them when they are no longer needed. */
void withdraw_leaves(struct engine *engine);
