/* simulation.h: runs the engine against a trace, on a clock that jumps from event to event.
 *
 * All operations take exactly as long as planned; VMs end early when the trace knows so. At each
 * event the engine is stepped once, with everything that happens at that second: cancellations,
 * VMs that end early, requests. Time 0 is the first step.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configuration/configuration.h"
#include "core/engine.h"
#include "core/observer.h"
#include "lwf/trace.h"
#include "util/error.h"

struct simulation_result {
    int64_t end_time; /* where the clock stopped */
    uint64_t steps;
    int64_t requests;       /* read from the trace and passed to the engine */
    int64_t unfinished;     /* leases left when it ended */
    int64_t cancels_missed; /* of leases that were not there or already over */
    int64_t late_requests;  /* not sorted: taken after their time of submission */
    bool interrupted;       /* by should_stop */
    bool stuck;             /* leases wait forever: nothing is planned and nothing will come */
};

struct simulation {
    struct engine *engine;
    struct trace *trace;              /* requests that are not sorted wait for those in front */
    const struct observer *observers; /* called after each step, in this order */
    size_t n_observers;

    enum stop_when stop_when;
    int64_t best_effort_leases; /* in the trace; read unless stop_when is ALL_LEASES_DONE */
    const struct cancellation *cancellations; /* ascending in time */
    size_t n_cancellations;
    const struct behaviour *behaviour; /* NULL: the default mode */

    /* Receives each request when it is read, also that in front of which the run ends. NULL: not
     * needed. */
    void (*reads)(void *context, const struct lease_request *request);
    /* Asked after each step: true ends the run. NULL: never. */
    bool (*should_stop)(void *context);
    /* Receives the ending of the run, before the observers' end. NULL: not needed. */
    void (*ending)(void *context, const struct simulation_result *result);
    void *context;
};

/* Run to the end. Observers have been told of the end when this returns 0.
 * Errors: those of the trace, the engine (with the time) and the observers. O(log leases) per event
 * beside them. Memory does not grow with the trace. */
int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *err);
