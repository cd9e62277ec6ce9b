/* adoption.h: starts an engine from an existing state.
 *
 * A driver that finds reality different from what its engine assumed creates a new engine and hands
 * it the current state: engine_begin(), then engine_adopt() for every lease that holds a host, then
 * for the promised reservations, by start, then for deadline leases, then for waiting leases; then
 * engine_step() as usual. No admission policy is asked: adopted leases have been accepted before.
 *
 * Outputs that an adoption causes (a running lease is preempted for an adopted reservation) come
 * first among those of the first step. The adopted lease itself causes no outputs: it is in its
 * state as if this engine had put it there; only for a running lease OUTPUT_VM_INTERVAL reports the
 * planned end.
 */
#pragma once

#include <stdint.h>

#include "core/engine.h"
#include "core/lease_plan.h"

struct vm_units;

enum adopted_as {
    /* The VMs hold their hosts now (they run, boot, or are blocked). Booked even where a host has
     * less free than that; from then on treated like any other running lease. */
    ADOPTED_RUNNING,
    /* Accepted but not begun: a reservation at its exact start, or a deadline lease, which the
     * first step starts earlier than planned where that is possible. */
    ADOPTED_RESERVED,
    /* Waiting to be resumed: a best-effort lease in the queue; a deadline lease is planned at
     * once. */
    ADOPTED_SUSPENDED,
    /* Waiting in the queue to be started: never begun, or stopped with its work lost. Neither a
     * reservation nor a deadline lease. */
    ADOPTED_QUEUED,
    /* Takes its hosts out of service from `since`, or now, until `until`: booked beside what runs
     * there. Never moved. */
    ADOPTED_CLOSING,
    /* The lease's time is over and its VMs are shutting down; they hold their hosts until
     * `until`. */
    ADOPTED_ENDING,
};

struct adoption {
    enum adopted_as as;
    struct lease_request request; /* copied */

    /* The place of each VM (0 = the first).
     * RUNNING, CLOSING, ENDING: where it is.
     * SUSPENDED: where its memory is; resumed there unless the migration setting allows others.
     *            NULL: on storage that every host reaches.
     * RESERVED: where it should go if that is possible; NULL or HOST_NONE: anywhere.
     * QUEUED: NULL. */
    const uint32_t *vm_host;

    /* RUNNING, ENDING, SUSPENDED while the suspension is under way: one entry per VM: what it holds
     * there (demand.h); NULL: the engine assumes what it would choose. */
    const struct vm_units *vm_units;

    /* RUNNING: when this stretch began; if later than now, the VMs boot or resume until then and
     * hold their hosts, and their run time counts from then. ENDING: when the last stretch began.
     * RESERVED, and SUSPENDED with a deadline: the planned begin, tried first; INSTANT_NONE:
     * unknown. */
    int64_t since;
    /* RUNNING: when its VMs' time is over (the shutdown follows; what should have begun earlier
     * begins now); INSTANT_NEVER: unlimited.
     * ENDING: when the shutdown will be over.
     * SUSPENDED: the suspension is still under way until then; INSTANT_NONE, or not after now: it
     * is over. */
    int64_t until;
    /* SUSPENDED, while the suspension is under way: until when each VM holds its host, at most
     * `until`; NULL: all of them until `until`. */
    const int64_t *vm_until;
    /* RUNNING: the time by which the lease was planned to be suspended and off its hosts for
     * another lease, so that that lease gets the promised place again; 0 or INSTANT_NONE: no such
     * plan. Dropped if it is too late for it. */
    int64_t suspend_at;
    /* RUNNING with suspend_at and a deadline: the planned begin of the resumption, tried first; 0
     * or INSTANT_NONE: unknown. */
    int64_t resume_at;
    /* RUNNING: by then the VMs move off the hosts that the filters of their node sets exclude, or
     * that have no room from then on; a past time: at once; 0 or INSTANT_NONE: none has to move.
     * See leave_hosts(). */
    int64_t leave_by;
    /* RUNNING, with leave_by: nothing requires the move: what is requested comes first. */
    bool only_wanted;
    /* RUNNING without an end, with leave_by: its hosts are promised to lease leave_for from then on
     * (in_front.h). Booked until then; the first step plans the move before anything is requested.
     * Without room elsewhere it stays, with REASON_CANNOT_LEAVE. */
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
 * that cannot be given room, a waiting lease that its allowed hosts could never hold): the lease is
 * in state LEASE_REJECTED with its reason, see engine_lease(), and may be forgotten; nothing else
 * has changed. -1 with EINVAL: called before engine_begin() or after the first step, duplicate id,
 * malformed request, unknown host of a VM, contradictory times; the engine is as before. RUNNING,
 * SUSPENDED, QUEUED: amortised O(log n) plus the booking. RESERVED: as much as scheduling the
 * lease. */
int engine_adopt(struct engine *engine, const struct adoption *adoption, struct error *err);
