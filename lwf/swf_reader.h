/* swf_reader.h: the Standard Workload Format 2.2 of the Parallel Workloads Archive, read as a
 * stream: one lease per job.
 *
 * A lease gets the requested processors of its job (field 8, or the allocated ones, field 5, if
 * missing), rounded up to whole nodes, for the requested time (field 9). It runs for the actual
 * time (field 4; 0 becomes 1 second) if that is known and less than the requested one. Lines of
 * partial executions (status 2, 3, 4) are skipped, because a line for the whole job precedes them;
 * jobs cancelled before their start and jobs without processors are skipped, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lwf/source.h"
#include "lwf/trace.h"

/* The substitute for a requested time missing from the log. */
enum swf_missing_time {
    SWF_MISSING_TIME_REAL,  /* the actual time: a perfect estimate */
    SWF_MISSING_TIME_LIMIT, /* the header's MaxRuntime or, if missing, the actual time */
    SWF_MISSING_TIME_SKIP,  /* no lease */
};

struct swf_options {
    int64_t processors_per_node; /* 0: the header's MaxProcs / MaxNodes if whole, otherwise 1 */
    int64_t cpu_per_node;        /* in 1/100 of a processor; 0: 100 x processors per node */
    int64_t memory_per_node;     /* MB */
    bool memory_from_log;        /* requested (field 10) or used (field 7) memory, if known */
    int64_t hosts; /* of the site; 0: from the header's MaxProcs or MaxNodes; no site if both are
                      missing */
    enum swf_missing_time missing_time;
    bool skip_failed;           /* status 0 */
    bool skip_cancelled;        /* status 5, also of jobs that ran */
    bool skip_without_run_time; /* a run time of 0 or -1 */
    bool skip_too_large;        /* requested or allocated processors above MaxProcs */
    bool from_zero;             /* the first lease's submission is the start of the trace */
    bool preemptible;
    int64_t limit; /* leases; 0: all */
};

/* One processor and 1024 MB per node, every job, estimates as above, preemptible. */
void swf_options_init(struct swf_options *options);

/* Counts of the lines read so far. */
struct swf_counts {
    int64_t lines, jobs, leases;
    int64_t without_run_time, too_large;
    int64_t without_time, without_processors, never_started, failed, cancelled, partial;
};

/* Opens a log and reads its header. Takes over the source, also on failure. options may be NULL.
 * Errors: EINVAL with file:line:column. */
struct trace *swf_open_source(struct source *source, const struct swf_options *options,
                              struct error *err);

/* False, with all 0: the trace is not a log in SWF. */
bool swf_counts(const struct trace *trace, struct swf_counts *counts);
/* The line of the last request. */
long swf_line(const struct trace *trace);
