/* planner.h: plans, made from the store and the world by a process of their own.
 *
 * The planner process (planner/) runs the same engine as replays: galernad gathers facts, sends
 * them, and continues until the outputs arrive, which it applies to the store as events of leases.
 * The engine is rebuilt whenever reality has deviated from its assumptions: running leases are
 * adopted first, then promised ones, then waiting ones. Between rebuilds it is stepped. Changes
 * made while a plan is in progress (a user cancels) take precedence: outputs that no longer fit are
 * dropped.
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
    /* Source of the policies. The configuration must outlive the planner; without one, plans are
     * made in this process with these hooks (tests). */
    const struct configuration *configuration;
    const struct policy_hooks *policies;
    struct eligibility_settings eligibility;
    int64_t boot_time; /* seconds to command reservations early until boot times are learned; 0:
                          never */
    const struct quarantine *quarantine; /* quarantined hosts; must outlive the planner */
    int64_t forecast;                    /* queued leases whose start is estimated; 0: none */
    bool resumes_anywhere;               /* preempted VMs are stopped, not suspended */
    bool submit_on_hold;                 /* VMs on hold that no user held wait like pending ones */

    /* Called from planner_serve(), or within planner_plan() in tests; each may be NULL. */
    void *context;
    void (*planned)(void *context, bool made); /* the plan was applied to the store, or failed */
    void (*changed)(void *context);            /* a cycle should follow */
    void (*begins)(void *context);             /* modules without a past were loaded: tell them */
};

/* Store and world must outlive the planner. Starts the process and waits until its modules are
 * loaded. NULL with err: a module is missing or invalid, or has wrong options. */
struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world, struct error *err);
void planner_destroy(struct planner *planner); /* NULL is allowed */

/* Measured durations of suspensions and resumptions: engines built from now on use them where the
 * operator has not set a time (override-suspend-time, override-resume-time). NULL: only the
 * settings count. Must outlive the planner. */
void planner_set_estimates(struct planner *planner, const struct estimates *estimates);

/* --- planning --------------------------------------------------------------------------------- */

/* Begin a plan: a complete one, or a step with the changes since the last plan (planner_new(),
 * planner_gone()). `planned` is called when the plan is ready. Not while another plan is in
 * progress. -1 with err: planning is impossible at present (no hosts seen yet, no process). Costs
 * here: about 1 us per running VM, 1 us per host, and the evaluation of requirements. */
int planner_plan(struct planner *planner, bool anew, int64_t now, struct error *err);
bool planner_is_planning(const struct planner *planner);
bool planner_is_ready(const struct planner *planner); /* has an engine */
/* The store deviates from the engine's decisions: a complete plan is needed. */
bool planner_is_outdated(const struct planner *planner);

void planner_new(struct planner *planner, int64_t lease);
void planner_gone(struct planner *planner, int64_t id);

/* --- the process ------------------------------------------------------------------------------ */

/* At most PLANNER_FDS entries. */
unsigned planner_waitfds(const struct planner *planner, struct pollfd *fds);
/* When to call planner_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_due(const struct planner *planner);
/* Receive outputs, check deadlines, restart a process that has ended. */
void planner_serve(struct planner *planner);

/* err: NULL when the modules were loaded; otherwise the old ones stay. */
typedef void planner_loaded(void *context, const struct error *err);

/* Reload the policy modules from their files. Of those out of service only `enabled` is loaded, and
 * back in service then (NULL: none). Plans use the old modules until the new ones are ready.
 * `loaded` is called from planner_serve() or planner_stop(). -1 with err, and `loaded` is not
 * called: EAGAIN (modules are already being loaded), ENOENT (`enabled` is not out of service), or a
 * module is missing. */
int planner_reload(struct planner *planner, const char *enabled, planner_loaded *loaded,
                   void *context, struct error *err);
/* galernad stops: answers pending reloads and questions. */
void planner_stop(struct planner *planner);

/* Tell policy modules about an event of a lease, with the next plan. */
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
/* Processes that ended without being told to. */
uint64_t planner_ended(const struct planner *planner);

/* --- the state of the plan -------------------------------------------------------------------- */

/* Is the lease in the engine, even if the next step removes it? */
bool planner_knows(const struct planner *planner, int64_t lease);

/* Do the lease's terms allow moving its running VMs to better hosts, and does the site want it? */
bool planner_may_move(const struct planner *planner, const struct lease_record *lease);

/* When the engine must be stepped next; INSTANT_NEVER. */
int64_t planner_next_time(const struct planner *planner);
/* When a lease that is left out at present (its start failed) must be planned again, completely;
 * INSTANT_NEVER. */
int64_t planner_retry_time(const struct planner *planner);

/* When the lease's time ends in the engine; INSTANT_NONE: the lease does not run there. */
int64_t planner_end(const struct planner *planner, int64_t id);

/* A member of the group cannot start on its planned host: the next plan moves it to another host if
 * one has room. */
bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now);

/* The engine plans the start of only a few waiting leases. For the others the planner estimates it
 * when idle, after relevant changes, and using at most a 200th of a core. Estimates are noted in
 * the store (`expected`, `is_far`); minor changes are ignored. */
void planner_forecast(struct planner *planner);
/* When the next forecast is due, monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_forecast_due(const struct planner *planner);

/* Are the engine's hosts the same as in the last poll (set, capacity, state, attributes used by
 * requirements)? O(hosts) once per poll. */
bool planner_sees_same_hosts(struct planner *planner);
/* Adopted leases that currently have no place in the plan. */
size_t planner_unplaced(const struct planner *planner);
/* When the engine was built, monotonic milliseconds. */
int64_t planner_built(const struct planner *planner);

/* A system datastore for a VM on a host (OpenNebula's ids); -1 with the reason: none has room. */
int32_t planner_datastore(struct planner *planner, int32_t id, int32_t host, char *reason,
                          size_t size);

/* --- queries ---------------------------------------------------------------------------------- */

/* Would this lease fit, when, and which leases would make room? The planner uses a temporary
 * engine; the store does not change. The text is for people, one line per finding.
 */
struct planner_trial {
    bool accepted;
    int64_t start;              /* INSTANT_NONE */
    bool contract;              /* start is a promise */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word */
    char text[1024];
};

/* trial is NULL on failure; err says why. */
typedef void planner_tried(void *context, const struct planner_trial *trial,
                           const struct error *err);
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err);

/* The operations planned on a host; NULL on failure. */
typedef void planner_told(void *context, const struct planned_operation *operations, size_t n,
                          const struct error *err);
int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err);

#endif
