/* requests.h: new leases, and the pass over all that wait.
 *
 * Costs: a request: O(hosts) where it is checked whether it could ever fit. A pass: as scheduling
 * each lease that waits.
 */
#ifndef GALERNA_CORE_REQUESTS_H
#define GALERNA_CORE_REQUESTS_H

#include <stdbool.h>

#include "core/lease.h"

struct engine;

/* A new lease: admission, and into the list of those to be scheduled. Errors: as request_check().
 */
int request_lease(struct engine *engine, const struct lease_request *request, struct error *err);
/* EINVAL: the id is there already, or the request is malformed. */
int request_check(const struct engine *engine, const struct lease_request *request,
                  struct error *err);
/* Could hosts that the lease may use ever hold it? Else lease->reason says why not. */
bool could_ever_fit(struct engine *engine, struct lease *lease);

/* All that waits is tried. */
void schedule_pending(struct engine *engine);

#endif
