/* proposal.h: a placement that was found but is not booked. O(its reservations).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease_plan.h"
#include "core/leases.h"

struct engine;

struct proposal {
    struct reservation_list preparation;
    size_t n_transfers;       /* in preparation, until it is taken over and after that */
    struct reservation *ride; /* a planned transfer of another lease, shared by the riders */
    struct placed_vm *riders;
    uint32_t n_riders;
    struct vm_plan plan;
    struct vm_plan next;       /* running on, on other hosts; without a VM reservation: none */
    int64_t leave_by;          /* then: when the hosts of `plan` are another lease's, ... */
    int64_t leave_for;         /* ... and whose */
    bool before_closing;       /* ... or no lease's, but out of service */
    struct lease_list victims; /* leases that make room */
    bool suspend_victims;      /* whatever the victims' terms are */
    bool in_future;
    int64_t start;      /* of the first operation */
    int64_t held_until; /* the hosts are free for the lease until then */
};

/* Frees everything that was not taken over. */
void proposal_finish(struct proposal *proposal);

/* Gives the last seconds of a stretch to the shutdown. */
void carve_shutdown(struct engine *engine, struct lease *lease, struct vm_plan *plan);
