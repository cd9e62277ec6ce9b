/* outputs.h: what a step gives out. O(1) amortised.
 */
#ifndef GALERNA_CORE_OUTPUTS_H
#define GALERNA_CORE_OUTPUTS_H

#include "core/engine.h"

/* Append to the outputs of the step under way, with its time. */
void engine_output(struct engine *engine, struct engine_output output);

/* OUTPUT_VM_INTERVAL as it is now; a later decision of the same step may move the end again. */
void engine_output_interval(struct engine *engine, const struct reservation *vm);

/* Change the state of a lease and say so. */
void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to);

#endif
