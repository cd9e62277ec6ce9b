/* simulation.h: runs the engine against a trace, on a clock that jumps from event to event.
 *
 * All operations take exactly their planned time; VMs end early if the trace has their actual run
 * time. At each event the engine makes one step, with all cancellations, early ends of VMs and
 * requests of that second. The first step is at time 0.
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
    int64_t end_time; /* final time of the clock */
    uint64_t steps;
    int64_t requests;       /* read from the trace and passed to the engine */
    int64_t unfinished;     /* unfinished leases at the end */
    int64_t cancels_missed; /* of leases that had not arrived or had ended */
    int64_t late_requests;  /* unsorted ones, taken after their submission */
    bool interrupted;       /* by should_stop */
    bool stuck;             /* leases wait without end: no plans, no requests */
};

struct simulation {
    struct engine *engine;
    struct trace *trace;              /* unsorted requests wait for earlier ones */
    const struct observer *observers; /* called after each step, in this order */
    size_t n_observers;

    enum stop_when stop_when;
    int64_t best_effort_leases; /* in the trace; read unless stop_when is STOP_ALL_LEASES_DONE */
    const struct cancellation *cancellations; /* ascending in time */
    size_t n_cancellations;
    const struct behaviour *behaviour; /* NULL: the default mode */

    /* Receives each request at its reading, including the one before which the run ends. NULL: not
     * needed. */
    void (*reads)(void *context, const struct lease_request *request);
    /* Called after each step; true ends the run. NULL: never. */
    bool (*should_stop)(void *context);
    /* Receives the ending of the run, before the observers' end. NULL: not needed. */
    void (*ending)(void *context, const struct simulation_result *result);
    void *context;
};

/* Runs to the end, and returns 0 after the observers' end. Errors: errors of the trace, the engine
 * (with the time) and the observers. Costs, apart from these: O(log leases) per event. Memory does
 * not depend on the length of the trace. */
int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *err);
