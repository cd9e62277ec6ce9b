/* lease_state.h: the owner of a lease's state.
 *
 * A lease changes by events. One table lists which event may happen in which phase, the next phase,
 * the goal of the lease's VMs, and the word in its history: doc/lease-states.md prints the table.
 * take_effect() makes all other changes of an event. lease_apply() is the only function that
 * changes a lease's phase, and the only one that gives all its VMs a goal. The other functions
 * change the other fields of the record. This file does not depend on the planner, OpenNebula or
 * the clock: callers pass the event and its time.
 *
 * Times are seconds since 1970. A record passed in must be in the store.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/store.h"
#include "util/words.h"

struct vm;

#define LEASE_EVENT_ROWS(ROW)                                                                      \
    /* from intake */                                                                              \
    ROW(EVENT_REQUESTED, "requested")         /* a VM requests a lease of its own */               \
    ROW(EVENT_GROUP_OPENED, "group-opened")   /* the first VM of a group */                        \
    ROW(EVENT_COMPLETE, "complete")           /* all VMs of the group exist */                     \
    ROW(EVENT_FOUND_RUNNING, "found-running") /* a VM without a lease is running */                \
    ROW(EVENT_FOUND_STOPPED, "found-stopped") /* a VM without a lease is suspended, powered off,   \
                                               * ... */                                            \
    ROW(EVENT_FOUND_HELD, "found-held")   /* a VM without a lease is on hold: requested when its   \
                                           * user releases it */                                   \
    ROW(EVENT_ASKED_AGAIN, "asked-again") /* the user released the VMs of a refused lease, or of a \
                                           * lease found on hold */                                \
    ROW(EVENT_GREW, "grew")     /* the user enlarged a VM of a promised lease: a new request */    \
    ROW(EVENT_QUEUED, "queued") /* the requested terms are granted */                              \
    ROW(EVENT_RESTORED, "restored") /* its promise was found in OpenNebula, and its VMs wait or    \
                                     * are suspended */                                            \
    ROW(EVENT_TAKEN_OVER, "taken-over") /* its VMs show a later promise: restored from there */    \
    ROW(EVENT_REFUSED, "refused") /* by rights, policy, lack of room, or a malformed attribute */  \
    /* from the planner */                                                                         \
    ROW(EVENT_ACCEPTED, "accepted")   /* admitted: the lease has a promise, or waits for room */   \
    ROW(EVENT_CONVERTED, "converted") /* a reservation without room becomes best-effort */         \
    ROW(EVENT_START, "start")         /* its VMs are to be deployed */                             \
    ROW(EVENT_RESUME, "resume")   /* its VMs are to be resumed after a suspension by galernad */   \
    ROW(EVENT_SUSPEND, "suspend") /* its VMs make room and keep their work */                      \
    ROW(EVENT_RESTART, "restart") /* its VMs make room and lose their work */                      \
    ROW(EVENT_GIVES_WAY, "gives-way") /* its VMs are ended to make room, by its terms */           \
    ROW(EVENT_TIME_OVER, "time-over") /* the lease has used up its time */                         \
    /* from OpenNebula */                                                                          \
    ROW(EVENT_RUNNING, "running")     /* all its VMs run */                                        \
    ROW(EVENT_SUSPENDED, "suspended") /* all its VMs are suspended, as commanded */                \
    ROW(EVENT_STOPPED, "stopped")     /* its VMs are PENDING again, as commanded: work is lost */  \
    ROW(EVENT_START_FAILED, "start-failed")   /* its VMs returned to PENDING instead of running */ \
    ROW(EVENT_PENDING_AGAIN, "pending-again") /* its VMs ran and are PENDING again */              \
    ROW(EVENT_PARKED, "parked")               /* a user or operator stopped or held all its VMs */ \
    ROW(EVENT_RESUMED, "resumed")   /* a user or operator resumed VMs of a parked lease */         \
    ROW(EVENT_RELEASED, "released") /* a user or operator released the VMs of a parked lease */    \
    ROW(EVENT_STARTED_BY_OTHERS, "started-by-others") /* a user or operator started VMs of a       \
                                                       * waiting lease */                          \
    ROW(EVENT_STARTED_AFTER_END, "started-after-end") /* a user or operator started VMs of a       \
                                                       * finished lease */                         \
    ROW(EVENT_HELD, "held")   /* the VMs are held, as commanded: nothing is left to do */          \
    ROW(EVENT_ENDED, "ended") /* its VMs are gone, or ended as configured */                       \
    /* from the daemon */                                                                          \
    ROW(EVENT_REPLANNED, "replanned") /* no command sent yet: the start, or what made room, is     \
                                       * planned again */                                          \
    ROW(EVENT_MISSED, "missed")       /* the promised time has passed without the lease running */ \
    ROW(EVENT_GIVEN_UP, "given-up")   /* a VM could not be started */                              \
    ROW(EVENT_CHANGED, "changed")     /* a user or operator changed its times or terms, and the    \
                                       * planner accepted */                                       \
    ROW(EVENT_HOLD, "hold") /* a user or operator put the lease on hold, until it is released */   \
    ROW(EVENT_RELEASE, "release")     /* a user or operator releases a lease that is on hold */    \
    ROW(EVENT_CANCELLED, "cancelled") /* by a user, an operator or an interrupted order */

enum lease_event { LEASE_EVENT_ROWS(WORDS_ENUMERATOR) EVENTS };

const char *lease_event_name(enum lease_event event); /* "requested", "suspend", ... */

enum {
    /* `to` of a transition: RESERVED if a start or a deadline was promised, else WAITING */
    PHASE_QUEUE = PHASES,
    /* `goal` of a transition: the VMs' goals stay as they are */
    GOAL_KEPT = GOALS,
};

struct lease_transition {
    enum lease_phase from;
    enum lease_event event;
    int to;           /* a phase, or PHASE_QUEUE */
    int goal;         /* of all existing VMs of the lease, or GOAL_KEPT */
    const char *word; /* in the lease's history; NULL: none */
};

/* The transition for a phase and an event; NULL: the event cannot happen in that phase. O(1). */
const struct lease_transition *lease_transition_of(enum lease_phase from, enum lease_event event);
/* Can the event happen in the lease's phase? */
bool lease_can(const struct lease_record *lease, enum lease_event event);

/* Apply an event that happened at `now`. The text goes into the lease's history with the table's
 * word. -1 with errno EINVAL: the pair is not in the table; the lease has not changed, and the
 * error is logged. */
int lease_apply(struct store *store, const struct lease_record *lease, enum lease_event event,
                int64_t now, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* As lease_apply(). The text is the sentence of the lease's reason, or names the lease for which
 * this one is preempted. */
int lease_apply_because(struct store *store, const struct lease_record *lease,
                        enum lease_event event, int64_t now);

/* Apply EVENT_REFUSED with its reason, and log it. */
int lease_refuse(struct store *store, const struct lease_record *lease, int64_t now,
                 const struct reason *reason, const struct vm_record *vm);

/* --- outside of events ------------------------------------------------------------------------ */

/* Set the reason why the lease is in its phase, and when the failed operation is retried
 * (INSTANT_NONE). The reason's text may be cut. `vm`: the VM whose size the reason includes, or
 * NULL. True: the reason or the time has changed. */
bool lease_explain(struct store *store, const struct lease_record *lease,
                   const struct reason *reason, const struct vm_record *vm, int64_t retry);

/* The shortest time that any VM of the lease ran in closed history records, seconds. */
int64_t lease_ran_for(const struct store *store, const struct lease_record *lease);

/* All VMs of the lease run, and have run together for `ran_for` seconds before `since`: sets
 * `since` and `end`. */
void lease_runs_since(struct store *store, const struct lease_record *lease, int64_t since,
                      int64_t ran_for);

/* The lease's VMs stopped running: adds up their run time. The lease's end becomes unknown, except
 * for a reservation. */
void lease_stopped_running(struct store *store, const struct lease_record *lease);

/* The lease ended before it was observed running: its run time counts all the same. */
void lease_ran_unseen(struct store *store, const struct lease_record *lease, int64_t since,
                      int64_t ran_for);

/* The lease's VMs are gone; they ran for `ran_for` seconds, the last one until `until`. */
void lease_ran_until(struct store *store, const struct lease_record *lease, int64_t ran_for,
                     int64_t until);

/* The lease's owner was notified that the lease is late. */
void lease_note_late(struct store *store, const struct lease_record *lease);
/* The lease's owner has been charged for `charged` seconds of the lease's run time. */
void lease_note_charged(struct store *store, const struct lease_record *lease, int64_t charged);
/* The lease's owner was notified that the end is near. */
void lease_note_warned(struct store *store, const struct lease_record *lease);

/* The owner was notified that the lease ends at `until` unless its VMs are used; INSTANT_NONE: it
 * does not. */
void lease_note_unused(struct store *store, const struct lease_record *lease, int64_t until);

/* A change that the owner requested by the attribute was refused; "": the attribute matches the
 * lease. */
void lease_note_change_refused(struct store *store, const struct lease_record *lease,
                               const char *why);

/* Set when the lease starts or continues: promised (`contract`), planned or estimated.
 * INSTANT_NONE: unknown; INSTANT_NEVER: the lease waits for something without a known end. True:
 * the value is new. */
bool lease_expect(struct store *store, const struct lease_record *lease, int64_t at, bool contract);

/* The lease is to make room for lease `other` at `at`, which plans may change. False: it already
 * was to make room for that lease. */
bool lease_note_preemption(struct store *store, const struct lease_record *lease, int64_t other,
                           int64_t at);

/* The noted preemption is no longer planned. */
void lease_keeps_hosts(struct store *store, const struct lease_record *lease, int64_t now);

/* The lease has moved to other hosts, as noted, or no longer needs any. */
void lease_forget_preemption(struct store *store, const struct lease_record *lease);

/* Set the size of the lease's group. `until`: when an incomplete group counts as complete. */
void lease_gather(struct store *store, const struct lease_record *lease, uint32_t size,
                  int64_t until);

/* Copy the requested terms from the record `terms`. */
void lease_take_terms(struct store *store, const struct lease_record *lease,
                      const struct lease_record *terms);
/* Apply EVENT_CHANGED, with the kind, times and terms of the record `changed`
 * (daemon/state/lease_change.h). Leases that would have made room for this one keep their hosts:
 * O(leases) if the start or kind changes. */
int lease_take_change(struct store *store, const struct lease_record *lease,
                      const struct lease_record *changed, int64_t now, const char *text);
/* The lease gets the owner of the VM, and the VM's name if it has no name. */
void lease_belongs_to(struct store *store, const struct lease_record *lease, const struct vm *vm);
/* The lease was submitted at `at`. */
void lease_submitted(struct store *store, const struct lease_record *lease, int64_t at);
/* Restore the terms and the other contents of the lease's promise: its place in the queue, and
 * whether it is late. The lease is accepted. */
void lease_restore(struct store *store, const struct lease_record *lease,
                   const struct lease_record *promised);

/* The clock was set by `by` seconds: move the lease's times. */
void lease_move_times(struct store *store, const struct lease_record *lease, int64_t by);

/* --- notes that are not stored ---------------------------------------------------------------- */
/* The number of the last forecast that included the lease. */
void lease_note_outlook(struct store *store, const struct lease_record *lease, int64_t outlook);
/* The lease is promised, and could not start at present. */
void lease_note_at_risk(struct store *store, const struct lease_record *lease, bool at_risk);
/* Monotonic milliseconds: since when the lease's VMs were measured as unused; 0: they are used. */
void lease_note_unused_since(struct store *store, const struct lease_record *lease, int64_t since);
/* The newer lease `other` has a promise that delays it. */
void lease_note_delayed(struct store *store, const struct lease_record *lease, int64_t other);
/* The lease is too far back in the queue to estimate its start. */
void lease_note_far(struct store *store, const struct lease_record *lease, bool is_far);
/* The SCHED_RANK of one of the lease's VMs is not valid. */
void lease_note_rank_ignored(struct store *store, const struct lease_record *lease);
/* 1: the lease is in the record, 2: with its end. */
void lease_note_recorded(struct store *store, const struct lease_record *lease, int recorded);

/* --- queries ---------------------------------------------------------------------------------- */

/* Has the lease ended, was it refused, or has it failed? */
bool lease_is_final(const struct lease_record *lease);
/* Has galernad suspended VMs of the lease that still exist? O(VMs of the lease). */
bool lease_is_suspended_by_us(const struct store *store, const struct lease_record *lease);
/* When the lease's time is over if it began to run, or begins, at `begun` (an earlier `since` takes
 * precedence); INSTANT_NEVER: unlimited. */
int64_t lease_end_from(const struct lease_record *lease, int64_t begun);
/* By how much this duration extends the accepted one: seconds, or SPAN_UNLIMITED. */
int64_t lease_extended_by(const struct lease_record *lease, int64_t duration);
/* Has the lease used up its time at `now`? */
bool lease_is_over(const struct lease_record *lease, int64_t now);
