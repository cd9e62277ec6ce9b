/* store.h: the daemon's durable store of leases and VMs.
 *
 * Reads are from memory; SQLite (WAL, synchronous FULL) makes the store durable. Records are
 * changed in memory and marked; store_commit() writes all marked records in one transaction. The
 * daemon commits before it reports an acceptance and before it sends a command, so the store
 * contains everything that OpenNebula or a user has seen. The state directory is locked: only one
 * process at a time uses it.
 *
 * A lease's id is the lowest id of its VMs; a VM belongs to one lease.
 *
 * Fields, columns and migrations go together: see rows.h before changing a record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/vm_command.h"
#include "core/lease.h"
#include "core/reason.h"
#include "util/error.h"
#include "util/instant.h"

struct store; /* opaque */

/* A lease's phase. The next steps follow from it and from the VMs' states in OpenNebula. The order
 * counts: those before ENDING are open, those from ENDED on are final. */
enum lease_phase {
    PHASE_GATHERING, /* a group with VMs still missing */
    PHASE_WAITING,   /* in the queue: never started, or suspended by us and to be resumed */
    PHASE_RESERVED,  /* accepted, starts at `start` */
    PHASE_STARTING,  /* to run now: its deploys or resumptions are commanded or due */
    PHASE_RUNNING,   /* all its VMs run */
    PHASE_STOPPING,  /* being suspended by us to make room */
    PHASE_PARKED,    /* suspended, powered off, stopped, undeployed or held by a user */
    PHASE_ENDING,    /* its time is over: being ended */
    PHASE_ENDED,     /* final */
    PHASE_REFUSED,   /* final: policy, rights, lack of room, a malformed attribute */
    PHASE_FAILED,    /* final: a VM could not be started */
    PHASE_MISSED,    /* final: accepted, but not run in its time, or not by its latest start */
    PHASES
};

const char *phase_name(enum lease_phase phase); /* "waiting", "running", ... */
bool phase_is_final(enum lease_phase phase);    /* from ENDED on */

enum { SINCE_NOT = -1 };
enum { STORE_NO_LEASE = -1, STORE_TEXT_MAX = 320, STORE_NAME_MAX = 128, STORE_GROUP_MAX = 64 };
enum { REASON_NUMBERS = 6 };
enum { STORE_ASKED_MAX = 512 /* requested terms in a VM's attribute, as a document */ };
enum { STORE_SENTENCE_MAX = STORE_TEXT_MAX + 64 /* a reason with a time */ };
enum { STORE_ACTIVITY_MAX = STORE_SENTENCE_MAX + 192 };

/* Times of a lease that are relative to its submission, not times of day. */
enum { RELATIVE_START = 1, RELATIVE_EARLIEST = 2, RELATIVE_DEADLINE = 4 };

struct lease_record {
    int64_t id;
    enum lease_phase phase;
    enum lease_kind kind;
    int64_t submit;      /* seconds since 1970 */
    int64_t start;       /* reservation, deadline: as granted; immediate: when accepted;
                          * INSTANT_NONE */
    int64_t earliest;    /* best-effort: not before; INSTANT_NONE */
    int64_t deadline;    /* INSTANT_NONE */
    int64_t duration;    /* seconds requested; SPAN_UNLIMITED */
    int64_t end;         /* when its VMs' time is over, if known; INSTANT_NEVER, _NONE */
    int64_t accumulated; /* seconds run in closed history records */
    int64_t charged;     /* the part of the run time, in seconds, charged to its owner:
                          * daemon/state/user_usage.h */
    int64_t since;       /* running since; INSTANT_NONE */
    int64_t expected;    /* planned or estimated start, or resumption; INSTANT_NONE */
    bool plain;          /* no GALERNA or HAIZEA attribute: best-effort, unlimited */
    bool contract;       /* `expected` is promised, not estimated */
    bool accepted;       /* admitted; reservations and deadline leases have a promise */
    bool warned;         /* its owner was notified that the end is near */
    bool late;           /* a promise was broken: reported */
    uint32_t relative;   /* RELATIVE_*: requested as "+hh:mm:ss" */
    LEASE_TERM_MEMBERS;
    int32_t uid, gid;
    const char *user, *user_group; /* below STORE_NAME_MAX, as the name */
    const char *name;              /* of its first VM */
    const char *group;             /* attribute GROUP, below STORE_GROUP_MAX; "": none */
    uint32_t group_size;           /* 0: unspecified */
    int64_t group_until;           /* when an incomplete group counts as complete; INSTANT_NEVER */
    enum reason_id reason_id;      /* NONE: `reason` is the sentence, or there is no reason */
    int64_t reason_n[REASON_NUMBERS]; /* of the reason id; then CPU (1/100) and MB of a VM, or 0 */
    const char *reason_word;          /* stable: "no-room-now", "malformed", ...; below
                                       * STORE_GROUP_MAX */
    const char *reason;               /* the quoted part of the sentence or, without an id, the
                                       * sentence; below STORE_TEXT_MAX, as change_refused */
    int64_t retry;                    /* when the failed operation is retried; INSTANT_NONE */
    int64_t changes;                  /* number of changes since it was accepted */
    int64_t extended;                 /* seconds added by these changes, or SPAN_UNLIMITED */
    int64_t unused_until;             /* it ends then unless its VMs are used, and its owner knows;
                                       * INSTANT_NONE */
    const char *change_refused;       /* why the owner's last change was refused
                                       * (store_pack_refusal()); "": it was not */

    /* The lease for which this one leaves its hosts, or has left them without being restarted
     * since, and when; preempted_at 0 or INSTANT_NONE: none (store_is_preempted()). */
    int64_t preempted_for, preempted_at;

    int64_t outlook;      /* number of the last forecast that included the lease; not stored */
    int recorded;         /* 1: in the record, 2: with its end; not stored */
    bool rank_ignored;    /* SCHED_RANK of one of its VMs is invalid; not stored */
    bool at_risk;         /* promised, and could not start at present; not stored */
    int64_t delayed_by;   /* the last newer lease whose promise delays it; 0: none */
    bool is_far;          /* too far back in the queue to estimate; not stored */
    bool has_victims;     /* others may make room for it, or have done; not stored */
    bool marked;          /* to be written with the next commit */
    int64_t unused_since; /* monotonic milliseconds: measured; 0: its VMs are used; not stored */
};

enum { AVOIDED_MAX = 8 };

/* Hosts where a VM failed. */
struct avoided_hosts {
    int32_t host[AVOIDED_MAX]; /* -1: free; the oldest is overwritten */
    int64_t until[AVOIDED_MAX];
};

enum vm_goal {
    GOAL_NONE,  /* gets no commands */
    GOAL_RUN,   /* to run on `host` */
    GOAL_STOP,  /* to be suspended (stop or suspend) */
    GOAL_END,   /* to be ended (terminate, poweroff, undeploy) */
    GOAL_AGAIN, /* to be restarted: its work is lost */
    GOAL_HOLD,  /* refused: to be held or terminated */
    GOAL_PARK,  /* to be held until it is released */
    GOAL_FREE,  /* on hold: to be released */
    GOALS
};

/* What SCHED_MESSAGE tells: also written to the VM, for a galernad that knows no more than the VM
 * shows (messages.h). */
enum message_kind {
    MESSAGE_PASSING,
    MESSAGE_HELD, /* why the VM is held: its lease was refused, missed or has failed */
    MESSAGE_RANK, /* SCHED_RANK is ignored */
    MESSAGE_KINDS
};

/* How a VM moves to another host. */
enum move_kind {
    MOVE_NONE,
    MOVE_LIVE,
    MOVE_COLD, /* its memory is saved and restored */
    MOVE_OFF,  /* it is powered off and boots */
};

struct vm_record {
    int32_t id;
    enum vm_goal goal;
    int64_t lease;
    int32_t host;              /* OpenNebula's host id: planned or current host; -1: none */
    int32_t datastore;         /* chosen system datastore; -1: none */
    int64_t cpu, memory;       /* 1/100, MB */
    int64_t created;           /* by oned's clock: with the id, it identifies the VM; 0: unknown */
    bool suspended_by_us;      /* suspended or stopped to make room, not by a user */
    bool ran;                  /* has been observed running */
    bool unlocked;             /* galernad removed its owner's lock since the VM was last started */
    int32_t sequence;          /* history record up to which `ran_for` counts; -1 */
    int64_t ran_for;           /* seconds run in closed history records */
    int64_t skew;              /* seconds of oned's account that do not count: vm_skew() */
    int64_t skew_open;         /* likewise in the open record; not stored */
    int64_t since, since_told; /* start of the open record, by our clock and by oned's; not stored.
                                * since_told 0: not observed, SINCE_NOT: closed */
    int64_t boot_failed; /* start, by oned's clock, of the open record if its boot failed and it has
                          * not run since; not stored */
    /* The command in progress, written before it is sent. */
    enum command command;
    int32_t attempts;               /* consecutive failures */
    int64_t sent;                   /* when */
    int64_t next_try;               /* not before; INSTANT_NONE */
    int64_t pause_until;            /* after a failure: not placed again before; INSTANT_NONE */
    int32_t failed_record;          /* history record of the last failure that was counted; -1 */
    enum reason_id message_reason;  /* of the lease when the message was sent; not stored */
    struct avoided_hosts *avoided;  /* NULL: none */
    const char *message;            /* SCHED_MESSAGE as last written, below STORE_TEXT_MAX */
    enum message_kind message_kind; /* what it tells */
    int64_t message_at;             /* when the message was last sent; not stored */
    int64_t message_expected;       /* the start announced in it; INSTANT_NONE; not stored */
    int64_t message_settled;        /* monotonic milliseconds of the answer; not stored */
    bool message_in_flight;         /* not stored */
    bool message_failed;            /* the last one was not written; not stored */
    bool message_is_own;            /* this galernad wrote it since it was started; not stored */
    const char *asked; /* the request in its attribute, as last processed; "": not read yet; below
                        * STORE_ASKED_MAX */
    const char *stays; /* the hosts on which it has run (stays.h); below STORE_STAYS_MAX */
    /* The VM's promise in OpenNebula, as last written (daemon/live/promise.h). */
    int64_t promise_number;  /* 0: never */
    int64_t promise_digest;  /* 0: none, or it has ended */
    int64_t promise_sent;    /* promise_stamp() of the last one sent, answered or not; 0: none */
    int64_t promise_refused; /* number of the last one that OpenNebula refused; not stored */
    enum promise_state {
        PROMISE_INTACT,
        PROMISE_DAMAGED,
        PROMISE_REPAIRED,
        PROMISE_OF_OTHERS,  /* a newer galernad wrote it: kept */
        PROMISE_UNANSWERED, /* it is unknown whether OpenNebula has the last one sent */
    } promise_state;        /* not stored */
    bool promise_told;      /* one was written since its goal changed; not stored */
    bool gone;              /* DONE, or no longer in OpenNebula */
    bool marked;            /* to be written with the next commit */

    int64_t settled;   /* monotonic milliseconds: older observations are ignored; not stored */
    bool in_flight;    /* the command has not been answered yet; not stored */
    enum command last; /* the last command sent, until another step is due; not stored */
    int in_vain;       /* consecutive commands without effect; not stored */
    int too_late;      /* consecutive refusals because the VM had changed state; not stored */
    int refusals;      /* consecutive refusals because of a quota, a lock or a fault of oned; not
                        * stored */
    bool locked;       /* as last observed; not stored */
    int64_t blocked; /* monotonic milliseconds: waiting for room on its host since; 0; not stored */
    int64_t stuck;   /* in an overdue operation since; 0: it is not; not stored */
    /* The VM runs on `host` and moves to `move_to`; not stored. */
    enum move_kind move;
    int32_t move_to;
    bool move_sent;   /* the migration was sent */
    bool resched;     /* an operator wants it on another host; not stored */
    bool resched_met; /* it has moved, and OpenNebula still shows the mark; not stored */
    bool wanted;      /* its cluster is better balanced with the VM on `wanted_on`; not stored */
    int32_t wanted_on;
    /* State of a required move, until the VM is on another host; not stored. */
    bool live_failed;   /* a live migration failed: the next one is cold */
    int move_failures;  /* consecutive failures */
    int64_t move_again; /* no further move before; 0: at once */
};

/* Open or create the state in a directory (created with mode 0700; files 0600). Errors: EBUSY
 * (another daemon uses it; names the process), EPERM (other users may read or write it), EPROTO
 * (written by a newer version, or by another program), EBADMSG (damaged), errors of the file
 * system. The text gives advice. */
struct store *store_open(const char *directory, struct error *err);
/* Marked records that are not committed are lost. NULL is allowed. */
void store_close(struct store *store);

/* A random id of this state, which never changes. */
const char *store_instance(const struct store *store);

/* Number of commits since the store was created. */
int64_t store_commits(const struct store *store);
/* Changes whenever a lease, a VM or the history may have changed, except for fields only noted in
 * memory. */
uint64_t store_changes(const struct store *store);

/* NULL: not in memory. Pointers stay valid until store_forget_lease() or store_close(). O(1). */
const struct lease_record *store_lease(const struct store *store, int64_t id);
const struct vm_record *store_vm(const struct store *store, int32_t id);

/* A new record with all fields empty (times INSTANT_NONE, `duration` SPAN_UNLIMITED, `group_until`
 * INSTANT_NEVER, ids -1, the rest 0); marked. NULL with errno: EEXIST (in memory), ENOENT (no such
 * lease in memory), EINVAL (negative id). A record with that id that is only in the file, which can
 * happen after OpenNebula was reinstalled, is replaced. The caller fills in the request; the owners
 * of all other fields change these (daemon/store/change.h). */
struct lease_record *store_add_lease(struct store *store, int64_t id);
struct vm_record *store_add_vm(struct store *store, int32_t id, int64_t lease);

/* Move a VM to another lease. -1 with errno ENOENT: that lease is not in memory. */
int store_move_vm(struct store *store, const struct vm_record *moved, int64_t lease);

/* A reason with texts of its own, which can be copied. */
struct told_reason {
    enum reason_id id; /* REASON_NONE: `text` is the sentence, or there is no reason */
    int64_t n[REASON_NUMBERS];
    char word[STORE_GROUP_MAX]; /* the module's own, or the id's; "": no reason */
    char text[STORE_TEXT_MAX];  /* the quoted part of the sentence */
};

void store_tell_reason(struct told_reason *told, const struct reason *reason);
/* Its sentence. `body`: without a leading "waits" or "refused". */
void store_told_text(const struct told_reason *told, bool body, char *text, size_t size);
/* The lease's reason in a line below STORE_TEXT_MAX, as the text of a reason that has a cause. */
void store_pack_reason(const struct lease_record *lease, char line[STORE_TEXT_MAX]);
/* Why a change was refused, and the nearest alternative. */
struct told_refusal {
    struct told_reason reason;
    int64_t start, duration; /* INSTANT_NONE, SPAN_NONE: none */
};

/* In a line below STORE_TEXT_MAX, as change_refused. */
void store_pack_refusal(const struct told_refusal *refusal, char line[STORE_TEXT_MAX]);
/* The sentence of such a line; that of an older galernad is one. */
void store_refusal_text(const char *line, char *text, size_t size);
/* The cause of the lease's reason: why a start was missed, the last failure. False: none is stored.
 */
bool store_cause(const struct lease_record *lease, struct told_reason *cause);
/* The sentence of the lease's reason; "": none. `body`: without a leading "waits" or "refused". */
void store_reason_sentence(const struct lease_record *lease, bool body, char *text, size_t size);
/* The same sentence as shown at `now` (seconds since 1970): with the local time of the next attempt
 * if that is in the future. Fits in STORE_SENTENCE_MAX. */
void store_reason_text(const struct lease_record *lease, bool body, int64_t now, char *text,
                       size_t size);

#define STORE_RANK_IGNORED "SCHED_RANK or SCHED_DS_RANK cannot be read and is ignored"

/* The activity of the lease, for its owner: "Suspended for lease 7 until 2026-11-21 16:50:00
 * (estimate), 2h10m left to run". Begins with a capital, has no full stop; fits in
 * STORE_ACTIVITY_MAX. */
void store_activity(const struct lease_record *lease, int64_t now, char *text, size_t size);
/* The activity of a waiting lease, without its expected start. */
void store_wait(const struct lease_record *lease, int64_t now, char *text, size_t size);

/* Is the lease in the queue, with or without a promise, rather than on its hosts or over? */
static inline bool store_is_queued(const struct lease_record *lease)
{
    return lease->phase == PHASE_WAITING || lease->phase == PHASE_RESERVED;
}

/* Seconds for which the lease has run by `now`. */
static inline int64_t store_has_run(const struct lease_record *lease, int64_t now)
{
    return lease->accumulated +
           (lease->since != INSTANT_NONE && now > lease->since ? now - lease->since : 0);
}

/* Must the lease leave its hosts for another one, or has it left them without being restarted
 * since? */
bool store_is_preempted(const struct lease_record *lease);

/* Is the lease preempted by a move to other hosts, on which it continues? That applies to leases
 * without an end that otherwise may not be preempted. */
bool store_moves_away(const struct lease_record *lease);

/* Is the lease's reason that it will leave, or cannot leave, a host on which it runs or is
 * parked? */
bool store_is_leaving(const struct lease_record *lease);

/* When a running lease is suspended because it must leave a host and no other host has room;
 * INSTANT_NONE: it is not. */
int64_t store_suspended_at(const struct lease_record *lease);

/* How the lease is preempted: "suspended", "stopped", "ended" or "moved". */
const char *store_preemption_word(const struct lease_record *lease);

/* When a preempted lease begins to leave its hosts: a suspension begins before preempted_at, when
 * it has left them. */
int64_t store_leaves_at(const struct lease_record *lease);

/* Local time: "2026-11-21 15:00:00"; "an unknown time" for INSTANT_NONE. */
void lease_time_text(int64_t instant, char *text, size_t size);

/* When the lease was promised to run: the start of a reservation, or its request if that was later;
 * when an immediate lease was accepted; INSTANT_NONE for others, and for leases that resume after a
 * run. */
int64_t store_promised_start(const struct lease_record *lease);
/* The latest time at which a deadline lease can start or continue; INSTANT_NONE: no deadline. */
int64_t store_latest_start(const struct lease_record *lease);
/* Has its deadline passed while its user stopped or held its VMs? */
bool store_stands_past_deadline(const struct lease_record *lease, int64_t now);

/* A lease's VMs, ascending; *n: their number. Valid until a VM is added to or moved from the lease,
 * or the lease is forgotten. */
const struct vm_record *const *store_vms_of(const struct store *store, int64_t lease, size_t *n);

/* All leases (VMs) in memory, ascending by id: unfinished ones and those that ended in this run.
 * Valid until one is added or forgotten. */
const struct lease_record *const *store_leases(const struct store *store, size_t *n);
const struct vm_record *const *store_vms(const struct store *store, size_t *n);

/* Add a line to the history of a lease, or of the daemon (lease STORE_NO_LEASE; 0 is a valid lease,
 * since OpenNebula counts from 0); written by the next commit. Texts are cut at STORE_TEXT_MAX
 * characters. Event words are stable: "requested", "accepted", "refused", "started", "suspended",
 * ... */
void store_history(struct store *store, int64_t lease, int64_t at, const char *event,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

struct store_event {
    int64_t lease, at;
    const char *event, *text; /* valid during the visit */
};

/* Call the listener for every line when it is added, before it is written, until store_ignore()
 * with its context; STORE_LISTENERS_MAX at most. The listener must not change the store.
 * store_tell() calls it for an event without a line. */
enum { STORE_LISTENERS_MAX = 4 };

void store_listen(struct store *store,
                  void (*listener)(void *context, const struct store_event *event), void *context);
void store_ignore(struct store *store, const void *context);
void store_tell(const struct store *store, int64_t lease, int64_t at, const char *event);

/* The newest `limit` (0: all) lines of a lease's history, oldest first, committed or not.
 * STORE_NO_LEASE: of all leases and the daemon. The visitor must not change the store. -1 with err.
 */
int store_each_event(struct store *store, int64_t lease, size_t limit,
                     void (*visit)(void *context, const struct store_event *event), void *context,
                     struct error *err);

/* Read the history of all leases and the daemon in pieces, oldest first: at most `limit` lines
 * after line *number (0 at first), which becomes the last one. Lines that are not committed come
 * with the last piece. 1: more lines follow; 0: that was the last piece; -1 with err. About 4 us
 * per line. */
int store_next_events(struct store *store, int64_t *number, size_t limit,
                      void (*visit)(void *context, const struct store_event *event), void *context,
                      struct error *err);

/* Remove a finished lease and its VMs from memory; the next commit writes marked changes. The file
 * keeps records and history until store_expire(). store_open() loads the lease again if one of its
 * VMs is not `gone`: a user who resumes that VM must find its lease. */
void store_forget_lease(struct store *store, int64_t id);

/* Delete finished leases that are not in memory and have no event since `before`, and the daemon's
 * own history before `before`, in a separate transaction. At most 500 leases per call, which takes
 * about 10 ms; the next call continues. */
int store_expire(struct store *store, int64_t before, struct error *err);

/* Finished leases that are no longer in memory, for `lease list --all`. Visits the newest `limit`
 * of a user (NULL: of all users), highest id first; the visitor must not change the store. About 20
 * us per lease. */
struct store_past {
    const char *user;
    size_t limit;
    const int64_t *below; /* only lower ids, to continue after a piece; NULL: all */
};

int store_each_past_lease(struct store *store, const struct store_past *past,
                          void (*visit)(void *context, const struct lease_record *lease),
                          void *context, struct error *err);
/* A lease as in the file, in memory or not; valid until the next call. 1: found, 0: not found, -1
 * with err. */
int store_past_lease(struct store *store, int64_t id, const struct lease_record **lease,
                     struct error *err);
/* Visits the VMs of a lease as in the file, ascending; their texts are valid during the visit.
 * Returns 0 even if there are none; -1 with err. */
int store_each_past_vm(struct store *store, int64_t lease,
                       void (*visit)(void *context, const struct vm_record *vm), void *context,
                       struct error *err);

/* Visits the VMs of finished leases, some of them in memory, from the file: at most `limit` with
 * ids above `after`, ascending. -1 with err. */
int store_next_past_vms(struct store *store, int32_t after, size_t limit,
                        void (*visit)(void *context, const struct vm_record *vm), void *context,
                        struct error *err);

/* Small facts: learned rates, the last reading of the clocks, ... NULL: not set; setting NULL
 * removes a fact. Written by the next commit. Valid until the next store_set_fact(). Reading is
 * O(log facts), adding O(facts). */
const char *store_fact(const struct store *store, const char *name);
void store_set_fact(struct store *store, const char *name, const char *value);
/* Visit the facts whose names begin with `beginning`, ascending; the visitor must not change the
 * store. O(facts). */
void store_each_fact(const struct store *store, const char *beginning,
                     void (*visit)(void *context, const char *name, const char *value),
                     void *context);

/* Write everything marked, durably, in one transaction; without marks nothing is written. -1:
 * nothing was written and the marks remain (disk full, ...): the caller must not act on uncommitted
 * decisions. Cost: one fsync and about 10 us per record. */
int store_commit(struct store *store, struct error *err);
bool store_has_changes(const struct store *store);
