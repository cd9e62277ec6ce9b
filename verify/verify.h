/* verify.h: proofs that a schedule keeps what Galerna promises.
 *
 * The checks know nothing of how schedules are made: they read a record and recompute.
 */
#pragma once

#include "verify/schedule.h"

enum verify_check {
    CHECK_RECORD,      /* the record contains everything that a record of Galerna contains */
    CHECK_CAPACITY,    /* no resource of a host is exceeded at any instant */
    CHECK_START,       /* an accepted reservation starts exactly when it was promised */
    CHECK_DEADLINE,    /* a deadline lease neither begins early nor ends late */
    CHECK_IMMEDIATE,   /* an immediate lease starts when it is submitted (and its image is there) */
    CHECK_SUBMISSION,  /* nothing happens for a lease before it is submitted */
    CHECK_DURATION,    /* a lease that is done had its full time */
    CHECK_SEQUENCE,    /* operations follow each other: run, suspend, resume, run, shut down */
    CHECK_OVERLAP,     /* operations of a lease do not overlap */
    CHECK_TOGETHER,    /* every operation serves all VMs of the lease, with what each asks for */
    CHECK_PLACE,       /* a VM resumes where it was suspended, unless it was migrated */
    CHECK_HOSTS,       /* hosts and VMs that are named exist */
    CHECK_EXCLUSION,   /* suspensions (and resumptions) that exclude each other never overlap */
    CHECK_LENGTH,      /* suspensions, resumptions, shutdowns take the time the settings say */
    CHECK_TRANSFERS,   /* images and memory that move take the time that the bandwidth says */
    CHECK_STATES,      /* state changes follow the allowed moves and fit the operations */
    CHECK_FINAL,       /* every lease comes to an end, or the record says why not */
    CHECK_PREEMPTION,  /* who is preempted makes room at the time said, and may be preempted */
    CHECK_TERMS,       /* who is preempted gets what its terms guarantee: its time, its deadline */
    CHECK_CARRIED_OUT, /* what is called done was done, and what is planned is yet to come */
    CHECK_COUNTERS,    /* counters over time and their averages are what the schedule gives */
    CHECK_RESULTS,     /* waiting time, slowdown and totals are what the schedule gives */
    CHECK_REPEATED,    /* the run gives the same record again (verify/compare.h) */
    CHECKS
};

/* Haizea 1.0's deviations from these checks, each with its own name and rule. With compatibility
 * haizea-1.0 they are counted, not reported. */
enum verify_oddity {
    ODDITY_SHUTDOWN_INSIDE,     /* the shutdown is cut out of the lease's time */
    ODDITY_PREMATURE_END_LOST,  /* an early end that falls on a VM's start is a day late */
    ODDITY_IMMEDIATE_FORGOTTEN, /* a suspended immediate lease is never resumed */
    ODDITY_MOVED_WITHIN_HOSTS,  /* VMs come back exchanged among the lease's hosts */
    ODDITY_RESUMED_MIGRATING,   /* the lease resumes before its migration is over */
    ODDITY_TERMS_IGNORED,       /* a lease that must not be preempted is */
    ODDITY_ZERO_WINDOWS_MERGED, /* override time 0: all VMs of a host in one window */
    ODDITY_MEMORY_TIMES_VMS,    /* such a window holds (memory x VMs) */
    ODDITY_PREPARED_TWICE,      /* the transfer of a cancelled preparation is carried out */
    ODDITY_MIGRATED_IN_VAIN,    /* migrations of a withdrawn plan go on, and are not recorded */
    ODDITIES
};

/* Checks that are impossible because the record lacks the data. */
enum verify_gap {
    GAP_TRACE,       /* are requests and hosts those of the trace and the site: always */
    GAP_GALERNA,     /* no key "galerna": settings, terms, reasons */
    GAP_CAUSES,      /* version 1: what caused a suspension or an end */
    GAP_REFUSALS,    /* without reasons: accepted reservations and immediate leases */
    GAP_ABANDONED,   /* CPU and disk of an abandoned suspension or resumption */
    GAP_DISK,        /* disk usage where images or memory move */
    GAP_SUSPENSIONS, /* a planned suspension that nothing in the record needed */
    GAP_CHOICES,     /* which of several good schedules: queue order, backfilling: always */
    GAP_REPEATED,    /* the run was not repeated */
    GAP_PREEMPTIONS,
    GAP_RESULTS,
    GAP_TOTALS,
    GAP_COUNTER, /* + a counter */
    GAPS = GAP_COUNTER + SCHEDULE_COUNTERS
};

enum verify_compatibility { VERIFY_AS_RECORDED, VERIFY_DEFAULT, VERIFY_HAIZEA_1_0 };

struct verify_options {
    /* AS_RECORDED: haizea-1.0 when the record says so, else default. */
    enum verify_compatibility compatibility;
    /* The run was not cut short (stop-when, Ctrl-C): every lease must be final. */
    bool complete;
    /* An incomplete record (of Haizea, of version 1, without some counters) is not a violation: the
     * checks it does not allow are listed. */
    bool partial;
};

struct violation {
    enum verify_check check;
    int64_t lease, host, time; /* SCHEDULE_UNSET: none in particular */
    char text[200];
};

enum { VERIFY_KEPT_MAX = 1000 };

struct verification {
    bool haizea_1_0;              /* which rules were applied */
    struct violation *violations; /* the first VERIFY_KEPT_MAX */
    size_t n_kept;
    size_t n_violations;     /* all */
    size_t examined[CHECKS]; /* how many things a check looked at; 0: nothing to look at */
    size_t violated[CHECKS];
    size_t tolerated[ODDITIES];
    bool not_checked[GAPS];
    char not_repeated[300]; /* with GAP_REPEATED: ": " and why */
};

/* All checks over a schedule. Costs: O(r log r) time and memory for r = holdings of reservations.
 * verification is overwritten; verification_finish() it after success. Errors: ENOMEM. Violations
 * are not an error. */
int verify_schedule(const struct schedule *schedule, const struct verify_options *options,
                    struct verification *verification, struct error *err);
void verification_finish(struct verification *verification);

/* "capacity", "start", ...; stable. */
const char *verify_check_name(enum verify_check check);
/* The guarantee that the check verifies, as a sentence. */
const char *verify_check_promise(enum verify_check check);
/* A check that was not possible, and why: "requests against the trace". */
const char *verify_gap_name(enum verify_gap gap);
const char *verify_oddity_name(enum verify_oddity oddity);
