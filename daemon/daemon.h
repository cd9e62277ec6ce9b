/* daemon.h: galernad: what its parts share.
 *
 * One thread, one loop (daemon_run): wait until an answer, a request, a signal or a planned time
 * comes; then a cycle: intake (new VMs become leases) -> reconcile (the store follows the world) ->
 * planner (decisions become phases and goals) -> commit (durable) -> enactor (goals become
 * commands) -> messages.
 */
#ifndef GALERNA_DAEMON_DAEMON_H
#define GALERNA_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rights.h"
#include "configuration/configuration.h"
#include "configuration/live.h"
#include "daemon/live/clocks.h"
#include "daemon/live/quarantine.h"
#include "daemon/live/world.h"
#include "daemon/planner/planner.h"
#include "daemon/store/store.h"
#include "util/error.h"

struct answers;
struct control;
struct enactor;
struct estimates;
struct guard;
struct messages;
struct order;
struct recorder;
struct services_question;

/* What keeps galernad from its work, for the status. */
enum problem_of { PROBLEM_OPENNEBULA, PROBLEM_STORE, PROBLEM_PLAN, PROBLEM_MARK, PROBLEMS };

struct problem {
    char text[ERROR_TEXT_MAX]; /* "": none */
    int64_t since;             /* seconds since 1970 */
};

struct daemon {
    const struct configuration *configuration;
    const struct live_configuration *live;
    const char *state_directory;
    const char *mode;     /* "opennebula" or "simulated" */
    const char *endpoint; /* without secrets */
    const char *account;  /* the user of OpenNebula that it acts as; NULL: simulated */
    char oned_version[32];
    struct rights *rights;
    struct store *store;
    struct cloud *cloud;
    struct world *world;
    struct estimates *estimates;
    struct planner *planner;
    struct enactor *enactor;
    struct messages *messages;
    struct guard *guard;
    struct recorder *recorder; /* NULL: nothing is recorded */
    bool record_failed;        /* told once */
    struct control *control;
    struct answers *answers;
    struct services_question *question; /* of the control socket, being handled; NULL */

    uint64_t unread;              /* world_unread_digest() of the plan's room */
    struct quarantine quarantine; /* hosts that take no VMs for now */
    bool replan;                  /* the engine is to be rebuilt in the next cycle */
    char replan_why[128];         /* the first reason, for the log */
    bool cycle_due;               /* something has changed since the last cycle */
    int64_t plan_began;           /* monotonic milliseconds */
    bool poll_ok;                 /* the last poll was complete */
    bool guarded;                 /* this daemon is the one that may act */
    bool stopping;
    bool reload; /* policy modules are to be loaded again, when none are being loaded */
    struct problem problems[PROBLEMS];
    int exit_code;
    int64_t polled;    /* monotonic milliseconds: end of the last complete full poll; 0: none */
    int64_t next_poll; /* monotonic milliseconds */
    int64_t next_look; /* monotonic milliseconds: at VMs in transition */
    bool looking;
    bool asking_leader;     /* commands wait for its answer */
    int failures;           /* polls in a row */
    int plan_failures;      /* plans in a row */
    int64_t next_plan;      /* monotonic milliseconds: not before, after failures */
    int64_t next_count;     /* monotonic milliseconds: of repeated log lines */
    int64_t watchdog_ms;    /* systemd expects a sign of life so often; 0: it does not */
    int64_t reconciled;     /* seconds since 1970: when the store last followed the world */
    int64_t reconcile_due;  /* when it must do so again, as of the last cycle; INSTANT_NEVER */
    int64_t reconcile_next; /* the first such time after that cycle */
    int64_t expired;        /* seconds since 1970: when old leases were last dropped */
    struct clocks clocks;
    int64_t started; /* seconds since 1970 */
    uint64_t n_cycles, n_replans;
    int64_t last_replan_us;
};

/* --- daemon.c --- */
/* The engine does not describe reality any more: build it anew. */
void daemon_replan(struct daemon *daemon, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Something happened that a cycle should look at. */
void daemon_wake(struct daemon *daemon);
/* The planner is ready, whatever failed before. */
void daemon_planner_ready(struct daemon *daemon);
/* Note a problem; NULL: it is over. The time of the first note is kept. */
void daemon_problem(struct daemon *daemon, enum problem_of of, const char *text);
/* Commit the store; a failure is a problem (PROBLEM_STORE): nothing is promised or done. */
int daemon_commit(struct daemon *daemon, struct error *err);
/* Somebody says that OpenNebula has news. */
void daemon_notice(struct daemon *daemon);
/* Policy modules were loaded again. */
void daemon_modules_loaded(struct daemon *daemon);
/* For planner_create(): a plan is made, or has failed: what follows from it is done. */
void daemon_planned(void *context, bool made);
/* For world_create(). */
void daemon_polled(void *context, enum poll_kind kind, bool ok, const char *error);
/* Until a signal stops it. -1 with err: it cannot go on. */
int daemon_run(struct daemon *daemon, struct error *err);

/* --- intake.c --- */
/* VMs that are in no lease become leases. */
void intake(struct daemon *daemon, int64_t now);

/* A refused lease whose VMs were released: what they ask for now counts. */
/* May the account of galernad ask for this? False: `reason` says which rule forbids it. */
bool intake_allows(const struct daemon *daemon, const struct order *order, int64_t now,
                   char reason[LEASE_SPEC_TEXT_MAX]);
void intake_again(struct daemon *daemon, const struct lease_record *lease, int64_t now);

/* --- reconcile.c --- */
/* Leases that are about to start, but nothing of them has been commanded, wait again. */
void reconcile_before_replan(struct daemon *daemon);
/* The VM cannot be started, and its lease has failed: final until its user releases it. The VMs
 * of the lease that run or are on their way are ended, the others are held. `last`: how it failed.
 */
void reconcile_give_up(struct daemon *daemon, const struct vm_record *failed, const char *last,
                       int64_t now);
/* Phases follow what is seen. */
void reconcile(struct daemon *daemon, int64_t now);
/* When the next lease ends, is warned, or a group is taken as complete; INSTANT_NEVER. */
int64_t reconcile_next_time(const struct daemon *daemon, int64_t now);
/* What a lease that is starting, stopping, ending or late waits for at `now` (seconds since 1970),
 * to follow "waits for": "VM 3 (SAVE_STOP) to leave host 1"; "" when that is not known or there is
 * nothing. */
void daemon_waits_for(const struct daemon *daemon, const struct lease_record *lease, int64_t now,
                      char *text, size_t size);
/* A user or operator gives the lease up. */
int daemon_cancel(struct daemon *daemon, int64_t id, const char *who, struct error *err);

#endif
