/* store.h: the daemon's durable store of leases and VMs.
 *
 * In memory for reading, in SQLite (WAL, synchronous FULL) for surviving. Records are changed in
 * memory and marked; store_commit() writes all that is marked in one transaction. The daemon
 * commits before it reports an acceptance and before it sends a command, so what OpenNebula or a
 * user has seen is always in the store. One process at a time: the state directory is locked.
 *
 * A lease is known by the lowest id of its VMs; a VM belongs to one lease for ever.
 *
 * Fields, columns and migrations go together: see store_rows.h before changing a record.
 */
#ifndef GALERNA_DAEMON_STORE_H
#define GALERNA_DAEMON_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/command.h"
#include "core/lease.h"
#include "core/reason.h"
#include "util/error.h"

struct store; /* opaque */

/* Where a lease is. What is to be done follows from it and from what OpenNebula shows of the VMs.
 */
enum lease_phase {
    PHASE_GATHERING, /* a group whose VMs are not all there */
    PHASE_WAITING,   /* in the queue: never started, or suspended by us and to be resumed */
    PHASE_RESERVED,  /* accepted, starts at `start` */
    PHASE_STARTING,  /* to run now: deploys or resumptions are commanded or due */
    PHASE_RUNNING,   /* all its VMs run */
    PHASE_STOPPING,  /* being suspended by us to make room */
    PHASE_PARKED,    /* suspended, powered off, stopped, undeployed or held by a user */
    PHASE_ENDING,    /* its time is over: being ended */
    PHASE_ENDED,     /* final */
    PHASE_REFUSED,   /* final: policy, rights, lack of room, a malformed attribute */
    PHASE_FAILED,    /* final: a VM could not be started */
    PHASES
};

const char *phase_name(enum lease_phase phase); /* "waiting", "running", ... */

enum { SINCE_NOT = -1 };
enum { STORE_NO_LEASE = -1, STORE_TEXT_MAX = 320, STORE_NAME_MAX = 128, STORE_GROUP_MAX = 64 };
enum { REASON_NUMBERS = 6 };
enum { STORE_SENTENCE_MAX = STORE_TEXT_MAX + 64 /* a reason with a time */ };
enum { STORE_ACTIVITY_MAX = STORE_SENTENCE_MAX + 192 };

/* Times of a lease that are lengths from its submission, not times of day. */
enum { RELATIVE_START = 1, RELATIVE_EARLIEST = 2, RELATIVE_DEADLINE = 4 };

struct lease_record {
    int64_t id;
    enum lease_phase phase;
    enum lease_kind kind;
    bool plain;          /* no HAIZEA attribute: placed as the stock scheduler would */
    int64_t submit;      /* seconds since 1970 */
    int64_t start;       /* reservation, deadline: as granted; INSTANT_NONE */
    int64_t earliest;    /* best-effort: not before; INSTANT_NONE */
    int64_t deadline;    /* INSTANT_NONE */
    int64_t duration;    /* seconds asked for; SPAN_UNLIMITED */
    int64_t end;         /* when its VMs' time is over as far as known; INSTANT_NEVER, _NONE */
    int64_t accumulated; /* seconds run in stretches that are over */
    int64_t since;       /* begin of the present stretch of running; INSTANT_NONE */
    int64_t expected;    /* planned or estimated start, or resumption; INSTANT_NONE */
    bool contract;       /* `expected` is promised, not estimated */
    bool accepted;       /* a reservation or deadline lease that was promised its time */
    bool warned;         /* its user was told that the end is near */
    bool late;           /* a promise was broken: reported */
    uint32_t relative;   /* RELATIVE_*: asked for as "+hh:mm:ss" */
    LEASE_TERM_MEMBERS;
    int32_t uid, gid;
    char user[STORE_NAME_MAX], user_group[STORE_NAME_MAX];
    char name[STORE_NAME_MAX];   /* of its first VM */
    char group[STORE_GROUP_MAX]; /* HAIZEA/GROUP; "": none */
    uint32_t group_size;         /* 0: not said */
    int64_t group_until;         /* when an incomplete group counts as complete; INSTANT_NEVER */
    enum reason_id reason_id;    /* NONE: `reason` is the sentence, or there is no reason */
    int64_t reason_n[REASON_NUMBERS];  /* of the id; then CPU (1/100) and MB of a VM, or 0 */
    char reason_word[STORE_GROUP_MAX]; /* stable: "no-room-now", "malformed", ... */
    char reason[STORE_TEXT_MAX];       /* what the sentence quotes, or (NONE) the sentence */
    int64_t retry; /* when what the reason tells of is tried again; INSTANT_NONE */

    /* The lease for which it leaves its hosts, or left them and has not been started since, and
     * when; preempted_at 0 or INSTANT_NONE: none (store_is_preempted()). */
    int64_t preempted_for, preempted_at;

    int recorded;      /* 1: in the record, 2: with its end; not stored */
    int64_t outlook;   /* number of the last forecast that told of it; not stored */
    bool rank_ignored; /* the SCHED_RANK of one of its VMs cannot be read; not stored */
    bool at_risk;      /* promised, and without a place in the plan; not stored */
    bool is_far;       /* too many are before it for a forecast; not stored */
    char told_start[STORE_NAME_MAX]; /* its start that is in the history; not stored */
    bool marked;                     /* to be written with the next commit */
};

enum vm_goal {
    GOAL_NONE,  /* gets no commands */
    GOAL_RUN,   /* to run on `host` */
    GOAL_STOP,  /* to be suspended (stop or suspend) */
    GOAL_END,   /* to be ended (terminate, poweroff, undeploy) */
    GOAL_AGAIN, /* to be restarted: its work is lost */
    GOAL_HOLD,  /* refused: to be held or terminated */
    GOALS
};

struct vm_record {
    int32_t id;
    int64_t lease;
    enum vm_goal goal;
    int32_t host;              /* OpenNebula's host id: where it is to run or runs; -1: none */
    int32_t datastore;         /* chosen system datastore; -1: none */
    int64_t cpu, memory;       /* 1/100, MB */
    bool suspended_by_us;      /* suspended or stopped to make room, not by a user */
    bool ran;                  /* has been seen running */
    int32_t sequence;          /* history record up to which `ran_for` counts; -1 */
    int64_t ran_for;           /* seconds run in closed history records */
    int64_t skew;              /* seconds that oned's clock was set forward while it ran */
    int64_t skew_open;         /* the same in the open record; not stored */
    int64_t since, since_told; /* begin of the open record, by our clock and by oned's as it was
                                  told; not stored. told 0: not seen yet, SINCE_NOT: closed */
    /* The command under way, written before it is sent. */
    enum command command;
    int64_t sent;          /* when */
    int32_t attempts;      /* failed ones in a row */
    int64_t next_try;      /* not before; INSTANT_NONE */
    int32_t failed_record; /* history record of the last failure that was counted; -1 */
    int64_t pause_until;   /* when it failed: not placed again before; INSTANT_NONE */
    int32_t avoid[8];      /* hosts where it failed, -1: free; the oldest is overwritten */
    int64_t avoid_until[8];
    char message[STORE_TEXT_MAX];  /* SCHED_MESSAGE as last written */
    bool message_in_flight;        /* not stored */
    int64_t message_at;            /* when it was last sent; not stored */
    int64_t message_expected;      /* the start that was told in it; INSTANT_NONE; not stored */
    enum reason_id message_reason; /* of the lease when it was sent; not stored */
    int64_t message_settled;       /* monotonic milliseconds of its answer; not stored */
    bool gone;                     /* DONE, or no longer in OpenNebula */

    int64_t settled; /* monotonic milliseconds: observations asked for earlier say nothing; not
                        stored */
    bool in_flight;  /* its command's answer is awaited; not stored */
    int too_late;    /* refusals in a row because it was in another state; not stored */
    int refusals;    /* in a row for a quota, a lock or a fault of oned's; not stored */
    bool locked;     /* as last seen; not stored */
    int64_t blocked; /* monotonic milliseconds since when it waits for its host; 0; not stored */
    /* It runs on `host` and is to go on on `move_to`; not stored. */
    enum { MOVE_NONE, MOVE_LIVE, MOVE_COLD } move;
    int32_t move_to;
    bool move_sent; /* commanded */
    bool marked;
};

/* Open or create the state in a directory (created with mode 0700; files 0600). Errors: EBUSY
 * (another daemon uses it: its process id), EPERM (others may read or write it), EPROTO (written by
 * a newer version, or damaged: says what to do), those of the file system. */
struct store *store_open(const char *directory, struct error *err);
void store_close(
    struct store *store); /* NULL is allowed; what is marked and not committed is lost */

/* A random name of this state, the same for its life. */
const char *store_instance(const struct store *store);

/* Find, or NULL. Pointers stay valid until store_forget_lease() or store_close(). O(1). */
const struct lease_record *store_lease(const struct store *store, int64_t id);
const struct vm_record *store_vm(const struct store *store, int32_t id);

/* A new record with all fields empty (times INSTANT_NONE, `duration` SPAN_UNLIMITED, `group_until`
 * INSTANT_NEVER, ids -1, the rest 0); marked. NULL with errno: EEXIST (in memory), ENOENT (no such
 * lease in memory), EINVAL (negative id). A record of that id that is only in the file, which an
 * reinstalled OpenNebula may lead to, is replaced. Its maker fills in what it asks for; everything
 * else is changed by the owners of the fields (daemon/store/change.h). */
struct lease_record *store_add_lease(struct store *store, int64_t id);
struct vm_record *store_add_vm(struct store *store, int32_t id, int64_t lease);

/* It belongs to another lease from now on, which is in memory; the array of store_vms_of() of
 * either is no longer valid. ENOENT: it is not. */
int store_move_vm(struct store *store, const struct vm_record *moved, int64_t lease);

/* The sentence of its reason; "": none. `body`: without "waits" or "refused", for places that say
 * so themselves. */
void store_reason_sentence(const struct lease_record *lease, bool body, char *text, size_t size);
/* The same as it is shown at `now` (seconds since 1970): with the time of the next try (local
 * time), unless that has come. STORE_SENTENCE_MAX has room for all of it. */
void store_reason_text(const struct lease_record *lease, bool body, int64_t now, char *text,
                       size_t size);

#define STORE_RANK_IGNORED "SCHED_RANK cannot be read and is ignored"

/* What the lease is doing, for its owner: "Suspended for lease 7 until 2026-11-21 16:50:00
 * (estimate), 2h10m left to run". It begins with a capital and has no full stop at its end;
 * STORE_ACTIVITY_MAX has room for all of it. */
void store_activity(const struct lease_record *lease, int64_t now, char *text, size_t size);

/* Is it to leave its hosts for another lease, or did it, and was not started since? */
bool store_is_preempted(const struct lease_record *lease);

/* "suspended", "stopped" or "ended": what a preemption does to it. */
const char *store_preemption_word(const struct lease_record *lease);

/* A time as people here write it: "2026-11-21 15:00:00". */
void lease_time_text(int64_t instant, char *text, size_t size);

/* When it was promised to run: a reservation's start; the instant at which an immediate lease was
 * accepted; INSTANT_NONE of others. */
int64_t store_promised_start(const struct lease_record *lease);

/* A lease's VMs, ascending. *n is their number. Valid until the next store_add_vm(). */
const struct vm_record *const *store_vms_of(const struct store *store, int64_t lease, size_t *n);

/* All leases (VMs) in memory, ascending by id; unfinished ones and those that ended in this run. */
const struct lease_record *const *store_leases(const struct store *store, size_t *n);
const struct vm_record *const *store_vms(const struct store *store, size_t *n);

/* One line of a lease's history, or the daemon's own (lease STORE_NO_LEASE; 0 is a lease like any
 * other, as OpenNebula counts from 0); written by the next commit. Event words are stable:
 * "requested", "accepted", "refused", "started", "suspended", ... */
void store_history(struct store *store, int64_t lease, int64_t at, const char *event,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

struct store_event {
    int64_t lease, at;
    const char *event, *text; /* valid during the visit */
};

/* Who is told of every line when it is added, before it is written; NULL: none. It must not
 * change the store. store_tell() tells of something that has no line. */
void store_listen(struct store *store,
                  void (*listener)(void *context, const struct store_event *event), void *context);
void store_tell(const struct store *store, int64_t lease, int64_t at, const char *event);

/* The newest `limit` (0: all) lines of a lease's history, oldest first, committed or not.
 * STORE_NO_LEASE: of all leases and the daemon. The visitor must not change the store. -1 with err.
 */
int store_each_event(struct store *store, int64_t lease, size_t limit,
                     void (*visit)(void *context, const struct store_event *event), void *context,
                     struct error *err);

/* A finished lease and its VMs leave memory; what is marked of them is written by the next commit.
 * Its records and history stay in the file until store_expire(). When the store is opened it comes
 * back if one of its VMs is not `gone`: a user who resumes that VM must find its lease. */
void store_forget_lease(struct store *store, int64_t id);

/* Delete finished leases that are not in memory and had no event since `before`, and the daemon's
 * own history before it; in a transaction of its own. At most 500 leases at once, which takes about
 * 10 ms: what is left goes with the next call. */
int store_expire(struct store *store, int64_t before, struct error *err);

/* Finished leases that are no longer in memory: for `lease list --all`. Visits the newest `limit`
 * of a user (NULL: of all), highest id first; the visitor must not change the store. About 20 us a
 * lease visited. */
struct store_past {
    const char *user;
    size_t limit;
};

int store_each_past_lease(struct store *store, const struct store_past *past,
                          void (*visit)(void *context, const struct lease_record *lease),
                          void *context, struct error *err);
/* A lease, and the VMs of a lease, as the file has them. 1: found, 0: not, -1 with err. */
int store_past_lease(struct store *store, int64_t id, struct lease_record *lease,
                     struct error *err);
int store_each_past_vm(struct store *store, int64_t lease,
                       void (*visit)(void *context, const struct vm_record *vm), void *context,
                       struct error *err);

/* Small facts: learned rates, time last seen, ... NULL when not there; setting NULL removes it.
 * Written by the next commit. Valid until the next store_set_fact(). O(log n), O(n). */
const char *store_fact(const struct store *store, const char *name);
void store_set_fact(struct store *store, const char *name, const char *value);

/* Write everything marked, durably, in one transaction; nothing marked: no write. -1: nothing was
 * written, the marks stay (disk full, ...): the caller must not act on what it wanted to promise.
 * Cost: one fsync and about 10 us a record. */
int store_commit(struct store *store, struct error *err);
bool store_has_changes(const struct store *store);

#endif
