/* daemon.h: galernad: what its parts share from live/ on, and what they ask of its loop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rights.h"
#include "configuration/configuration.h"
#include "configuration/live.h"
#include "daemon/live/broken_rules.h"
#include "daemon/live/clocks.h"
#include "daemon/live/fence.h"
#include "daemon/live/front_end.h"
#include "daemon/live/kept_drains.h"
#include "daemon/live/promises.h"
#include "daemon/live/rebalancing.h"
#include "daemon/live/sleep.h"
#include "daemon/planner/planner.h"
#include "daemon/state/quarantine.h"
#include "daemon/state/world.h"
#include "daemon/store/store.h"
#include "util/error.h"
#include "util/words.h"

struct answers;
struct control;
struct enactor;
struct learned;
struct guard;
struct http;
struct lessons;
struct messages;
struct metrics;
struct order;
struct recorder;
struct reload;
struct services_question;

/* Problems that keep galernad from working, shown in the status. */
#define PROBLEM_ROWS(ROW)                                                                          \
    ROW(PROBLEM_OPENNEBULA, "opennebula")                                                          \
    ROW(PROBLEM_STORE, "store")                                                                    \
    ROW(PROBLEM_PLAN, "plan")                                                                      \
    ROW(PROBLEM_MARK, "mark")                                                                      \
    ROW(PROBLEM_PROMISES, "promises")                                                              \
    ROW(PROBLEM_FRONT_ENDS, "front-ends")                                                          \
    ROW(PROBLEM_STUCK, "stuck")

enum problem_of { PROBLEM_ROWS(WORDS_ENUMERATOR) PROBLEMS };

extern const char *const problem_words[PROBLEMS];

struct problem {
    char text[ERROR_TEXT_MAX]; /* "": none */
    int64_t since;             /* seconds since 1970 */
};

enum { ACCOUNTS_AT_ONCE = 4 };

/* The state at the last call of daemon_want_forms(). */
struct wanted_forms {
    uint64_t stirs, changes; /* store_stirs(), world_changes() */
    bool are_asked_for;      /* for a drain, a request or a plan to rebalance */
};

/* Hosts or a lease in a pending request: the templates of their VMs are read. */
struct asked_hosts {
    struct services_question *question; /* waits for the templates; NULL: none */
    int64_t since;                      /* monotonic milliseconds */
    struct drains drains;               /* these hosts ... */
    bool has_cluster;                   /* ... and those of this cluster */
    int32_t cluster;
    bool has_lease; /* a lease instead of hosts */
    int64_t lease;
};

/* The measured use of each host by VMs, for answers. */
struct hosts_use {
    struct hosts_seen *hosts;        /* retained; NULL: not counted yet */
    uint64_t changes, world_changes; /* of the store and the world, when the use was computed */
    struct host_use *items;
};

struct daemon {
    const struct configuration *configuration;
    const struct live_configuration *live;
    const char *mode;     /* "opennebula" or "simulated" */
    const char *endpoint; /* without secrets */
    const char *account;  /* the OpenNebula user that galernad acts as; NULL: simulated */
    char oned_version[32];
    struct rights *rights;
    struct store *store;
    struct cloud *cloud;
    struct world *world;
    struct learned *learned;
    struct planner *planner;
    struct lessons *lessons;
    struct enactor *enactor;
    struct messages *messages;
    struct notify_settings *notify;
    struct notices *notices;
    struct promises promises;
    struct guard *guard;
    struct front_end front_end;
    struct recorder *recorder; /* NULL: nothing is recorded */
    bool record_failed;        /* the failure was logged */
    struct control *control;
    struct metrics *metrics;
    struct http *http; /* NULL: not configured */
    struct answers *answers;
    struct services_question *question; /* the request being handled on the control socket; NULL */
    struct services_question *accounts[ACCOUNTS_AT_ONCE]; /* account requests; the first one is
                                                           * being processed */
    size_t n_accounts;
    struct hosts_use hosts_use;

    struct map waiting_users;     /* whose requests for reservations wait, by uid; no values */
    struct map grown;             /* leases whose size is checked again, by id; no values */
    size_t undecided;             /* reservations without a decision for which other requests of
                                   * their users wait: intake.h */
    uint64_t site;                /* the digest of the site of the last full poll */
    uint64_t unread;              /* world_unread_digest() of the plan's room */
    struct quarantine quarantine; /* hosts that take no VMs for now */
    struct map broken_rules;      /* of VM groups, as of the last poll: broken_rules.h */
    struct drains drains;         /* hosts that are drained or booked */
    struct kept_drains kept_drains;
    struct rebalancing rebalancing;
    struct asked_hosts asked;
    struct making *makings; /* requests whose VMs have been created and not yet seen */
    bool attribute_asked;   /* the planner tries a change requested by a VM's attribute */
    bool replan;            /* rebuild the engine in the next cycle */
    char replan_why[128];   /* the first reason, for the log */
    bool cycle_due;         /* something has changed since the last cycle */
    bool answers_due;       /* commands were answered since the last cycle */
    int64_t answers_wait;   /* monotonic milliseconds: until then, wait for more answers */
    int64_t cycle_began;    /* monotonic milliseconds */
    int64_t plan_began;     /* monotonic milliseconds */
    bool poll_ok;           /* the last poll was complete */
    bool guarded;           /* this daemon may act */
    bool stopping;
    struct reload *reload;
    bool reload_due; /* begin a reload when none is in progress */
    struct problem problems[PROBLEMS];
    int64_t follows_since; /* seconds since 1970: since when its oned does not lead; INSTANT_NONE */
    int64_t polled;        /* monotonic milliseconds: end of the last complete full poll; 0: none */
    int64_t poll_asked;    /* monotonic milliseconds: beginning of that poll */
    int64_t next_poll;     /* monotonic milliseconds */
    int64_t next_look;     /* monotonic milliseconds: next poll of VMs in transition */
    bool looking;
    struct fence fence;
    struct sleep sleep;
    struct wanted_forms forms;
    int failures;           /* consecutive failed polls */
    int64_t unread_from;    /* seconds since 1970: the last time in which all polls failed ... */
    int64_t unread_until;   /* ... and its end; 0: none */
    int plan_failures;      /* consecutive failed plans */
    int64_t next_plan;      /* monotonic milliseconds: no plan before, after failures */
    int64_t next_count;     /* monotonic milliseconds: when counted repetitions are logged next */
    int64_t watchdog_ms;    /* systemd's watchdog interval; 0: none */
    int64_t next_watchdog;  /* when systemd is next notified */
    int64_t reconciled;     /* seconds since 1970: when the store was last reconciled with the
                             * world */
    int64_t reconcile_due;  /* when reconciling is due, as of the last cycle; INSTANT_NEVER */
    int64_t reconcile_next; /* the next time after that cycle */
    int64_t expired;        /* seconds since 1970: when old leases were last dropped */
    struct clocks clocks;
    int64_t started; /* seconds since 1970 */
    uint64_t n_cycles, n_replans;
    uint64_t n_readings;     /* of OpenNebula, completely or partially */
    uint64_t n_host_changes; /* number of observed changes of the hosts */
};

/* --- loop_requests.c --- */
/* Does this daemon decide about leases? Not while another one acts, or may have acted since the
 * last poll: then it only follows the state of VMs and promises. */
bool daemon_acts(const struct daemon *daemon);
/* Has oned been read, and found not to lead its zone? */
bool daemon_follows(const struct daemon *daemon);
/* The engine no longer matches reality: rebuild it. */
void daemon_replan(struct daemon *daemon, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A cycle is needed. */
void daemon_wake(struct daemon *daemon);
/* A command was answered: a cycle is needed, for this answer and for answers that follow soon. */
void daemon_answered(struct daemon *daemon);
/* For planner_create(): the planner is ready: retry without a pause after failures. */
void daemon_planner_ready(void *context);
/* A hook or client reports that OpenNebula has changed: poll early. */
void daemon_notice(struct daemon *daemon);
/* Policy modules were reloaded. */
void daemon_modules_loaded(struct daemon *daemon);
/* Set a problem; NULL: solved. The time of the first call is kept. */
void daemon_problem(struct daemon *daemon, enum problem_of of, const char *text);
/* Why the displayed state may be outdated (OpenNebula cannot be read, or another galernad acts on
 * it), and since when. Returns a word for it; NULL: it is current. */
const char *daemon_is_outdated(const struct daemon *daemon, struct problem *why);

/* --- extended_forms.c --- */
/* Is the host, of that cluster, among the hosts in question? */
bool asked_hosts_have(const struct asked_hosts *asked, int32_t host, int32_t cluster);
/* Set the VMs whose extended forms the world reads from the next poll on. */
void daemon_want_forms(struct daemon *daemon);
/* The intake has seen the VM's extended form: if it tells nothing more, it is not looked at again,
 * and dropped if plans do not need it either. */
void daemon_pass_form(struct daemon *daemon, const struct vm_record *vm, int64_t now);
