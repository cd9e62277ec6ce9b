/* outputs.h: outputs of a step. O(1) amortised. */
#pragma once

#include "core/engine.h"

/* Appends to the outputs of the current step, with its time. */
void engine_output(struct engine *engine, struct engine_output output);

/* Emits OUTPUT_VM_INTERVAL with the current end; a later decision of the same step may move the end
 * again. */
void engine_output_interval(struct engine *engine, const struct reservation *vm);

/* Changes the state of a lease and reports it. */
void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to);
