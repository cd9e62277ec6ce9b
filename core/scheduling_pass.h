/* scheduling_pass.h: the pass over all waiting leases, and how a new lease comes to wait.
 *
 * Costs: a request: O(hosts) to check whether it could ever fit. A pass: the cost of scheduling
 * each waiting lease.
 */
#pragma once

#include <stdbool.h>

#include "core/lease.h"

struct engine;

/* Admits a new lease and adds it to the leases to be scheduled. Errors: as request_check(). */
int request_lease(struct engine *engine, const struct lease_request *request, struct error *err);
/* EINVAL: duplicate id, or malformed request. */
int request_check(const struct engine *engine, const struct lease_request *request,
                  struct error *err);
/* Could the hosts that the lease may use ever hold it? If not, lease->reason states why. */
bool could_ever_fit(struct engine *engine, struct lease *lease);

/* Ends queued leases that do not fit on the idle site. O(queue). */
void end_all_too_big(struct engine *engine);

/* Tries to schedule all waiting leases. */
void schedule_pending(struct engine *engine);
