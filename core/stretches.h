/* stretches.h: the stretches of a lease in slot table, indexes and plan.
 *
 * Costs: as booking their reservations (booking.h).
 */
#ifndef GALERNA_CORE_STRETCHES_H
#define GALERNA_CORE_STRETCHES_H

#include "core/proposal.h"

/* Books a proposal as the lease's next stretch; consumes its reservations. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* Withdraws the last stretch. */
void stretch_withdraw(struct engine *engine, struct lease *lease);

/* The same, including the lease's preparation and its place in the future. */
void unschedule_lease(struct engine *engine, struct lease *lease);

#endif
