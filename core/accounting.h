/* accounting.h: figures of a run, counted during the run.
 *
 * Accounting is an observer of the engine. It keeps Haizea's counters (values over time, with a
 * running average for two of them) and Galerna's own figures. Times are seconds since the start of
 * the run, which is instant 0. The history of the counters grows with the run and is kept only on
 * request. Totals and averages need constant memory; each finished best-effort lease needs 24 bytes
 * for its times.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/observer.h"
#include "core/service.h"

/* Haizea's counters (its probes ar, immediate, best-effort, cpu-utilization, disk-usage). */
enum accounting_counter {
    COUNTER_ACCEPTED_RESERVATIONS, /* "Accepted AR": admissions, even if the scheduler refuses later
                                    */
    COUNTER_REJECTED_RESERVATIONS, /* "Rejected AR": by admission or by the scheduler */
    COUNTER_ACCEPTED_IMMEDIATE,
    COUNTER_REJECTED_IMMEDIATE,
    COUNTER_BEST_EFFORT_COMPLETED,
    COUNTER_QUEUE_SIZE,      /* leases in the queue; has a running average */
    COUNTER_CPU_UTILIZATION, /* 0 ... 1; has a running average */
    COUNTER_DISK_USAGE,      /* MB on the fullest host */
    ACCOUNTING_COUNTERS
};

/* The value from `time` until the next entry. */
struct counter_entry {
    int64_t time;
    int64_t lease; /* the event's lease; COUNTER_NO_LEASE: not about a lease */
    double value;
    double average; /* time-weighted over [0, time); only counters that have one */
};

#define COUNTER_NO_LEASE INT64_MIN

/* Haizea's names: "Accepted AR", "CPU utilization", ... */
const char *accounting_counter_name(enum accounting_counter counter);
bool accounting_counter_has_average(enum accounting_counter counter);

/* Leases of one kind. requested = accepted + rejected. */
struct accounting_kind {
    int64_t requested;
    int64_t accepted; /* admitted and not refused by the scheduler */
    int64_t rejected;
    int64_t completed;
    int64_t failed;
    int64_t cancelled;
};

struct accounting_summary {
    struct accounting_kind kinds[LEASE_KINDS]; /* by enum lease_kind */
    struct service_summary service;            /* of completed best-effort leases */
    double haizea_slowdown_mean;      /* mean accounting_haizea_slowdown() of these leases; 0: none
                                       */
    int64_t refused[REASONS];         /* rejected leases by enum reason_id */
    int64_t preemptions[3];           /* by enum preemption_how */
    int64_t suspensions, resumptions; /* of leases */
    int64_t migrations;               /* VMs that moved to another host */
    double utilization;               /* CPU, 0 ... 1, mean over [0, end_time), of all hosts */
    double queue_mean;                /* leases in the queue, mean over [0, end_time) */
    int64_t best_effort_end;          /* last end of a completed best-effort lease; 0: none */
    int64_t all_best_effort;          /* Haizea's figure: last entry of its closed counter */
    int64_t first_submit, last_end;   /* of any lease; INSTANT_NONE: none */
    int64_t makespan;                 /* last_end - first_submit; 0 when nothing ended */
    int64_t end_time;                 /* time of the last step, the end of the run once it is over
                                       */
    uint64_t attempts;                /* scheduling attempts */
    uint64_t steps;                   /* steps of the engine */
    int64_t totals[5];                /* last values of the first five counters */
};

struct accounting; /* opaque */

/* history: whether the counters' entries are kept for accounting_history(). */
struct accounting *accounting_create(bool history);
void accounting_destroy(struct accounting *accounting); /* NULL is allowed */

/* The observer that feeds the accounting; it must precede observers that read the figures.
 * O(outputs + hosts) per step. */
struct observer accounting_observer(struct accounting *accounting);

/* All figures except `service`, in constant time; complete after the observer's end. */
void accounting_totals(const struct accounting *accounting, struct accounting_summary *summary);

/* All figures; complete after the observer's end. O(completed best-effort leases). */
void accounting_summarize(struct accounting *accounting, struct accounting_summary *summary);

/* The entries of a counter, by time; complete after the observer's end. The accounting owns them.
 * Returns 0 without history. */
size_t accounting_history(const struct accounting *accounting, enum accounting_counter counter,
                          const struct counter_entry **entries);

/* Seconds from submission to the last start; SPAN_NONE when the lease has not started. */
int64_t accounting_waiting_time(const struct lease *lease);

/* Seconds from submission to the end; SPAN_NONE unless it is completed. */
int64_t accounting_turnaround(const struct lease *lease);

/* (end - submission) / max(10 s, requested duration), as in Haizea, so it may be below 1 for a
 * lease that runs for less than it requested; NAN before the end and for unlimited leases. */
double accounting_haizea_slowdown(const struct lease *lease);
