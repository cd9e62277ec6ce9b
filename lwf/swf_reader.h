/* swf_reader.h: the Standard Workload Format 2.2 of the Parallel Workloads Archive, read as a
 * stream: one lease per job.
 *
 * A job asks for its requested processors (field 8; allocated ones, field 5, when it has none),
 * rounded up to whole nodes, for its requested time (field 9), and runs for its real time (field 4;
 * 0 becomes 1 second) where that is known and less than the requested one. Lines of partial
 * executions (status 2, 3, 4) are skipped, because a line for the whole job precedes them; so are
 * jobs cancelled before they started and jobs without any processors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lwf/source.h"
#include "lwf/trace.h"

/* The substitute for a requested time missing from the log. */
enum swf_missing_time {
    SWF_MISSING_TIME_REAL,  /* the real one: a perfect estimate */
    SWF_MISSING_TIME_LIMIT, /* the header's MaxRuntime, else the real one */
    SWF_MISSING_TIME_SKIP,  /* no lease */
};

struct swf_options {
    int64_t processors_per_node; /* 0: the header's MaxProcs / MaxNodes when whole, else 1 */
    int64_t cpu_per_node;        /* in 1/100 of a processor; 0: 100 x processors per node */
    int64_t memory_per_node;     /* MB */
    bool memory_from_log;        /* requested (field 10), else used (field 7) memory where known */
    int64_t hosts;               /* of the site; 0: as many as the header's MaxProcs or MaxNodes
                                    tells, no site when it does not */
    enum swf_missing_time missing_time;
    bool skip_failed;           /* status 0 */
    bool skip_cancelled;        /* status 5, also those that did run */
    bool skip_without_run_time; /* a run time of 0 or -1 */
    bool skip_too_large;        /* requested or allocated processors above MaxProcs */
    bool from_zero;             /* the first lease's submission is the start of the trace */
    bool preemptible;
    int64_t limit; /* leases; 0: all */
};

/* One processor and 1024 MB per node, every job, estimates as above, preemptible. */
void swf_options_init(struct swf_options *options);

/* How the lines read so far were handled. */
struct swf_counts {
    int64_t lines, jobs, leases;
    int64_t without_run_time, too_large;
    int64_t without_time, without_processors, never_started, failed, cancelled, partial;
};

/* Open a log; its header is read at once. The trace owns the source from then on, also when opening
 * fails. options may be NULL. Errors: EINVAL with file:line:column. */
struct trace *swf_open_source(struct source *source, const struct swf_options *options,
                              struct error *err);

void swf_counts(const struct trace *trace, struct swf_counts *counts);
