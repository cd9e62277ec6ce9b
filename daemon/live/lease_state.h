/* lease_state.h: the owner of a lease's state.
 *
 * A lease changes by events. One table says which event may happen in which phase, the phase it
 * leads to, the goal it gives the lease's VMs, and the word in its history: doc/lease-states.md
 * prints it. What else an event changes is in take_effect(). lease_apply() is the only function
 * that changes a lease's phase, and the only one that gives all its VMs a goal. The other functions
 * change the other fields of the record. This file does not depend on the planner, OpenNebula or
 * the clock: callers say what happened, and when.
 *
 * Times are seconds since 1970. A record passed in must be in the store.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/store.h"

struct vm;

enum lease_event {
    /* from intake */
    EVENT_REQUESTED,     /* a VM asks for a lease of its own */
    EVENT_GROUP_OPENED,  /* the first VM of a group */
    EVENT_COMPLETE,      /* all VMs of the group exist */
    EVENT_FOUND_RUNNING, /* a VM without a lease is running */
    EVENT_FOUND_STOPPED, /* a VM without a lease is suspended, powered off, ... */
    EVENT_FOUND_HELD,    /* a VM without a lease is on hold: it asks when it is released */
    EVENT_ASKED_AGAIN,   /* the user released the VMs of a refused lease, or one found on hold */
    EVENT_GREW,          /* the user made a VM of a promised lease larger: it is a new request */
    EVENT_QUEUED,        /* the terms it now requests are granted */
    EVENT_RESTORED,   /* its promise was found in OpenNebula, and its VMs wait or are suspended */
    EVENT_TAKEN_OVER, /* its VMs show a later promise: restored from there */
    EVENT_REFUSED,    /* by rights, policy, lack of room, or a malformed attribute */
    /* from the planner */
    EVENT_ACCEPTED,  /* admitted: the lease has a promise, or waits for room */
    EVENT_CONVERTED, /* a reservation without room becomes best-effort */
    EVENT_START,     /* its VMs are to be deployed */
    EVENT_RESUME,    /* the same after a suspension by galernad */
    EVENT_SUSPEND,   /* its VMs make room and keep their work */
    EVENT_RESTART,   /* its VMs make room and lose their work */
    EVENT_GIVES_WAY, /* its VMs are ended to make room, by its terms */
    EVENT_TIME_OVER, /* the lease has used up its time */
    /* from OpenNebula */
    EVENT_RUNNING,           /* all its VMs run */
    EVENT_SUSPENDED,         /* all its VMs are suspended, as commanded */
    EVENT_STOPPED,           /* its VMs are PENDING again, as commanded: their work is lost */
    EVENT_START_FAILED,      /* its VMs returned to PENDING instead of running */
    EVENT_PENDING_AGAIN,     /* its VMs ran and are PENDING again */
    EVENT_PARKED,            /* a user or operator stopped or held all its VMs */
    EVENT_RESUMED,           /* a user or operator resumed VMs of a parked lease */
    EVENT_RELEASED,          /* a user or operator released the VMs of a parked lease */
    EVENT_STARTED_BY_OTHERS, /* a user or operator started VMs of a waiting lease */
    EVENT_STARTED_AFTER_END, /* a user or operator started VMs of a finished lease */
    EVENT_HELD,              /* the VMs are held, as commanded: nothing left to do */
    EVENT_ENDED,             /* its VMs are gone, or ended as configured */
    /* from the daemon */
    EVENT_REPLANNED, /* no command sent yet: the start is planned again */
    EVENT_MISSED,    /* the promised time has passed and the lease has not run */
    EVENT_GIVEN_UP,  /* a VM could not be started */
    EVENT_CHANGED,   /* a user or operator gave it other times or terms, and they hold */
    EVENT_HOLD,      /* a user or operator wants it to wait until it is released */
    EVENT_RELEASE,   /* a user or operator releases a lease that is on hold */
    EVENT_CANCELLED, /* a user, an operator or an interrupted order */
    EVENTS
};

const char *lease_event_name(enum lease_event event); /* "requested", "suspend", ... */

enum {
    /* `to` of a transition: RESERVED when a start or a deadline was promised, else WAITING */
    PHASE_QUEUE = PHASES,
    /* `goal` of a transition: the VMs' goals stay as they are */
    GOAL_KEPT = GOALS,
};

struct lease_transition {
    enum lease_phase from;
    enum lease_event event;
    int to;           /* a phase, or PHASE_QUEUE */
    int goal;         /* of all existing VMs of the lease, or GOAL_KEPT */
    const char *word; /* in its history; NULL: none */
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

/* The same; the text is the sentence of the lease's reason, or for which lease it is preempted. */
int lease_apply_because(struct store *store, const struct lease_record *lease,
                        enum lease_event event, int64_t now);

/* EVENT_REFUSED with its reason; also logged. */
int lease_refuse(struct store *store, const struct lease_record *lease, int64_t now,
                 const struct reason *reason, const struct vm_record *vm);

/* --- outside of events ------------------------------------------------------------------------ */

/* Set the reason why the lease is in its phase, and when the failed operation is retried
 * (INSTANT_NONE). The reason's text may be cut. `vm`: the reason includes the size of this VM;
 * NULL: it does not. True: the reason or the time has changed. */
bool lease_explain(struct store *store, const struct lease_record *lease,
                   const struct reason *reason, const struct vm_record *vm, int64_t retry);

/* The shortest time that any VM of the lease ran in closed history records, seconds. */
int64_t lease_ran_for(const struct store *store, const struct lease_record *lease);

/* All VMs of the lease have been running since then: sets its begin and its end. */
void lease_runs_since(struct store *store, const struct lease_record *lease, int64_t since);

/* The lease's VMs stopped running: adds up the time they ran. Its end is unknown from now on,
 * except for a reservation. */
void lease_stopped_running(struct store *store, const struct lease_record *lease);

/* The lease was ended before it was seen running: the time it ran counts all the same. */
void lease_ran_unseen(struct store *store, const struct lease_record *lease, int64_t since);

/* Its VMs are gone, and have run for so long, the last one until then. */
void lease_ran_until(struct store *store, const struct lease_record *lease, int64_t ran_for,
                     int64_t until);

/* The lease's owner was told that it is late. */
void lease_note_late(struct store *store, const struct lease_record *lease);
/* The lease's owner has been charged for `charged` seconds of the time that it ran. */
void lease_note_charged(struct store *store, const struct lease_record *lease, int64_t charged);
/* The lease's owner was told that its end is near. */
void lease_note_warned(struct store *store, const struct lease_record *lease);

/* Its owner was told that it ends then unless its VMs are used; INSTANT_NONE: it does not. */
void lease_note_unused(struct store *store, const struct lease_record *lease, int64_t until);

/* A change that its owner asked for by the attribute was refused; "": the attribute says what
 * holds. */
void lease_note_change_refused(struct store *store, const struct lease_record *lease,
                               const char *why);

/* Set when the lease starts (or continues): promised (`contract`), planned or estimated.
 * INSTANT_NONE: unknown; INSTANT_NEVER: what the lease waits for has no known end. True: that is
 * new. */
bool lease_expect(struct store *store, const struct lease_record *lease, int64_t at, bool contract);

/* The lease is to make room for another one at that time. False: already noted. */
bool lease_note_preemption(struct store *store, const struct lease_record *lease, int64_t other,
                           int64_t at);

/* The noted preemption is no longer planned. */
void lease_keeps_hosts(struct store *store, const struct lease_record *lease, int64_t now);

/* The lease has moved to other hosts, as noted. */
void lease_has_moved(struct store *store, const struct lease_record *lease);

/* The size of the lease's group. `until`: when an incomplete group counts as complete. */
void lease_gather(struct store *store, const struct lease_record *lease, uint32_t size,
                  int64_t until);

/* Copy the requested terms from the record `terms`. */
void lease_take_terms(struct store *store, const struct lease_record *lease,
                      const struct lease_record *terms);
/* EVENT_CHANGED, with the kind, times and terms of the record `changed`
 * (daemon/live/lease_change.h). The hosts of other leases that would have made room are theirs
 * again: O(leases) if the start or kind changes. */
int lease_take_change(struct store *store, const struct lease_record *lease,
                      const struct lease_record *changed, int64_t now, const char *text);
/* The lease belongs to the owner of the VM, and gets its name, unless it has one. */
void lease_belongs_to(struct store *store, const struct lease_record *lease, const struct vm *vm);
/* The lease was submitted at that time. */
void lease_submitted(struct store *store, const struct lease_record *lease, int64_t at);
/* The terms of the lease's promise, with the rest of what was promised: its place in the queue, and
 * whether it is late. The lease is accepted. */
void lease_restore(struct store *store, const struct lease_record *lease,
                   const struct lease_record *promised);

/* The clock was set by `by` seconds: move the lease's times. */
void lease_move_times(struct store *store, const struct lease_record *lease, int64_t by);

/* --- notes that are not stored ---------------------------------------------------------------- */
/* The number of the last forecast that included it. */
void lease_note_outlook(struct store *store, const struct lease_record *lease, int64_t outlook);
/* It is promised, and could not start at present. */
void lease_note_at_risk(struct store *store, const struct lease_record *lease, bool at_risk);
/* Monotonic milliseconds: since when its VMs were measured as unused; 0: they are used. */
void lease_note_unused_since(struct store *store, const struct lease_record *lease, int64_t since);
/* It is too far back in the queue to estimate its start. */
void lease_note_far(struct store *store, const struct lease_record *lease, bool is_far);
/* The SCHED_RANK of one of its VMs is not valid. */
void lease_note_rank_ignored(struct store *store, const struct lease_record *lease);
/* 1: it is in the record, 2: with its end. */
void lease_note_recorded(struct store *store, const struct lease_record *lease, int recorded);

/* --- queries ---------------------------------------------------------------------------------- */

/* Ended, refused or failed. */
bool lease_is_final(const struct lease_record *lease);
/* Has galernad suspended VMs of the lease that still exist? O(VMs of the lease). */
bool lease_is_suspended_by_us(const struct store *store, const struct lease_record *lease);
/* When the lease's time is over if it runs, or began to, at `begun` (an earlier `since` takes
 * precedence); INSTANT_NEVER: unlimited. */
int64_t lease_end_from(const struct lease_record *lease, int64_t begun);
/* How much longer than accepted the lease is with this duration: seconds, or SPAN_UNLIMITED. */
int64_t lease_extended_by(const struct lease_record *lease, int64_t duration);
/* Has the lease used up its time at `now`? */
bool lease_is_over(const struct lease_record *lease, int64_t now);
