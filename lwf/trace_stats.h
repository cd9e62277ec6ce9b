/* trace_stats.h: statistics of a trace. */
#pragma once

#include <stdint.h>

#include "lwf/trace.h"

/* The distribution of n values. The median and p95 are the smallest of the values that at least
 * half, or 95 %, of the values do not exceed. All 0 if n is 0. */
struct distribution {
    int64_t n;
    int64_t minimum, median, p95, maximum;
    double mean;
};

struct trace_stats {
    struct trace_census census;
    int64_t first_submit, last_submit; /* seconds; 0 without leases */
    int64_t preemptible, with_image, with_deadline, with_earliest_start, unlimited, users;

    struct distribution vms;           /* per lease */
    struct distribution duration;      /* requested, of limited leases */
    struct distribution real_duration; /* the actual one, if in the trace */
    struct distribution interarrival;  /* between submissions in the order of the trace */
    struct distribution cpu, memory;   /* per VM, each counted once */

    int64_t hosts;     /* 0: the trace has no site */
    int64_t cpu_total; /* of the site, in 1/100 of a processor */
    /* CPU x seconds requested, and actually used, relative to the site's capacity between the first
     * and last submission; negative: unknown (no site, no span). */
    double requested_load, real_load;
};

/* Reads the trace to its end. site: NULL for the trace's own. Memory: about 100 bytes per lease.
 * Errors: as trace_next(). */
int trace_stats_take(struct trace_stats *stats, struct trace *trace, const struct site *site,
                     struct error *err);
