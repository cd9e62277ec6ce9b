/* schedule.h: schedules one lease: places and books it, and preempts its victims.
 *
 * Costs: those of finding the place (placing.h) and of preempting each victim.
 */
#pragma once

#include <stdbool.h>

#include "core/proposal.h"

/* Places the lease and books it; false, with lease->reason set, if it cannot be placed. */
bool engine_schedule_lease(struct engine *engine, struct lease *lease, bool may_wait);

/* Would the lease get a place if these planned leases gave up theirs? Changes nothing but its
 * reason. Costs: releasing them, and finding the place. */
bool engine_would_schedule(struct engine *engine, struct lease *lease, bool may_wait,
                           const struct lease_list *without);

/* Schedules the lease with a proposal that a search has just found; consumes it. */
bool engine_schedule_as(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* Books the proposal, preempts its victims, and sets the lease's state; consumes the proposal.
 * False: the image or the memory cannot arrive in time, or a deadline lease would be late; nothing
 * has changed. */
bool proposal_accept(struct engine *engine, struct lease *lease, struct proposal *proposal);
