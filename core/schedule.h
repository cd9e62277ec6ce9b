/* schedule.h: one lease: placed, booked, its victims preempted.
 *
 * Costs: as finding the place (placing.h), and for victims as preempting each.
 */
#ifndef GALERNA_CORE_SCHEDULE_H
#define GALERNA_CORE_SCHEDULE_H

#include <stdbool.h>

#include "core/proposal.h"

/* Place the lease and book it; false with lease->reason set when it cannot be placed. */
bool engine_schedule_lease(struct engine *engine, struct lease *lease, bool may_wait);

/* Book the proposal, preempt its victims, and set the lease's state; uses the proposal up. False:
 * its image cannot be there in time, or a deadline lease would be late; nothing has changed. */
bool proposal_accept(struct engine *engine, struct lease *lease, struct proposal *proposal);

#endif
