/* requests.h: new leases, and the pass over all that wait.
 *
 * Costs: a request: O(hosts) where it is checked whether it could ever fit. A pass: as scheduling
 * each lease that waits.
 */
#pragma once

#include <stdbool.h>

#include "core/lease.h"

struct engine;

/* A new lease: admission, then the list of leases to be scheduled. Errors: as request_check(). */
int request_lease(struct engine *engine, const struct lease_request *request, struct error *err);
/* EINVAL: duplicate id, or malformed request. */
int request_check(const struct engine *engine, const struct lease_request *request,
                  struct error *err);
/* Could the hosts that the lease may use ever hold it? If not, lease->reason says why. */
bool could_ever_fit(struct engine *engine, struct lease *lease);

/* Tries to schedule all waiting leases. */
void schedule_pending(struct engine *engine);
