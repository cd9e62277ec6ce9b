/* planner.h: the engine, fed from the store and the world.
 *
 * The engine that replays traces decides here too. It is built anew whenever reality has deviated
 * from what it assumed: what runs is adopted first, then what was promised, then what waits.
 * Between two of those it is stepped: new leases go in, and what is to be done comes out and is
 * noted in the store as phases and goals.
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
#include "util/error.h"

struct planner; /* opaque */
struct policy_world;

struct planner_settings {
    struct engine_settings engine;
    const struct policy_hooks *policies;
    struct eligibility_settings eligibility;
    int64_t boot_time; /* seconds a reservation is commanded early, as long as nothing is
                          learnt of booting; 0: never early */
    /* Told of each new engine's site, and NULL when that goes away; NULL: nobody is. */
    void (*site_changed)(void *context, const struct site *site);
    void *site_context;
    const struct quarantine *quarantine; /* hosts that are left alone; must outlive the planner */
    int64_t forecast;                    /* leases of the queue whose start is estimated; 0: none */
    bool resumes_anywhere;               /* preempted VMs are stopped, not suspended */
    bool submit_on_hold; /* a VM on hold that nobody held waits like a pending one */
};

/* Store and world must outlive it. */
struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world);
void planner_destroy(struct planner *planner); /* NULL is allowed */

/* What suspensions and resumptions really take: each engine that is built from now on plans with
 * it, where the operator has not set a time (override-suspend-time, override-resume-time). NULL: by
 * the settings alone. Must outlive the planner. */
void planner_set_estimates(struct planner *planner, const struct estimates *estimates);

/* Throw the engine away and build it from what is known; decisions of this instant are made and
 * noted in the store. -1 with err: no hosts seen yet, or the engine cannot be made. Costs: about 2
 * us a running VM, 1 us a host, and what the waiting ones cost to place. */
int planner_rebuild(struct planner *planner, int64_t now, struct error *err);
/* Forget the engine: the next cycle builds another. */
void planner_forget(struct planner *planner);
bool planner_is_ready(const struct planner *planner); /* an engine is there */
/* What the engine decided is done in another way: rebuild. */
bool planner_is_outdated(const struct planner *planner);

/* Let time come to now and hand in what is new since (planner_new(), planner_gone()). -1 with err:
 * the engine is gone, rebuild. */
int planner_step(struct planner *planner, int64_t now, struct error *err);
void planner_new(struct planner *planner, int64_t lease);
void planner_gone(struct planner *planner, int64_t id);

/* Is the lease in the engine, even if only to be taken out with the next step? */
bool planner_knows(const struct planner *planner, int64_t lease);

/* What policy modules may ask; valid as long as the planner. */
void planner_world(struct planner *planner, struct policy_world *world);

/* Does the lease run on terms that let it go to better hosts, and are such looked for? */
bool planner_may_move(const struct planner *planner, const struct lease_record *lease);

/* When the engine wants to be stepped next; INSTANT_NEVER. */
int64_t planner_next_time(const struct planner *planner);
/* When a lease that is left out for the moment (starting it failed) should be planned again: build
 * anew then. INSTANT_NEVER. */
int64_t planner_retry_time(const struct planner *planner);

/* When the engine thinks the lease's VMs' time is over; INSTANT_NONE: it does not run there. */
int64_t planner_end(const struct planner *planner, int64_t id);

/* A member of this group, which is being started, has to go to another host than it was to: the
 * next planner_rebuild() finds it one, if there is one with room. */
bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now);

/* Of those that wait, the engine plans the start of a few. When the rest will probably start is
 * estimated in turns of a millisecond or two (one lease's work at least), whenever something that
 * matters has changed, and for no more than a 200th of a core. What is found is noted in the store
 * (`expected`, `is_far`) when the last turn is over: true when there is something new to tell.
 * Estimates that hardly differ from what was told before are not told again. */
bool planner_forecast(struct planner *planner, int64_t now);
/* When the next turn is due, monotonic milliseconds; INSTANT_NEVER. */
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

/* Would this lease fit, when, and who would make room? Asked of an engine made for it; afterwards
 * there is none, and the next step must be a planner_rebuild(). The text is for people, one line
 * per finding. */
struct planner_trial {
    bool accepted;
    int64_t start;              /* INSTANT_NONE */
    bool contract;              /* start is a promise */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word */
    char text[1024];
};

int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                struct planner_trial *trial, struct error *err);

/* What a host holds over time, for `host timeline`: visits the planned operations on it. */
void planner_each_operation(const struct planner *planner, int32_t host,
                            void (*visit)(void *context, const struct reservation *r),
                            void *context);

/* A time as people here write it: "2026-11-21 15:00:00". */
void lease_time_text(int64_t instant, char *text, size_t size);

#endif
