/* replay_trace.h: the trace of a run with all that its configuration does to it. */
#ifndef GALERNA_CLI_REPLAY_TRACE_H
#define GALERNA_CLI_REPLAY_TRACE_H

#include "configuration/configuration.h"
#include "core/site.h"
#include "lwf/trace.h"

/* Open the trace and find the site: the configuration's, else the trace's own. site is made by this
 * function and finished on errors. NULL with the file's name, or what is missing and how to give
 * it. */
struct trace *replay_trace_open(const struct configuration *configuration, struct site *site,
                                struct error *err);

/* Merge the injection, put the requests into the order the configuration wants, and give images,
 * overheads and memory. May hold a part of the trace in memory. Takes over the trace; NULL on
 * errors. */
struct trace *replay_trace_prepare(struct trace *trace, const struct configuration *configuration,
                                   const struct site *site, struct error *err);

#endif
