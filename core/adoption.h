/* adoption.h: an engine that begins in the middle of things.
 *
 * A driver that finds reality different from what its engine assumed makes a new one and tells it
 * what is there: engine_begin(), then engine_adopt() for everything that holds a host, then for
 * the reservations that were promised, by start, then for deadline leases, then for what waits;
 * then engine_step() as always. No admission policy is asked: what is adopted has been accepted
 * before.
 *
 * Outputs that an adoption causes (a running lease is preempted for an adopted reservation) come
 * first in those of the first step. An adopted lease itself has none at that time: it is there, in
 * its state, as if this engine had put it there; of a running one OUTPUT_VM_INTERVAL tells the
 * planned end.
 */
#ifndef GALERNA_CORE_ADOPTION_H
#define GALERNA_CORE_ADOPTION_H

#include <stdint.h>

#include "core/engine.h"
#include "core/plan.h"

enum adopted_as {
    /* Its VMs hold their hosts now (they run, boot, or are blocked). Booked
     * even where a host has less than that; from then on a lease like any other that runs. */
    ADOPTED_RUNNING,
    /* Accepted before and not begun: a reservation at its exact start, or a deadline lease. */
    ADOPTED_RESERVED,
    /* Waits to be resumed: best-effort in the queue, a deadline lease is planned at once. */
    ADOPTED_SUSPENDED,
    /* Waits in the queue to be started: never begun, or stopped with its work lost. Neither a
     * reservation nor a deadline lease. */
    ADOPTED_QUEUED,
    /* Its time is over and its VMs are being shut down; they hold their hosts until `until`. */
    ADOPTED_ENDING,
};

struct adoption {
    enum adopted_as as;
    struct lease_request request; /* copied */

    /* The place of each VM (0 = the first).
     * RUNNING, ENDING: where it is.
     * SUSPENDED: where its memory is; resumed there unless the migration setting allows others.
     *            NULL: on storage that every host reaches.
     * RESERVED: where it should go if that is possible; NULL or HOST_NONE: anywhere.
     * QUEUED: NULL. */
    const uint32_t *vm_host;

    /* RUNNING: when this stretch began; later than now: its VMs boot or are resumed until then, and
     * hold their hosts. Their time counts from then. ENDING: when the last stretch began. RESERVED
     * and SUSPENDED with a deadline: when it was to begin, tried first; INSTANT_NONE: not known. */
    int64_t since;
    /* RUNNING: when its VMs' time is over (the shutdown follows; what should have begun earlier
     * begins now); INSTANT_NEVER: unlimited.
     * ENDING: when the shutdown will be over.
     * SUSPENDED: the suspension is still under way until then; INSTANT_NONE, or not after now: it
     * is over. */
    int64_t until;
    /* SUSPENDED, while the suspension is under way: until when each VM holds its host, at most
     * `until`; NULL: all until then. */
    const int64_t *vm_until;
    /* RUNNING: it was planned to be suspended for another lease and off its hosts by then, so that the
     * lease they were promised to finds its place again; 0 or INSTANT_NONE: no such plan. Not kept if
     * it is too late for it. */
    int64_t suspend_at;
    /* RUNNING with suspend_at, and a deadline: when its resumption was planned to begin, tried
     * first; 0 or INSTANT_NONE: not known. */
    int64_t resume_at;
    /* Seconds run in earlier stretches whose work is kept; ENDING: in all; RESERVED: 0. */
    int64_t accumulated;
    /* SUSPENDED, QUEUED: not (re)started earlier; INSTANT_NONE: at once. */
    int64_t not_before;
};

/* The instant at which the engine begins; before the first adoption, once. EINVAL: it has begun. */
int engine_begin(struct engine *engine, int64_t now, struct error *err);

/* Take the lease in as it is. 0: done. 1: there is no place for it (a reservation that nothing
 * makes room for, a waiting lease that the hosts it may use could never hold): the lease is in
 * state LEASE_REJECTED with its reason, see engine_lease(), and may be forgotten; nothing else has
 * changed. -1 with EINVAL: not before the first step after engine_begin(), the id is there already,
 * the request is malformed, a VM's host is unknown, times contradict each other; the engine is as
 * before. RUNNING, SUSPENDED, QUEUED: amortised O(log n) and what booking costs. RESERVED: as much
 * as scheduling it. */
int engine_adopt(struct engine *engine, const struct adoption *adoption, struct error *err);

#endif
