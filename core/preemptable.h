/* preemptable.h: checks before a lease makes room. Queries only.
 *
 * `at`: the time at which the lease's hosts must be free. Costs: those of laying out its suspension
 * (windows.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease_plan.h"

struct engine;

/* The terms on which the lease makes room. O(1). */
enum lease_terms terms_when_preempted(const struct engine *engine, const struct lease *lease);

/* Is a suspension allowed and worthwhile? promised: the room was promised to another lease before,
 * so the second check is skipped. */
bool can_suspend(struct engine *engine, const struct lease *lease, int64_t at, bool promised);

/* Is there time for a suspension that ends at `at`? If so, fills windows with its reservations. */
bool suspension_fits(struct engine *engine, struct lease *lease, int64_t at,
                     struct reservation_list *windows);

/* can_suspend() and suspension_fits(). */
bool can_be_suspended_at(struct engine *engine, struct lease *lease, int64_t at, bool promised);

/* Does fair share protect the lease from `preemptor`, which has the same priority but whose owner
 * comes after the lease's owner? The policy might otherwise favor leases that have waited long.
 * O(1). */
bool is_protected_by_share(const struct engine *engine, const struct lease *lease,
                           const struct lease *preemptor);

/* Can the lease free its hosts by `at` through suspension or a stop? */
bool is_preemptable_at(struct engine *engine, struct lease *lease, int64_t at);
