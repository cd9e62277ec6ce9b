/* summary.h: summaries of runs, as a table with one column per run and as JSON.
 *
 * JSON: {"schema": "galerna-summary", "version": 2, "runs": [{name, status, end_time, leases:
 * {kind: {requested, accepted, rejected, completed, failed, cancelled}}, refused {reason: leases},
 * waiting_time, turnaround_time, slowdown, bounded_slowdown: {leases, mean, median, p95, p99, max},
 * fairness {users, jain_bounded_slowdown}, haizea_slowdown_mean, utilization, queue_mean,
 * preemptions {suspend, requeue, cancel}, suspensions, suspended_jobs, resumptions, migrations,
 * all_best_effort, makespan, scheduling_attempts, steps, cpu_seconds, peak_memory_kb}]}; times in
 * seconds, null: none. core/service.h defines the measures and their percentiles. all_best_effort
 * is the last end of a best-effort lease, even in Haizea's compatibility mode, although Haizea's
 * own figure may be the end of the run.
 */
#pragma once

#include "core/accounting.h"
#include "util/output.h"

struct summary_run {
    const char *name;    /* heading of the column: the trace, the configuration, the policy, ... */
    const char *status;  /* NULL or "ok": complete; otherwise a word such as "interrupted" */
    bool haizea;         /* compatibility with Haizea: the table also has Haizea's slowdown */
    bool suspended_jobs; /* leases of a log in the Standard Workload Format were suspended */
    struct accounting_summary figures;
    double cpu_seconds;     /* negative: not measured */
    int64_t peak_memory_kb; /* negative: not measured */
};

/* Write tables of at most `width` columns of text (0: any width); runs that do not fit follow in
 * further tables. The output keeps failures. */
void summary_write_table(struct output *out, const struct summary_run *runs, size_t n_runs,
                         unsigned width);

void summary_write_json(struct output *out, const struct summary_run *runs, size_t n_runs);
