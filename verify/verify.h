/* verify.h: checks that a schedule keeps Galerna's guarantees.
 *
 * The checks do not use the scheduler: they read a record and recompute its contents.
 */
#pragma once

#include "verify/schedule.h"

enum verify_check {
    CHECK_RECORD,     /* the record contains everything that a record of Galerna contains */
    CHECK_CAPACITY,   /* no resource of a host is exceeded at any instant */
    CHECK_START,      /* an accepted reservation starts exactly when it was promised */
    CHECK_DEADLINE,   /* a deadline lease neither begins early nor ends late */
    CHECK_IMMEDIATE,  /* an immediate lease starts once it is submitted (and its image transferred)
                       */
    CHECK_SUBMISSION, /* nothing happens for a lease before it is submitted */
    CHECK_DURATION,   /* a lease that is done had its full time */
    CHECK_SEQUENCE,   /* operations follow each other: run, suspend, resume, run, shut down */
    CHECK_OVERLAP,    /* operations of a lease do not overlap */
    CHECK_TOGETHER, /* every operation includes all VMs of the lease, with their requested resources
                     */
    CHECK_PLACE,    /* a VM resumes where it was suspended, unless it was migrated */
    CHECK_HOSTS,    /* all hosts and VMs in the record exist */
    CHECK_EXCLUSION,   /* suspensions (and resumptions) that exclude each other never overlap */
    CHECK_LENGTH,      /* suspensions, resumptions, shutdowns take the time that follows from the
                          settings */
    CHECK_TRANSFERS,   /* transfers and migrations take the time that follows from the bandwidth */
    CHECK_STATES,      /* state changes follow the allowed moves and fit the operations */
    CHECK_FINAL,       /* every lease ends, or the record has the reason why not */
    CHECK_PREEMPTION,  /* preempted leases are preemptable and make room at the recorded time */
    CHECK_TERMS,       /* preempted leases get the time and deadline that their terms guarantee */
    CHECK_CARRIED_OUT, /* operations marked done lie in the past, planned ones in the future */
    CHECK_COUNTERS,    /* counters over time and their averages follow from the schedule */
    CHECK_RESULTS,     /* waiting time, slowdown and totals follow from the schedule */
    CHECK_REPEATED,    /* a repetition of the run gives the same record (verify/compare.h) */
    CHECKS
};

/* Deviations of Haizea 1.0 from these checks. With compatibility haizea-1.0 they are counted
 * instead of reported as violations. */
enum verify_oddity {
    ODDITY_SHUTDOWN_INSIDE,     /* the shutdown is part of the lease's time */
    ODDITY_PREMATURE_END_LOST,  /* an early end at the time of a VM's start comes a day late */
    ODDITY_IMMEDIATE_FORGOTTEN, /* a suspended immediate lease is never resumed */
    ODDITY_MOVED_WITHIN_HOSTS,  /* VMs resume on each other's hosts */
    ODDITY_RESUMED_MIGRATING,   /* the lease resumes before its migration ends */
    ODDITY_TERMS_IGNORED,       /* a non-preemptable lease is preempted */
    ODDITY_ZERO_WINDOWS_MERGED, /* override time 0: all VMs of a host in one window */
    ODDITY_MEMORY_TIMES_VMS,    /* such a window holds (memory x VMs) */
    ODDITY_PREPARED_TWICE,      /* the transfer of a cancelled preparation is carried out */
    ODDITY_MIGRATED_IN_VAIN,    /* migrations of a withdrawn plan continue and are not recorded */
    ODDITY_NETWORK_EXCEEDED,    /* transfers and migrations take place whatever the network holds */
    ODDITY_DISK_EXCEEDED,       /* memory is saved whatever the disk holds */
    ODDITY_RIDES_ALONG,         /* leases ride on transfers without network, and do not prepare */
    ODDITIES
};

/* Checks that are impossible because the record lacks the data. */
enum verify_gap {
    GAP_TRACE,       /* whether requests and hosts match the trace and the site: always */
    GAP_GALERNA,     /* no key "galerna": settings, terms, reasons */
    GAP_CAUSES,      /* versions 1 and 2: causes of suspensions and ends */
    GAP_REFUSALS,    /* no reasons: accepted reservations and immediate leases */
    GAP_ABANDONED,   /* CPU and disk of an abandoned suspension or resumption */
    GAP_DISK,        /* disk usage with transfers or migrations */
    GAP_SUSPENSIONS, /* a planned suspension that nothing in the record needed */
    GAP_CHOICES,     /* the choice among valid schedules (queue order, backfilling): always */
    GAP_REPEATED,    /* the run was not repeated */
    GAP_PREEMPTIONS,
    GAP_RESULTS,
    GAP_TOTALS,
    GAP_COUNTER, /* + a counter */
    GAPS = GAP_COUNTER + SCHEDULE_COUNTERS
};

enum verify_compatibility { VERIFY_AS_RECORDED, VERIFY_DEFAULT, VERIFY_HAIZEA_1_0 };

struct verify_options {
    /* AS_RECORDED: haizea-1.0 if the record has that setting, otherwise default. */
    enum verify_compatibility compatibility;
    /* The run was not stopped early (stop-when, Ctrl-C): every lease must be final. */
    bool complete;
    /* An incomplete record (of Haizea, of version 1, without some counters) is not a violation;
     * impossible checks are listed. */
    bool partial;
};

struct violation {
    enum verify_check check;
    int64_t lease, host, time; /* SCHEDULE_UNSET: none in particular */
    char text[200];
};

enum { VERIFY_KEPT_MAX = 1000 };

struct verification {
    bool haizea_1_0;              /* the applied rules */
    struct violation *violations; /* the first VERIFY_KEPT_MAX */
    size_t n_kept;
    size_t n_violations;     /* all */
    size_t examined[CHECKS]; /* number of items that each check examined */
    size_t violated[CHECKS];
    size_t tolerated[ODDITIES];
    bool not_checked[GAPS];
    char not_repeated[ERROR_TEXT_MAX + 80]; /* with GAP_REPEATED: ": " and the reason */
};

/* Runs all checks. Costs: O(r log r) time and memory for r = holdings of reservations. Overwrites
 * `verification`; call verification_finish() after success. Errors: ENOMEM. Violations are not
 * errors. */
int verify_schedule(const struct schedule *schedule, const struct verify_options *options,
                    struct verification *verification, struct error *err);
void verification_finish(struct verification *verification);

/* "capacity", "start", ...; stable. */
const char *verify_check_name(enum verify_check check);
/* The guarantee that the check verifies, as a sentence. */
const char *verify_check_promise(enum verify_check check);
/* The name of a check that was impossible, and the reason. */
const char *verify_gap_name(enum verify_gap gap);
const char *verify_oddity_name(enum verify_oddity oddity);
