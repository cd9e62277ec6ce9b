/* Any bytes as SWF, under options that the first byte chooses, and as the old ten columns. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "lwf/old_reader.h"
#include "lwf/swf_reader.h"
#include "lwf/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct trace *trace)
{
    struct lease_request request;
    struct error err;

    while (trace && trace_next(trace, &request, &err) > 0)
        if (request.duration < 1 || request.submit < 0 || request.n_node_sets != 1 ||
            request.node_sets[0].count < 1 || request.node_sets[0].count > TRACE_VMS_MAX ||
            request.node_sets[0].amounts.of[RESOURCE_MEMORY] < 0)
            abort();
    trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct swf_options options;
    struct error err;

    swf_options_init(&options);
    if (size > 0) {
        options.processors_per_node = data[0] & 3;
        options.cpu_per_node = data[0] & 4 ? 0 : 100;
        options.memory_from_log = data[0] & 8;
        options.missing_time = (enum swf_missing_time)((data[0] >> 4) % 3);
        options.from_zero = data[0] & 64;
        options.skip_cancelled = options.skip_failed = data[0] & 128;
    }
    read_all(swf_open_source(source_open_memory("fuzz", data, size), &options, &err));
    read_all(old_open_source(source_open_memory("fuzz", data, size)));
    return 0;
}
