/* schedule.h: a finished schedule, read for checking from a record of `galerna replay --record`.
 *
 * The checker does not use the engine, to avoid repeating the engine's mistakes. Times are seconds
 * since the start of the simulation; hosts and VMs have their numbers of the record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "util/words.h"

#define SCHEDULE_UNSET INT64_MIN /* null or absent in the record */
/* The end of unlimited intervals, far enough from INT64_MAX to keep differences from overflowing.
 */
#define SCHEDULE_NEVER (INT64_C(1) << 60)

enum {
    SCHEDULE_VERSION = 4, /* the newest supported version of records */
    SCHEDULE_TYPES_MAX = 64,
    SCHEDULE_REPOSITORY = 1000, /* the image repository's number if no host has it */
};

/* Kinds of operations, in the words of the record. */
#define SCHEDULE_KIND_ROWS(ROW)                                                                    \
    ROW(SCHEDULE_VM, "VM")                                                                         \
    ROW(SCHEDULE_SUSPEND, "SUSPEND")                                                               \
    ROW(SCHEDULE_RESUME, "RESUME")                                                                 \
    ROW(SCHEDULE_SHUTDOWN, "SHUTDOWN")                                                             \
    ROW(SCHEDULE_MEMORY_MIGRATION, "MEM_MIGRATION")                                                \
    ROW(SCHEDULE_DISK_MIGRATION, "DISK_MIGRATION")                                                 \
    ROW(SCHEDULE_TRANSFER, "FILE_TRANSFER")

enum schedule_kind { SCHEDULE_KIND_ROWS(WORDS_ENUMERATOR) SCHEDULE_KINDS };

#define SCHEDULE_LEASE_KIND_ROWS(ROW)                                                              \
    ROW(SCHEDULE_BEST_EFFORT, "Best-effort")                                                       \
    ROW(SCHEDULE_RESERVED, "AR")                                                                   \
    ROW(SCHEDULE_IMMEDIATE, "Immediate")                                                           \
    ROW(SCHEDULE_DEADLINE, "Deadline")

enum schedule_lease_kind { SCHEDULE_LEASE_KIND_ROWS(WORDS_ENUMERATOR) SCHEDULE_LEASE_KINDS };

#define SCHEDULE_STATE_ROWS(ROW)                                                                   \
    ROW(STATE_NEW, "New")                                                                          \
    ROW(STATE_PENDING, "Pending")                                                                  \
    ROW(STATE_REJECTED, "Rejected")                                                                \
    ROW(STATE_SCHEDULED, "Scheduled")                                                              \
    ROW(STATE_QUEUED, "Queued")                                                                    \
    ROW(STATE_CANCELLED, "Cancelled")                                                              \
    ROW(STATE_PREPARING, "Preparing")                                                              \
    ROW(STATE_READY, "Ready")                                                                      \
    ROW(STATE_ACTIVE, "Active")                                                                    \
    ROW(STATE_SUSPENDING, "Suspending")                                                            \
    ROW(STATE_SUSPENDED_PENDING, "Suspended-Pending")                                              \
    ROW(STATE_SUSPENDED_QUEUED, "Suspended-Queued")                                                \
    ROW(STATE_SUSPENDED_SCHEDULED, "Suspended-Scheduled")                                          \
    ROW(STATE_MIGRATING, "Migrating")                                                              \
    ROW(STATE_RESUMING, "Resuming")                                                                \
    ROW(STATE_RESUMED_READY, "Resumed-Ready")                                                      \
    ROW(STATE_DONE, "Done")                                                                        \
    ROW(STATE_FAIL, "Fail")

enum schedule_state { SCHEDULE_STATE_ROWS(WORDS_ENUMERATOR) STATES };

enum schedule_progress { PROGRESS_SCHEDULED, PROGRESS_ACTIVE, PROGRESS_DONE, PROGRESSES };

/* An amount of a resource type held on a host. */
struct schedule_holding {
    int64_t host;
    uint32_t type; /* index in schedule.types */
    int64_t amount;
};

/* A VM and its host; a migration has its previous host, too (`from`), a transfer its lease. */
struct schedule_place {
    int64_t vm;
    int64_t host;
    int64_t from;
    int64_t lease;
};

struct schedule_reservation {
    enum schedule_kind kind;
    enum schedule_progress progress;
    int64_t from, until;
    struct schedule_holding *holdings;
    size_t n_holdings;
    struct schedule_place *places;
    size_t n_places;
    const char *file; /* transfer: the image; else NULL */
    int64_t deadline; /* transfer: the latest end; SCHEDULE_UNSET: none */
};

struct schedule_lease {
    int64_t id;
    enum schedule_lease_kind kind;
    enum schedule_state state;
    bool preemptible;
    int64_t submit;
    int64_t start_requested;   /* SCHEDULE_UNSET: as soon as possible, or now */
    int64_t start_actual, end; /* SCHEDULE_UNSET */
    int64_t duration_original; /* SCHEDULE_UNSET: unlimited; so is duration_requested */
    int64_t duration_requested;
    int64_t duration_accumulated;
    int64_t duration_actual, duration_known; /* SCHEDULE_UNSET */
    int64_t deadline;                        /* SCHEDULE_UNSET: none */
    size_t n_vms;                            /* VMs are numbered 1 ... n_vms */
    int64_t *vms; /* n_vms x schedule.n_types: the requested amounts of each VM */
    struct schedule_reservation *reservations;
    size_t n_reservations;
    bool *riding;       /* per reservation: a transfer that belongs to another lease; or NULL */
    const char *image;  /* NULL: none */
    int64_t image_size; /* MB */
    int64_t ready;      /* the earliest start; SCHEDULE_UNSET: not recorded */
    const char *terms;  /* of preemption; NULL: not recorded */
    const char *reason; /* the reason's id; NULL: not recorded */
    double priority;    /* 0: not recorded */
};

struct schedule_host {
    int64_t id;
    int64_t *capacity; /* schedule.n_types */
    size_t n_told;     /* number of recorded capacities */
};

/* A lease's state changed. */
struct schedule_move {
    int64_t time, lease;
    enum schedule_state from, to;
};

/* A run of a lease's VMs whose work was discarded. */
struct schedule_lost_run {
    int64_t lease, from, until;
    int64_t *hosts;
    size_t n_hosts;
};

struct schedule_preemption {
    int64_t decided, lease, time;
    bool suspended;    /* otherwise stopped */
    bool ended;        /* for good; otherwise to restart later */
    int64_t makes_for; /* the lease that gets the room; SCHEDULE_UNSET: not recorded */
};

/* From `time` on, the lease's VMs were planned to run in [from, until). */
struct schedule_plan {
    int64_t time, lease, from, until;
};

struct schedule_lease_result {
    int64_t lease;
    double waiting, slowdown; /* NAN: not recorded */
};

/* Figures over time. The first five count events of leases. */
#define SCHEDULE_COUNTER_ROWS(ROW)                                                                 \
    ROW(FIGURE_ACCEPTED_AR, "Accepted AR")                                                         \
    ROW(FIGURE_REJECTED_AR, "Rejected AR")                                                         \
    ROW(FIGURE_ACCEPTED_IMMEDIATE, "Accepted Immediate")                                           \
    ROW(FIGURE_REJECTED_IMMEDIATE, "Rejected Immediate")                                           \
    ROW(FIGURE_COMPLETED, "Best-effort completed")                                                 \
    ROW(FIGURE_QUEUE, "Queue size")                                                                \
    ROW(FIGURE_CPU, "CPU utilization")                                                             \
    ROW(FIGURE_DISK, "Disk usage")

enum schedule_counter_id { SCHEDULE_COUNTER_ROWS(WORDS_ENUMERATOR) SCHEDULE_COUNTERS };

enum { SCHEDULE_TOTALS = FIGURE_COMPLETED + 1 };

struct schedule_entry {
    int64_t time, lease; /* SCHEDULE_UNSET: of no lease */
    double value;
    double average; /* NAN: none */
};

struct schedule_counter {
    bool told;
    struct schedule_entry *entries;
    size_t n;
};

enum schedule_ending {
    RUN_NOT_TOLD,
    RUN_COMPLETE,
    RUN_STOPPED,
    RUN_STUCK,
    RUN_INTERRUPTED,
};

/* The recorded settings of the scheduler (under the key "galerna"). */
struct schedule_settings {
    int64_t version; /* of the record; 0: no key "galerna" */
    bool haizea_1_0; /* compatibility haizea-1.0 */
    bool migrates;   /* leases may migrate; false: no key "galerna" */
    bool exclusion_global;
    double suspend_rate, resume_rate;          /* MB/s; 0: not recorded */
    int64_t override_suspend, override_resume; /* SCHEDULE_UNSET */
    int64_t shutdown_time, enactment_overhead; /* SCHEDULE_UNSET: not recorded */
    int64_t vms_suspended;            /* leases of more VMs are not suspended; NEVER: no limit */
    bool prepares, multicast, caches; /* images: transferred, to many hosts at once, kept */
    bool moves_files;                 /* migrations take time */
    bool stops_early; /* a rule (stop-when) may end the run before the last request; version 4 */
    bool fair_share;  /* usage affects the order of the queue */
    int64_t look_interval;     /* seconds between searches for better hosts; 0: never */
    int64_t bandwidth;         /* Mbit/s; SCHEDULE_UNSET: not recorded */
    int64_t override_transfer; /* SCHEDULE_UNSET */
};

struct schedule_arena;

struct schedule {
    const char *types[SCHEDULE_TYPES_MAX];
    size_t n_types;
    int memory;                  /* index of Memory in types, or -1 */
    struct schedule_host *hosts; /* ascending id */
    size_t n_hosts;
    struct schedule_lease *leases; /* ascending id */
    size_t n_leases;
    struct schedule_move *moves;
    size_t n_moves;
    struct schedule_preemption *preemptions;
    size_t n_preemptions;
    bool preemptions_told;
    struct schedule_lost_run *lost_runs;
    size_t n_lost_runs;
    struct schedule_plan *plans; /* version 2 */
    size_t n_plans;
    struct schedule_plan *bookings; /* plans of runs that have not begun; version 3 */
    size_t n_bookings;
    struct schedule_lease_result *results;
    size_t n_results;
    bool results_told;
    struct schedule_counter counters[SCHEDULE_COUNTERS];
    struct schedule_totals {
        bool told[SCHEDULE_TOTALS];
        int64_t value[SCHEDULE_TOTALS]; /* by counter */
        bool last_told;
        int64_t last; /* "all-best-effort" */
    } totals;
    int64_t end_time;
    bool interrupted;
    enum schedule_ending ending;
    struct schedule_settings settings;
    struct schedule_arena *arena; /* owns everything above */
};

/* verify/read.h reads a schedule. */
void schedule_finish(struct schedule *schedule);

/* NULL: not found. O(log n). */
const struct schedule_host *schedule_host(const struct schedule *schedule, int64_t id);
const struct schedule_lease *schedule_lease(const struct schedule *schedule, int64_t id);

/* The lost run of the lease that began at `from`, or NULL if its work was kept. O(lost runs). */
const struct schedule_lost_run *schedule_lost_run(const struct schedule *schedule, int64_t lease,
                                                  int64_t from);

/* The record's words. */
extern const char *const schedule_kind_names[SCHEDULE_KINDS],
    *const schedule_state_names[STATES], *const schedule_lease_kind_names[SCHEDULE_LEASE_KINDS],
                                             *const schedule_counter_names[SCHEDULE_COUNTERS],
                                                 *const schedule_total_names[SCHEDULE_TOTALS];

bool schedule_state_is_final(enum schedule_state state);
