/* running.h: tracks the currently running leases and their hosts from the engine's outputs.
 *
 * A run that is stopped and withdrawn (requeued, cancelled) has no reservation, but records and
 * pictures include it. Memory is proportional to the number of running leases. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"

struct begun_run {
    int64_t lease;
    int64_t from;
    struct placement *placement; /* holds a reference */
};

struct running; /* opaque */

struct running *running_create(void);
void running_destroy(struct running *running); /* NULL is allowed */

/* Processes one output. True: the output withdrew a run that had begun, described by *lost (the
 * caller calls placement_destroy() on its placement). O(1). */
bool running_note(struct running *running, const struct engine_output *output,
                  struct begun_run *lost);
