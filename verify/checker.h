/* checker.h: shared by the checks; internal. */
#pragma once

#include "verify/verify.h"

struct checker {
    const struct schedule *schedule;
    const struct verify_options *options;
    struct verification *result;
    struct error *err;
    const struct schedule_move **moves; /* by lease, in the order of the log */
    bool images_move;                   /* there is a transfer at all */
    bool abandoned; /* a suspension or resumption was abandoned half-way: no reservation shows it */
    int64_t *image_there; /* by lease: the end of the last transfer for it */
    int64_t *events;      /* times at which anything happened, ascending */
    size_t n_events;
    size_t *first_move; /* of lease i: moves[first_move[i]] ... [i + 1] */
};

/* The place and time of a violation. */
struct finding {
    enum verify_check check;
    int64_t lease, host, time;
};

void checker_violation(struct checker *checker, const struct finding *finding, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/* Haizea resumes leases whose memory is still moving: they may even be over before it has come. */
bool checker_may_outlast(const struct checker *checker, const struct schedule_reservation *r);

/* A violation, unless the schedule follows Haizea 1.0: then the oddity is counted. */
void checker_odd(struct checker *checker, enum verify_oddity oddity, const struct finding *finding,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static inline void checker_not_checked(struct checker *checker, enum verify_gap gap)
{
    checker->result->not_checked[gap] = true;
}

/* The same for data that only a Galerna record has. */
void checker_missing(struct checker *checker, enum verify_gap gap);

static inline void checker_examined(struct checker *checker, enum verify_check check)
{
    checker->result->examined[check]++;
}

/* Moves of the i-th lease. */
static inline size_t checker_n_moves(const struct checker *checker, size_t lease)
{
    return checker->first_move[lease + 1] - checker->first_move[lease];
}

static inline const struct schedule_move *const *checker_moves(const struct checker *checker,
                                                               size_t lease)
{
    return (const struct schedule_move *const *)checker->moves + checker->first_move[lease];
}

/* Did the lease go back to the queue, its run lost, at a time in [from, until]? */
bool checker_requeued(const struct checker *checker, const struct schedule_lease *lease,
                      int64_t from, int64_t until);

/* Was the lease placed again before it started? Haizea leaves its first transfers booked. */
bool checker_prepared_again(const struct checker *checker, const struct schedule_lease *lease);

/* Was the lease cancelled, or did it fail, while it was being suspended for the last time? What was
 * left of the suspension is not in the record. */
bool checker_ended_suspending(const struct checker *checker, const struct schedule_lease *lease);

/* Does the transfer prepare a lease once more, whose run was lost after others had kept their work?
 * A record lists it with the first preparation. */
bool checker_prepares_restart(const struct checker *checker, const struct schedule_lease *lease,
                              const struct schedule_reservation *transfer);

/* A preemption of the lease that was decided then, or NULL. */
const struct schedule_preemption *checker_preempted_at(const struct schedule *schedule,
                                                       int64_t lease, int64_t time);

/* When the run was planned: after that, only a preemption shortens it. */
int64_t checker_planned_at(const struct checker *checker, const struct schedule_lease *lease,
                           int64_t from);

/* Of one lease, in the order of time. */
struct plans {
    const struct schedule_plan **items;
    size_t n;
};

/* What is left of the lease's time when the run is planned, or has begun; SCHEDULE_UNSET:
 * unlimited. */
int64_t checker_time_left(const struct schedule_lease *lease, const struct schedule_plan *plan);

/* No run is planned to end before it begins, or for longer than what is left of the lease's
 * time. */
void checker_check_length(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_plan *plan);

/* One run of a lease's VMs with what belongs to it: reservations [first, vm) come before it,
 * (vm, end) after it. */
struct lease_run {
    size_t first, vm, end;
};

/* The run that begins at reservation `first`: false when no VM reservation follows. */
bool lease_run_next(const struct schedule_lease *lease, size_t first, struct lease_run *run);

/* The run continues where the previous one ends; its memory was copied while the VMs ran. */
bool lease_run_moved(const struct checker *checker, const struct schedule_lease *lease,
                     const struct lease_run *run);

/* The checks. -1: out of memory. */
int check_capacity(struct checker *checker);
int check_runs(struct checker *checker, const struct schedule_lease *lease);
int check_windows(struct checker *checker, const struct schedule_lease *lease);
void check_operations(struct checker *checker, const struct schedule_lease *lease);
void check_transfers(struct checker *checker, const struct schedule_lease *lease);
void check_promises(struct checker *checker, const struct schedule_lease *lease);
void check_duration(struct checker *checker, const struct schedule_lease *lease);
void check_states(struct checker *checker, const struct schedule_lease *lease);
void check_carried_out(struct checker *checker, const struct schedule_lease *lease);
int check_timeline(struct checker *checker, const struct schedule_lease *lease);
void check_figures(struct checker *checker, const struct schedule_lease *lease);
void check_end(struct checker *checker);
int check_plans(struct checker *checker);
void check_bookings(struct checker *checker, const struct schedule_lease *lease,
                    const struct plans *bookings, const struct plans *plans);
void check_preemptions(struct checker *checker);
int check_counters(struct checker *checker);
void check_terms(struct checker *checker);
void check_results(struct checker *checker);
