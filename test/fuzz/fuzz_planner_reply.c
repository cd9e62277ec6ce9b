/* Fuzz target: what a planner process answers, as galernad reads it. */
#include <stdint.h>
#include <stdlib.h>

#include "planner/protocol.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = memory_copy(data, size);
    struct planned_operation *operations;
    struct forecast_reply forecast = {0};
    struct plan_reply reply = {0};
    struct wire_reader reader;
    size_t n;

    wire_reader_init(&reader, copy, size);
    switch (wire_get(&reader, FRAME_READY, FRAMES - 1)) {
    case FRAME_FORECASTED:
        wire_get_forecast(&reader, &forecast);
        free(forecast.starts);
        break;
    case FRAME_OPERATIONS_OF:
        wire_get_operations(&reader, &operations, &n);
        free(operations);
        break;
    default:
        if (wire_get_plan_reply(&reader, 4, &reply))
            for (size_t i = 0; i < reply.n_placed; i++)
                if (reply.placed[i].host >= 4)
                    abort();
        plan_reply_finish(&reply);
        break;
    }
    free(copy);
    return 0;
}
