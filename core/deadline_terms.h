/* deadline_terms.h: what deadline leases allow. Questions only.
 *
 * Costs: O(reservations of the lease), and where a suspension is laid out, that (windows.h).
 */
#ifndef GALERNA_CORE_DEADLINE_TERMS_H
#define GALERNA_CORE_DEADLINE_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

/* Its image has to be sent: such a lease is not moved. */
bool has_image_transfer(const struct engine *engine, const struct lease *lease);

/* A deadline lease whose last stretch is planned and has not begun. */
bool deadline_waits(const struct lease *lease);

/* A deadline lease that runs to its end as things stand, and may be suspended for a while. */
bool deadline_runs(const struct engine *engine, const struct lease *lease);

/* Seconds the lease still has to run when its last stretch is left out. */
int64_t left_to_run(const struct lease *lease);

/* How tight a lease is: the time there is over the time it needs, in 1/1000. */
int64_t stretch_of(const struct engine *engine, const struct lease *lease, int64_t remaining);

/* Do its terms and the time there is let this deadline lease be off its hosts at `at`? Whether
 * there is room for it afterwards is not looked at. O(VMs). */
bool deadline_may_make_room(struct engine *engine, struct lease *lease, int64_t at);

/* Do its terms let it make room, and only the time there is does not? */
bool deadline_would_be_late(struct engine *engine, struct lease *lease, int64_t at);

#endif
