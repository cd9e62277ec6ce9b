/* checker.h: shared by the checks; internal. */
#pragma once

#include "verify/verify.h"

struct checker {
    const struct schedule *schedule;
    const struct verify_options *options;
    struct verification *result;
    struct error *err;
    const struct schedule_move **moves; /* by lease, in the order of the log */
    bool images_move;                   /* the record has transfers */
    bool abandoned;       /* a suspension or resumption was abandoned; no reservation records it */
    int64_t *image_there; /* by lease: the end of its last transfer */
    int64_t *taken;  /* by lease: when the request was taken; its submission if that is wrong */
    int64_t *events; /* the times of all events, ascending */
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

/* Haizea resumes leases during their migration: a lease may end before its migration does. */
bool checker_may_outlast(const struct checker *checker, const struct schedule_reservation *r);

/* Reports a violation, or, if the schedule follows Haizea 1.0, counts the oddity. */
void checker_odd(struct checker *checker, enum verify_oddity oddity, const struct finding *finding,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static inline void checker_not_checked(struct checker *checker, enum verify_gap gap)
{
    checker->result->not_checked[gap] = true;
}

/* Notes that a check lacks data, which is a violation unless the record may be partial. */
void checker_missing(struct checker *checker, enum verify_gap gap);

static inline void checker_examined(struct checker *checker, enum verify_check check)
{
    checker->result->examined[check]++;
}

/* The moves of a lease, in the order of the log, and their number. */
static inline size_t checker_n_moves(const struct checker *checker,
                                     const struct schedule_lease *lease)
{
    size_t index = (size_t)(lease - checker->schedule->leases);

    return checker->first_move[index + 1] - checker->first_move[index];
}

static inline const struct schedule_move *const *checker_moves(const struct checker *checker,
                                                               const struct schedule_lease *lease)
{
    return (const struct schedule_move *const *)checker->moves +
           checker->first_move[lease - checker->schedule->leases];
}

/* A change of a lease's state at a time in [since, until]. */
struct state_change {
    enum schedule_state from, to; /* from STATES: any */
    int64_t since, until;
};

bool checker_moved(const struct checker *checker, const struct schedule_lease *lease,
                   const struct state_change *change);

/* Did the lease lose its run and return to the queue at a time in [from, until]? */
bool checker_requeued(const struct checker *checker, const struct schedule_lease *lease,
                      int64_t from, int64_t until);

/* Was the lease placed again before it started? Haizea does not withdraw its first transfers. */
bool checker_prepared_again(const struct checker *checker, const struct schedule_lease *lease);

/* Was the lease cancelled, or did it fail, during its last suspension? The record lacks the rest of
 * that suspension. */
bool checker_ended_suspending(const struct checker *checker, const struct schedule_lease *lease);

/* Does the transfer prepare the lease again after a lost run? A record lists such a transfer with
 * the first preparation, even if earlier runs kept their work. */
bool checker_prepares_restart(const struct checker *checker, const struct schedule_lease *lease,
                              const struct schedule_reservation *transfer);

/* The preemption of the lease that was decided at that time, or NULL. */
const struct schedule_preemption *checker_preempted_at(const struct schedule *schedule,
                                                       int64_t lease, int64_t time);

/* The time at which the run that begins at `from` was planned; afterwards, only a preemption
 * shortens the run. */
int64_t checker_planned_at(const struct checker *checker, const struct schedule_lease *lease,
                           int64_t from);

/* The plans of one lease, in the order of time. */
struct plans {
    const struct schedule_plan **items;
    size_t n;
};

/* The remaining time of the lease when the run is planned or, if that is earlier, begins;
 * SCHEDULE_UNSET: unlimited. */
int64_t checker_time_left(const struct schedule_lease *lease, const struct schedule_plan *plan);

/* Checks that a run is not planned to end before it begins, or to exceed the lease's remaining
 * time. */
void checker_check_length(struct checker *checker, const struct schedule_lease *lease,
                          const struct schedule_plan *plan);

/* One run of a lease's VMs with its other operations: reservations [first, vm) precede it, (vm,
 * end) follow it. */
struct lease_run {
    size_t first, vm, end;
};

/* Finds the run that begins at reservation `first`; false: no VM reservation follows. */
bool lease_run_next(const struct schedule_lease *lease, size_t first, struct lease_run *run);

/* Does the run continue the previous one after a live migration? */
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
