/* running.h: which leases run where right now, as told by the engine's outputs.
 *
 * A run that is stopped and taken back (requeued, cancelled) leaves no reservation behind; records
 * and pictures want to show it nevertheless. Memory follows the number of leases that run.
 */
#ifndef GALERNA_REPORT_RUNNING_H
#define GALERNA_REPORT_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"

struct begun_run {
    int64_t lease;
    int64_t from;
    uint32_t n_hosts;
    uint32_t *hosts; /* places in the site */
};

struct running; /* opaque */

struct running *running_create(void);
void running_destroy(struct running *running); /* NULL is allowed */

/* Take note of one output. True: it withdrew a run that had begun, *lost tells which (the caller
 * gives lost->hosts to free()). O(1). */
bool running_note(struct running *running, const struct engine_output *output,
                  struct begun_run *lost);

#endif
