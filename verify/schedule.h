/* schedule.h: a finished schedule, read from a record for checking (doc of the record: `galerna
 * replay --record`).
 *
 * The checker is independent of the engine, so as not to share its mistakes. Times are seconds
 * since the start of the simulation, hosts and VMs are known by the numbers the record uses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

#define SCHEDULE_UNSET INT64_MIN /* the record says null, or nothing */
/* The end of unlimited intervals; far enough from INT64_MAX that differences cannot overflow. */
#define SCHEDULE_NEVER (INT64_C(1) << 60)

enum {
    SCHEDULE_VERSION = 4, /* the newest record that is understood */
    SCHEDULE_TYPES_MAX = 64,
    SCHEDULE_REPOSITORY = 1000, /* the image repository's number, when no host has it */
};

/* Kinds of operations, in the words of the record. */
enum schedule_kind {
    SCHEDULE_VM,
    SCHEDULE_SUSPEND,
    SCHEDULE_RESUME,
    SCHEDULE_SHUTDOWN,
    SCHEDULE_MEMORY_MIGRATION,
    SCHEDULE_DISK_MIGRATION,
    SCHEDULE_TRANSFER,
    SCHEDULE_KINDS
};

enum schedule_lease_kind {
    SCHEDULE_BEST_EFFORT,
    SCHEDULE_RESERVED,
    SCHEDULE_IMMEDIATE,
    SCHEDULE_DEADLINE,
    SCHEDULE_LEASE_KINDS
};

enum schedule_state {
    STATE_NEW,
    STATE_PENDING,
    STATE_REJECTED,
    STATE_SCHEDULED,
    STATE_QUEUED,
    STATE_CANCELLED,
    STATE_PREPARING,
    STATE_READY,
    STATE_ACTIVE,
    STATE_SUSPENDING,
    STATE_SUSPENDED_PENDING,
    STATE_SUSPENDED_QUEUED,
    STATE_SUSPENDED_SCHEDULED,
    STATE_MIGRATING,
    STATE_RESUMING,
    STATE_RESUMED_READY,
    STATE_DONE,
    STATE_FAIL,
    STATES
};

enum schedule_progress { PROGRESS_SCHEDULED, PROGRESS_ACTIVE, PROGRESS_DONE, PROGRESSES };

/* An amount of a resource type held on a host. */
struct schedule_holding {
    int64_t host;
    uint32_t type; /* place in schedule.types */
    int64_t amount;
};

/* A VM and its host; in a migration: from where to where; in a transfer: whose VM it is. */
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
    int64_t deadline; /* transfer: when it must be over; SCHEDULE_UNSET */
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
    int64_t *vms;                            /* n_vms x schedule.n_types: what each VM asks for */
    struct schedule_reservation *reservations;
    size_t n_reservations;
    bool *riding;       /* per reservation: a transfer that belongs to another lease; or NULL */
    const char *image;  /* NULL: none */
    int64_t image_size; /* MB */
    int64_t ready;      /* not to be started before; SCHEDULE_UNSET: not told */
    const char *terms;  /* of preemption, when the record tells; else NULL */
    const char *reason; /* the reason's id, when the record tells; else NULL */
    double priority;    /* 0: not told */
};

struct schedule_host {
    int64_t id;
    int64_t *capacity; /* schedule.n_types */
    size_t n_told;     /* of them told by the record */
};

/* A lease's state changed. */
struct schedule_move {
    int64_t time, lease;
    enum schedule_state from, to;
};

/* A run of a lease's VMs whose work was thrown away. */
struct schedule_lost_run {
    int64_t lease, from, until;
    int64_t *hosts;
    size_t n_hosts;
};

struct schedule_preemption {
    int64_t decided, lease, time;
    bool suspended;    /* else stopped: */
    bool ended;        /* for good, or else to be begun again */
    int64_t makes_for; /* the lease that gets the room; SCHEDULE_UNSET: not told */
};

/* From `time` on the lease's VMs were to run in [from, until). */
struct schedule_plan {
    int64_t time, lease, from, until;
};

struct schedule_lease_result {
    int64_t lease;
    double waiting, slowdown; /* NAN: not told */
};

/* Figures over time. The first five count events of leases. */
enum schedule_counter_id {
    FIGURE_ACCEPTED_AR,
    FIGURE_REJECTED_AR,
    FIGURE_ACCEPTED_IMMEDIATE,
    FIGURE_REJECTED_IMMEDIATE,
    FIGURE_COMPLETED,
    FIGURE_QUEUE,
    FIGURE_CPU,
    FIGURE_DISK,
    SCHEDULE_COUNTERS
};

enum { SCHEDULE_TOTALS = FIGURE_COMPLETED + 1 };

struct schedule_entry {
    int64_t time, lease; /* SCHEDULE_UNSET: no lease's */
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

/* Settings of the scheduler, as far as recorded (under the key "galerna"). */
struct schedule_settings {
    int64_t version; /* of the record; 0: without the key */
    bool haizea_1_0; /* compatibility haizea-1.0 */
    bool migrates;   /* leases may go to other hosts; false: without the key */
    bool exclusion_global;
    double suspend_rate, resume_rate;          /* MB/s; 0: not told */
    int64_t override_suspend, override_resume; /* SCHEDULE_UNSET */
    int64_t shutdown_time, enactment_overhead; /* SCHEDULE_UNSET: not told */
    int64_t vms_suspended;                     /* at most so many of a lease; NEVER: any */
    bool prepares, multicast, caches;          /* images: transferred, to many at once, kept */
    bool moves_files;                          /* migrations take time */
    bool stops_early;          /* by a rule (stop-when), also before the last request; version 4 */
    bool fair_share;           /* the queue's order follows use */
    int64_t look_interval;     /* seconds between searches for better hosts; 0: never */
    int64_t bandwidth;         /* Mbit/s; SCHEDULE_UNSET: not told */
    int64_t override_transfer; /* SCHEDULE_UNSET */
};

struct schedule_arena;

struct schedule {
    const char *types[SCHEDULE_TYPES_MAX];
    size_t n_types;
    int memory;                  /* place of Memory in types, or -1 */
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
    struct schedule_plan *bookings; /* before the run begins; version 3 */
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

/* The same from a file's name ("-": standard input) or from memory. */
int schedule_read_path(struct schedule *schedule, const char *path, struct error *err);
int schedule_read_memory(struct schedule *schedule, const void *text, size_t size,
                         struct error *err);

void schedule_finish(struct schedule *schedule);

/* NULL when there is none. O(log n). */
const struct schedule_host *schedule_host(const struct schedule *schedule, int64_t id);
const struct schedule_lease *schedule_lease(const struct schedule *schedule, int64_t id);

/* The run of that lease that began then, or NULL when its work was kept. O(lost runs). */
const struct schedule_lost_run *schedule_lost_run(const struct schedule *schedule, int64_t lease,
                                                  int64_t from);

/* The record's words. */
const char *schedule_kind_name(enum schedule_kind kind);
const char *schedule_state_name(enum schedule_state state);
const char *schedule_counter_name(enum schedule_counter_id counter);
const char *schedule_total_name(enum schedule_counter_id counter); /* of the first five */
const char *schedule_lease_kind_name(enum schedule_lease_kind kind);

bool schedule_state_is_final(enum schedule_state state);
