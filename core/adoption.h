/* adoption.h: starts an engine from an existing state.
 *
 * A driver whose observations differ from the state of its engine creates a new engine and passes
 * it the current state. It calls engine_begin(), then engine_adopt() for every lease that holds a
 * host, for the promised reservations by start, for deadline leases and for waiting leases; then
 * engine_step() as usual. Admission policies are not called: adopted leases have been accepted
 * before.
 *
 * The outputs of the first step begin with those caused by adoptions (for example, a running lease
 * is preempted for an adopted reservation). The adopted lease itself causes no outputs, except that
 * OUTPUT_VM_INTERVAL reports the planned end of a running lease if it is not the given one.
 */
#pragma once

#include <stdint.h>

#include "core/engine.h"
#include "core/lease_plan.h"

struct vm_units;

enum adopted_as {
    /* The VMs hold their hosts now (they run, boot, or are blocked). Booked even on a host with too
     * little free room; from then on treated like any other running lease. */
    ADOPTED_RUNNING,
    /* Accepted but not begun: a reservation at its exact start, or a deadline lease, which the
     * first step starts earlier than planned if possible. */
    ADOPTED_RESERVED,
    /* Waiting to be resumed. A best-effort lease joins the queue; a deadline lease is planned at
     * once. */
    ADOPTED_SUSPENDED,
    /* Waiting in the queue to be started: never started, or stopped with its work lost. Not for
     * reservations and deadline leases. */
    ADOPTED_QUEUED,
    /* Takes its hosts out of service from `since` (or now) until `until`. Booked beside running
     * leases; never moved. */
    ADOPTED_CLOSING,
    /* The lease's time is over and its VMs are shutting down; they hold their hosts until
     * `until`. */
    ADOPTED_ENDING,
};

struct adoption {
    enum adopted_as as;
    struct lease_request request; /* copied */

    /* The place of each VM (0 = the first).
     * RUNNING, CLOSING, ENDING: its host.
     * SUSPENDED: the host with its memory, on which it is resumed unless the migration setting
     * allows others. NULL: the memory is on storage that every host reaches.
     * RESERVED: the preferred host; NULL or HOST_NONE: any.
     * QUEUED: NULL. */
    const uint32_t *vm_host;

    /* RUNNING, ENDING, SUSPENDED while the suspension is under way: the units that each VM holds
     * (demand.h); NULL: the engine assumes the units that it would choose. */
    const struct vm_units *vm_units;

    /* RUNNING: the start of this stretch; if later than now, the VMs boot or resume until then,
     * holding their hosts, and their run time counts from then. ENDING: the start of the last
     * stretch. RESERVED, and SUSPENDED with a deadline: the planned start, tried first;
     * INSTANT_NONE: unknown. */
    int64_t since;
    /* RUNNING: the end of its VMs' time (the shutdown follows; an overdue shutdown begins now);
     * INSTANT_NEVER: unlimited.
     * ENDING: the end of the shutdown.
     * SUSPENDED: the end of a suspension under way; INSTANT_NONE, or not after now: it is over. */
    int64_t until;
    /* SUSPENDED, while the suspension is under way: the time until which each VM holds its host, at
     * most `until`; NULL: `until` for all of them. */
    const int64_t *vm_until;
    /* RUNNING: the time by which a plan suspends the lease, leaving its hosts to another lease,
     * which thus gets its promised place again; 0 or INSTANT_NONE: no such plan. Dropped if it is
     * too late. */
    int64_t suspend_at;
    /* RUNNING with suspend_at and a deadline: the planned start of the resumption, tried first; 0
     * or INSTANT_NONE: unknown. */
    int64_t resume_at;
    /* RUNNING: the time by which the VMs move off hosts that the filters of their node sets
     * exclude, or that have no room from then on; a past time: at once; 0 or INSTANT_NONE: no VM
     * has to move. See leave_hosts(). */
    int64_t leave_by;
    /* RUNNING, with leave_by: the move is optional, and new requests come before it. */
    bool only_wanted;
    /* RUNNING without an end, with leave_by: its hosts are promised to lease leave_for from then on
     * (in_front.h). The lease is booked until then; the first step plans the move before it handles
     * requests. Without room elsewhere the lease stays, with REASON_CANNOT_LEAVE. */
    bool makes_room;
    int64_t leave_for;
    /* Seconds run in earlier stretches whose work is kept; ENDING: in total; RESERVED: 0. */
    int64_t accumulated;
    /* SUSPENDED, QUEUED: not (re)started earlier; INSTANT_NONE: at once. */
    int64_t not_before;
};

/* Sets the instant at which the engine begins; once, before the first adoption. EINVAL: the engine
 * has begun. */
int engine_begin(struct engine *engine, int64_t now, struct error *err);

/* Takes over the lease in its current state. 0: done. 1: there is no place for it (a reservation
 * without room, a waiting lease too large for its allowed hosts): the lease is in state
 * LEASE_REJECTED with its reason, see engine_lease(), and may be forgotten; nothing else has
 * changed. -1 with EINVAL: called before engine_begin() or after the first step, duplicate id,
 * malformed request, unknown host of a VM, contradictory times; the engine is unchanged. RUNNING,
 * SUSPENDED, QUEUED: amortised O(log n) plus the booking. RESERVED: the cost of scheduling the
 * lease. */
int engine_adopt(struct engine *engine, const struct adoption *adoption, struct error *err);
