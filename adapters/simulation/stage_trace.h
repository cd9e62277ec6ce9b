/* stage_trace.h: the requests of a replay with all that its configuration does to them. */
#pragma once

#include "configuration/configuration.h"
#include "core/site.h"
#include "lwf/generate.h"
#include "lwf/trace.h"
#include "lwf/trace_combine.h"

/* Generated requests, put between those of the configuration's trace, if it names one. */
struct stage_workload {
    const struct generate_stream *streams;
    size_t n_streams;
    uint64_t seed;
};

/* Open the trace and find the site: the configuration's, else the trace's own. workload may be
 * NULL. This function initializes site, and finishes it on errors. NULL with the file's name, or
 * what is missing and how to give it. */
struct trace *stage_trace_open(const struct configuration *configuration,
                               const struct stage_workload *workload, struct site *site,
                               struct error *err);

/* Merge the injection, put the requests into the order the configuration wants, and give images,
 * overheads and memory. May hold a part of the trace in memory. Takes over the trace; NULL on
 * errors. */
struct trace *stage_trace_prepare(struct trace *trace, const struct configuration *configuration,
                                  const struct site *site, struct error *err);

/* The overheads of the options of [tracefile]. */
struct trace_overheads stage_trace_overheads(const struct configuration *configuration);
