/* observer.h: consumers of the engine's decisions, step by step (accounting, records, pictures, the
 * checker). A driver calls its observers in the order given. */
#pragma once

#include "core/engine.h"

struct observer {
    void *context;

    /* One step of the engine at time `now` is over. Leases of OUTPUT_FINISHED outputs are forgotten
     * after all observers have been called. -1 ends the run. */
    int (*step)(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err);

    /* The run is over at end_time (the clock has been moved there without a step). Leases still in
     * the engine are not finished. NULL is allowed. */
    int (*end)(void *context, const struct engine *engine, int64_t end_time, struct error *err);
};
