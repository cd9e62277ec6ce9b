/* stretches.h: enters and removes stretches of a lease in slot table, indexes and plan.
 *
 * Costs: those of booking their reservations (reservations.h).
 */
#pragma once

#include "core/proposal.h"

/* Books a proposal as the lease's next stretch; consumes its reservations. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal);

/* Releases the stretch from the slot table but keeps it in the plan. For trials. */
void stretch_release(struct engine *engine, const struct vm_plan *stretch);

/* Withdraws the last stretch. */
void stretch_withdraw(struct engine *engine, struct lease *lease);

/* The same, including the lease's preparation and its place in the future. */
void unschedule_lease(struct engine *engine, struct lease *lease);

/* At the end of a lease: ends its migrations that are not over, or, where they continue
 * (behaviour.h), leaves them behind; the lease lists them as done. */
void end_migrations(struct engine *engine, struct lease *lease);
