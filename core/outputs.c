/* Outputs of a step: decisions and state changes, in order. */
#include "core/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "util/memory.h"

void engine_outputs_init(struct engine_outputs *outputs)
{
    memset(outputs, 0, sizeof *outputs);
}

void engine_outputs_finish(struct engine_outputs *outputs)
{
    free(outputs->items);
    memset(outputs, 0, sizeof *outputs);
}

void engine_output(struct engine *engine, struct engine_output output)
{
    struct engine_outputs *outputs = engine->outputs;

    output.time = engine->now;
    MEMORY_GROW(outputs->items, outputs->allocated, outputs->n_items + 1);
    outputs->items[outputs->n_items++] = output;
}

void engine_output_interval(struct engine *engine, const struct reservation *vm)
{
    engine_output(engine, (struct engine_output){.kind = OUTPUT_VM_INTERVAL,
                                                 .lease = vm->lease,
                                                 .reservation = vm,
                                                 .at = vm->until});
}

void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to)
{
    engine_output(engine,
                  (struct engine_output){
                      .kind = OUTPUT_STATE, .lease = lease, .from = lease->state, .to = to});
    lease->state = to;
}
