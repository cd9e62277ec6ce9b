/* events.h: writes the engine's decisions, one line of JSON per event, in order.
 *
 * Every line is an object with time (seconds since the start), lease, and event:
 *
 *   requested    accepted (true or false); if false: reason, explanation
 *   state        from, to
 *   preempted    for (the lease that gets the room), at, how (suspend, requeue, cancel)
 *   started      operation (VM, SUSPEND, ...), from, until, hosts
 *   ended        operation, from, until
 *   planned      from, until: the current interval of the lease's VMs
 *   withdrawn    the lease's VMs were stopped and their reservation withdrawn
 *   finished     state, reason, explanation
 *
 * Each line is written when its event occurs.
 */
#pragma once

#include "core/observer.h"

struct events; /* opaque */

/* path "-": standard output. */
struct events *events_create(const char *path, struct error *err);

/* The observer closes the file at the end of the run. */
struct observer events_observer(struct events *events);

void events_destroy(struct events *events); /* NULL is allowed */
