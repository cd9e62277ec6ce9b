/* proposal.h: a place that was found but is not booked. Costs: O(its reservations). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease_plan.h"
#include "core/leases.h"

struct engine;

struct proposal {
    struct reservation_list preparation;
    size_t n_transfers;       /* in preparation, before and after it is taken over */
    struct reservation *ride; /* a planned transfer of another lease, shared by the riders */
    struct placed_vm *riders;
    uint32_t n_riders;
    struct vm_plan plan;
    struct vm_plan next;       /* the continuation on other hosts; without a VM reservation: none */
    int64_t leave_by;          /* with `next`: when the hosts of `plan` go to another lease, ... */
    int64_t leave_for;         /* ... and to which */
    bool before_closing;       /* ... or true if they go out of service instead */
    struct lease_list victims; /* leases that make room */
    bool suspend_victims;      /* regardless of the victims' terms */
    bool in_future;
    int64_t start;      /* of the first operation */
    int64_t held_until; /* the hosts are free for the lease until then */
};

/* Frees all parts that were not taken over. */
void proposal_finish(struct proposal *proposal);

/* Uses the last seconds of a stretch for the shutdown. */
void carve_shutdown(struct engine *engine, struct lease *lease, struct vm_plan *plan);
