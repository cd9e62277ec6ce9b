/* outputs.h: what a step gives out. O(1) amortised.
 */
#ifndef GALERNA_CORE_OUTPUTS_H
#define GALERNA_CORE_OUTPUTS_H

#include "core/engine.h"

/* Append to the outputs of the step under way, with its time. */
void engine_output(struct engine *engine, struct engine_output output);

/* Change the state of a lease and say so. */
void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to);

#endif
