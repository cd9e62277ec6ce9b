/* planner.h: plans, made of the store and the world by a process of their own.
 *
 * The engine that replays traces decides here too, in the planner process (planner/): galernad
 * gathers facts, sends them, and goes on with other things until the outputs come back, which it
 * notes in the store as events of leases. The engine is built again whenever reality has deviated
 * from what it assumed: what runs is adopted first, then what was promised, then what waits.
 * Between two of those it is stepped. What has changed while a plan was made (a user cancels)
 * counts: late outputs that do not fit any more are dropped.
 */
#ifndef GALERNA_DAEMON_PLANNER_H
#define GALERNA_DAEMON_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/eligibility.h"
#include "core/engine.h"
#include "daemon/live/estimates.h"
#include "daemon/live/quarantine.h"
#include "daemon/live/world.h"
#include "daemon/store/store.h"
#include "planner/protocol.h"
#include "util/error.h"

enum { PLANNER_FDS = 4 };

struct planner; /* opaque */
struct configuration;
struct pollfd;
struct policy_event;

struct planner_settings {
    struct engine_settings engine;
    /* Where the policies come from. Without a configuration, which must outlive the planner, plans
     * are made in this process with these hooks (tests). */
    const struct configuration *configuration;
    const struct policy_hooks *policies;
    struct eligibility_settings eligibility;
    int64_t boot_time; /* seconds a reservation is commanded early, as long as nothing is
                          learnt of booting; 0: never early */
    const struct quarantine *quarantine; /* quarantined hosts; must outlive the planner */
    int64_t forecast;                    /* leases of the queue whose start is estimated; 0: none */
    bool resumes_anywhere;               /* preempted VMs are stopped, not suspended */
    bool submit_on_hold; /* a VM on hold that nobody held waits like a pending one */

    /* Called from planner_serve(), or within planner_plan() in tests; each may be NULL. */
    void *context;
    void (*planned)(void *context, bool made); /* the plan is noted in the store, or failed */
    void (*changed)(void *context);            /* something is worth a cycle */
    void (*begins)(void *context); /* modules that know nothing of the past: tell them */
};

/* Store and world must outlive it. Starts the process and waits until its modules are loaded. NULL
 * with err: a module is not found, is not one, or has wrong options. */
struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world, struct error *err);
void planner_destroy(struct planner *planner); /* NULL is allowed */

/* What suspensions and resumptions really take: each engine that is built from now on plans with
 * it, where the operator has not set a time (override-suspend-time, override-resume-time). NULL: by
 * the settings alone. Must outlive the planner. */
void planner_set_estimates(struct planner *planner, const struct estimates *estimates);

/* --- planning --------------------------------------------------------------------------------- */

/* Begin a plan: from the beginning, or a step with what is new since (planner_new(),
 * planner_gone()). `planned` is called when it is made. Not while one is being made. -1 with err:
 * no plan can be made at present (no hosts seen yet, no process). Costs here: about 1 us a running
 * VM, 1 us a host, and what requirements cost. */
int planner_plan(struct planner *planner, bool anew, int64_t now, struct error *err);
bool planner_is_planning(const struct planner *planner);
bool planner_is_ready(const struct planner *planner); /* an engine is there */
/* What the engine decided is done in another way: plan anew. */
bool planner_is_outdated(const struct planner *planner);

void planner_new(struct planner *planner, int64_t lease);
void planner_gone(struct planner *planner, int64_t id);

/* --- the process ------------------------------------------------------------------------------ */

/* At most PLANNER_FDS entries. */
unsigned planner_waitfds(const struct planner *planner, struct pollfd *fds);
/* When it wants to be served though nothing came: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_due(const struct planner *planner);
/* Take what has come, watch deadlines, start another process where one has ended. */
void planner_serve(struct planner *planner);

/* err: NULL, the modules were loaded; else why not: the old ones stay. */
typedef void planner_loaded(void *context, const struct error *err);

/* Load the policy modules from their files again, those that are out of service excepted, but for
 * `enabled` (NULL: none), which does its work again then. Plans go on with the old ones until the
 * new ones are ready. `loaded` is called from planner_serve(), or planner_stop(). -1 with err, and
 * `loaded` is not called: EAGAIN (modules are being loaded), ENOENT (`enabled` is not out of
 * service), or a module is not found. */
int planner_reload(struct planner *planner, const char *enabled, planner_loaded *loaded,
                   void *context, struct error *err);
/* galernad stops: reloads and questions that are under way are answered. */
void planner_stop(struct planner *planner);

/* Tell policy modules what happened to a lease, with the next plan. */
void planner_tell(struct planner *planner, const struct policy_event *event);
bool planner_wants_events(const struct planner *planner);

struct planner_module {
    const char *name, *kind, *file;
    const char *offence; /* why it is out of service; NULL: it is in service */
    int64_t since;       /* when it was taken out of service, seconds since 1970 */
};

void planner_each_module(const struct planner *planner,
                         void (*visit)(void *context, const struct planner_module *module),
                         void *context);
/* Processes that have ended otherwise than told to. */
uint64_t planner_ended(const struct planner *planner);

/* --- what it knows ---------------------------------------------------------------------------- */

/* Is the lease in the engine, even if only to be taken out with the next step? */
bool planner_knows(const struct planner *planner, int64_t lease);

/* Does the lease run on terms that let it go to better hosts, and are such looked for? */
bool planner_may_move(const struct planner *planner, const struct lease_record *lease);

/* When the engine wants to be stepped next; INSTANT_NEVER. */
int64_t planner_next_time(const struct planner *planner);
/* When a lease that is left out for the moment (starting it failed) should be planned again: plan
 * anew then. INSTANT_NEVER. */
int64_t planner_retry_time(const struct planner *planner);

/* When the engine thinks the lease's VMs' time is over; INSTANT_NONE: it does not run there. */
int64_t planner_end(const struct planner *planner, int64_t id);

/* A member of this group, which is being started, has to go to another host than it was to: the
 * next plan finds it one, if there is one with room. */
bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now);

/* Of those that wait, the engine plans the start of a few. When the rest will probably start is
 * estimated by the planner when it has nothing else to do, whenever something that matters has
 * changed, and for no more than a 200th of a core. What is found is noted in the store (`expected`,
 * `is_far`); estimates that hardly differ from what was told before are not told again. */
void planner_forecast(struct planner *planner);
/* When that is due, monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_forecast_due(const struct planner *planner);

/* Are the hosts the engine knows still what the last poll shows (set, capacity, state, attributes
 * that requirements speak of)? O(hosts) once a poll. */
bool planner_sees_same_hosts(struct planner *planner);
/* Leases that were promised or wait and that there is no place for as things stand. */
size_t planner_unplaced(const struct planner *planner);
/* Milliseconds (monotonic) when it was built. */
int64_t planner_built(const struct planner *planner);

/* A system datastore for a VM on a host (OpenNebula's ids); -1 with the reason: none has room. */
int32_t planner_datastore(struct planner *planner, int32_t id, int32_t host, char *reason,
                          size_t size);

/* --- questions -------------------------------------------------------------------------------- */

/* Would this lease fit, when, and who would make room? The planner plans on an engine of its own,
 * which it throws away; nothing in the store changes. The text is for people, one line per finding.
 */
struct planner_trial {
    bool accepted;
    int64_t start;              /* INSTANT_NONE */
    bool contract;              /* start is a promise */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word */
    char text[1024];
};

/* trial is NULL when it cannot be told: err says why. */
typedef void planner_tried(void *context, const struct planner_trial *trial,
                           const struct error *err);
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err);

/* What is planned on a host; operations is NULL when it cannot be told. */
typedef void planner_told(void *context, const struct planned_operation *operations, size_t n,
                          const struct error *err);
int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err);

#endif
