/* stage_trace.h: opens the trace of a replay and applies its configuration. */
#pragma once

#include "configuration/configuration.h"
#include "core/site.h"
#include "lwf/generate.h"
#include "lwf/trace_combine.h"

/* Generated requests, merged into the configuration's trace, if any. */
struct stage_workload {
    const struct generate_stream *streams;
    size_t n_streams;
    uint64_t seed;
};

/* Opens the trace and finds the site of the configuration or, if missing, of the trace. workload
 * may be NULL. Initializes site, which is empty on errors. NULL with the file's name, or with the
 * missing setting and how to set it. */
struct trace *stage_trace_open(const struct configuration *configuration,
                               const struct stage_workload *workload, struct site *site,
                               struct error *err);

/* Merges the injection, orders the requests, and adds images, overheads and memory according to the
 * configuration. May hold a part of the trace in memory. Takes over the trace; NULL on errors. */
struct trace *stage_trace_prepare(struct trace *trace, const struct configuration *configuration,
                                  const struct site *site, struct error *err);

/* The overheads from the options of [tracefile]. */
struct trace_overheads stage_trace_overheads(const struct configuration *configuration);
