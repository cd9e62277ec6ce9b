/* replaying.h: one replay inside an experiment, and its counts. */
#pragma once

#include <stdint.h>

#include "core/accounting.h"
#include "core/site.h"
#include "experiments/rivals.h"
#include "lwf/trace.h"
#include "util/error.h"

enum { REPLAYED_CLASSES = 8 };

/* Leases of one class, as the experiment divides them. Times in seconds. */
struct replayed_class {
    int64_t requested, refused, completed, cancelled;
    int64_t late;            /* completed after they were due */
    int64_t preemptions;     /* how often one was preempted */
    double wait, turnaround; /* sums over completed leases */
    double vm_seconds;       /* of completed leases: VMs x time they ran */
    double cut_vm_seconds;   /* the same of leases that were cancelled */
    double cut_wall_time;    /* of those: VMs x time they were to run */
};

/* Holds no pointers: goes through a pipe. */
struct replayed {
    struct accounting_summary figures;
    struct replayed_class classes[REPLAYED_CLASSES];
    int64_t preemptions;
    struct rivals_count chosen; /* by the preemption policy, if it chooses sets, and its rivals */
    int64_t suspend_span, resume_span; /* of the first suspension and resumption of a lease; 0 */
    int64_t suspended_until, resumed_from; /* when they ended and began */
    double overhead;                       /* sum of overhead_of() for preempted leases */
    int32_t moved_to; /* where the last migration of running VMs took one: place + 1; 0: none */
};

enum { REPLAYING_SETTINGS_MAX = 24 };

struct replaying {
    char settings[REPLAYING_SETTINGS_MAX][200]; /* see replaying_set() */
    size_t n_settings;
    /* The trace, made in the process that runs. Its site is not read. */
    struct trace *(*open)(const void *context, const struct site *site, struct error *err);
    /* 0 ... REPLAYED_CLASSES - 1; NULL: all are of class 0. */
    int (*class_of)(const void *context, const struct lease_request *request);
    /* When it should have ended; NULL: never. */
    int64_t (*due)(const void *context, const struct lease_request *request);
    /* The cost of preempting this lease; NULL: not measured. */
    double (*overhead_of)(const void *context, const struct lease_request *request);
    /* Preemption modules that get the same calls as the configured one: see rivals.h. */
    const char *const *rivals;
    size_t n_rivals;
    const void *context;
};

/* Adds "section.option=value" to the configuration, which has nothing else. */
void replaying_set(struct replaying *replaying, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Runs to the end. Errors: those of the configuration, the trace and the policies; a lease that
 * waits forever is an error, too. */
int replaying_perform(const struct replaying *replaying, struct replayed *replayed,
                      struct error *err);
