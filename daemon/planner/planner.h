/* planner.h: plans, made from the store and the world by a process of their own.
 *
 * The planner process (planner/) runs the same engine as replays: galernad gathers facts, sends
 * them, and continues until the outputs arrive, which it applies to the store as events of leases.
 * The engine is rebuilt whenever reality has deviated from its assumptions: running leases are
 * adopted first, then promised ones, then waiting ones. Between rebuilds it is stepped. Changes
 * made while a plan is in progress (a user cancels) take precedence: outputs that no longer fit are
 * dropped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/eligibility.h"
#include "core/engine.h"
#include "daemon/live/drains.h"
#include "daemon/live/learned.h"
#include "daemon/live/quarantine.h"
#include "daemon/live/rebalancing.h"
#include "daemon/live/world.h"
#include "daemon/planner/modules.h"
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
    const struct drains *drains;         /* the same; NULL: none */
    int64_t moves_per_host;              /* migrations at once; 0: 1 */
    int64_t forecast;                    /* queued leases whose start is estimated; 0: none */
    bool resumes_anywhere;               /* preempted VMs are stopped, not suspended */
    int64_t rebalance_threshold;         /* millionths of a host's use: struct rebalance_problem */
    bool live_rescheds;                  /* VMs that must leave their hosts migrate live */
    bool moves_off;                      /* if not live, they are powered off, not saved */

    /* Called from planner_serve(), or within planner_plan() in tests; each may be NULL. */
    void *context;
    void (*planned)(void *context, bool made); /* the plan was applied to the store, or failed */
    void (*changed)(void *context);            /* a cycle should follow */
    void (*begins)(void *context);             /* modules without a past were loaded: tell them */
};

/* Store and world must outlive the planner. Starts the process and waits until its modules are
 * loaded, but not for one that hangs. NULL with err: a module is missing or invalid, or has wrong
 * options. */
struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world, struct error *err);
void planner_destroy(struct planner *planner); /* NULL is allowed */

/* Measured durations of suspensions, resumptions and first starts: engines built from now on use
 * them where the operator has not set a time (override-suspend-time, override-resume-time). NULL:
 * only the settings count. Must outlive the planner. */
void planner_set_estimates(struct planner *planner, const struct estimates *estimates);

/* --- planning --------------------------------------------------------------------------------- */

/* Begin a plan: a complete one, or a step with the changes since the last plan (planner_new(),
 * planner_gone()). `planned` is called when the plan is ready. Not while another plan is in
 * progress. -1 with err: planning is impossible at present (no hosts seen yet, no process). Costs
 * here: about 1 us per running VM, 1 us per host, and the evaluation of requirements. */
int planner_plan(struct planner *planner, bool rebuild, int64_t now, struct error *err);
bool planner_is_planning(const struct planner *planner);
/* Plans begun so far. */
uint64_t planner_plans(const struct planner *planner);
bool planner_is_ready(const struct planner *planner); /* has an engine */
/* No process is ready: nothing is planned. */
bool planner_is_starting(const struct planner *planner);
/* The store deviates from the engine's decisions: a complete plan is needed. */
bool planner_is_outdated(const struct planner *planner);
/* A question (a dry run, a drain, a timeline) has no answer yet. */
bool planner_is_asked(const struct planner *planner);

/* The next step asks for a place for the lease. */
void planner_new(struct planner *planner, int64_t lease);
/* The lease needs no place any more: the next step removes it, and what the engine says of it until
 * then is ignored. Nothing happens if the lease is not in the engine. */
void planner_gone(struct planner *planner, int64_t lease);

/* --- the process ------------------------------------------------------------------------------ */

/* At most PLANNER_FDS entries. */
unsigned planner_waitfds(const struct planner *planner, struct pollfd *fds);
/* When to call planner_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_due(const struct planner *planner);
/* Receive outputs, check deadlines, restart a process that has ended. */
void planner_serve(struct planner *planner);

/* Reload the policy modules (modules_reload()). Of those out of service only the one to be enabled
 * is loaded, and back in service then. Plans use the old modules until the new ones are ready.
 * `loaded` is called from planner_serve() or planner_stop(). -1 with err, and `loaded` is not
 * called: EAGAIN (modules are already being loaded), ENOENT (the one to enable is not out of
 * service), or a module is missing. */
int planner_reload(struct planner *planner, const struct modules_wanted *wanted,
                   modules_loaded *loaded, void *context, struct error *err);
/* galernad stops: answers pending reloads and questions. */
void planner_stop(struct planner *planner);

/* Tell policy modules about an event of a lease, with the next plan. */
void planner_tell(struct planner *planner, const struct policy_event *event);
bool planner_wants_events(const struct planner *planner);

struct planner_module {
    const char *name, *kind, *file;
    const char *offence; /* why it is out of service; NULL: it is in service */
    int64_t since;       /* when it was taken out of service, seconds since 1970 */
    uint64_t calls;      /* into the module, since its process was started */
    uint64_t spent;      /* nanoseconds in these calls */
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

/* When the VM must be on another host at the latest; INSTANT_NONE: it may stay, or is on its way.
 */
int64_t planner_leaves_by(const struct planner *planner, const struct vm_record *vm, int64_t now);

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
/* The same of VM groups: plans go on with new ones that only have other members. */
bool planner_sees_same_vmgroups(struct planner *planner);
/* Adopted leases that currently have no place in the plan. */
size_t planner_unplaced(const struct planner *planner);
/* When the engine was built, monotonic milliseconds. */
int64_t planner_built(const struct planner *planner);

/* Has the host, as last observed, the PCI devices, CPUs and memory of NUMA nodes free that the VM
 * demands? And does the device that OpenNebula would give the VM leave leases that are promised the
 * host with theirs? True for a VM that demands none; else O(VMs and leases). */
bool planner_host_has_units(const struct planner *planner, int32_t vm, int32_t host);
/* A system datastore for a VM on a host (OpenNebula's ids) and networks for its automatic NICs
 * (world_nics()); -1 with the reason, whose text is `text`: none has room, or its requirement no
 * longer holds with the VMs that are on their way there. */
int32_t planner_prepare(struct planner *planner, int32_t id, int32_t host, struct reason *reason,
                        char *text, size_t size);

/* --- queries ---------------------------------------------------------------------------------- */

/* Would this lease fit, when, and which leases would make room? The planner uses a temporary
 * engine; the store does not change. The text is for people, one line per finding.
 */
struct planner_trial {
    bool accepted;
    int64_t start;              /* INSTANT_NONE: never */
    bool contract;              /* start is a promise, not an estimate */
    size_t n_victims;           /* leases that would make room */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word; "" */
    char text[1024];            /* for people: one line per finding */
};

/* trial is NULL on failure; err says why. */
typedef void planner_tried(void *context, const struct planner_trial *trial,
                           const struct error *err);
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err);

/* Fate of a VM on a drained host. */
struct drained_vm {
    enum drained_how {
        DRAINED_ENDS,      /* its lease ends before, at `at` */
        DRAINED_MOVES,     /* to host `to` at `at`; why it does not move live, or "" */
        DRAINED_SUSPENDED, /* by its terms, from `at` until there is room elsewhere */
        DRAINED_STAYS,     /* why */
    } how;
    int32_t vm, host, to; /* to: -1: it does not move */
    int64_t lease, at;    /* INSTANT_NONE: unspecified */
    char why[STORE_TEXT_MAX];
};

struct planner_drains {
    const struct drained_vm *vms;
    size_t n_vms;
    const int64_t *unplaced; /* leases that are promised a start or an end and lose their place */
    size_t n_unplaced;
};

/* drains is NULL on failure; err says why. */
typedef void planner_drained(void *context, const struct planner_drains *drains,
                             const struct error *err);
/* With these drains instead of the settings', for the VMs now on their hosts. Changes nothing. */
int planner_try_drains(struct planner *planner, const struct drains *drains, int64_t now,
                       planner_drained *drained, void *context, struct error *err);

/* Which running VMs of the cluster should change hosts now, by its settings. Changes nothing;
 * result is the caller's, to be finished. VMs with devices, NUMA nodes or a VM group stay, and
 * those whose lease ends soon. -1 with err: the settings are malformed, or no hosts were seen yet.
 * O(VMs + cost of rebalance()), and the evaluation of the VMs' requirements. */
int planner_rebalance(const struct planner *planner, const struct cluster *cluster, int64_t now,
                      struct rebalance_plan *result, struct error *err);

/* Would the change of a lease hold, if it were made now? */
struct changed_place {
    int32_t vm, host; /* vm: -1: unknown */
};

struct planner_change {
    bool accepted;
    int64_t start;              /* of a lease that has not begun; INSTANT_NONE: not planned */
    int64_t in_the_way;         /* the lease whose promise would be unplaced; -1 */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word */
    char text[STORE_TEXT_MAX];  /* the reason; "" */
    char victims[1024];         /* for people: a line for each lease that makes room; "" */
    const struct changed_place *places; /* where it is planned, if it has not begun */
    size_t n_places;
    const struct plan_trace *trace; /* of planner_trace(); its hosts are places in `hosts` */
    const struct host_pool *hosts;
};

/* "lease 77, which is promised to start at ..., would not". */
void planner_unplaced_text(const struct lease_record *lease, char *text, size_t size);

/* change is NULL on failure; err says why. */
typedef void planner_judged(void *context, const struct planner_change *change,
                            const struct error *err);
/* A lease as it would be. */
struct changed_lease {
    const struct lease_record *lease; /* replaces the store's record */
    int64_t cpu, memory;              /* of each of its VMs, 1/100 and MB; 0: as it is */
};

/* A lease that has not begun is tried like a new request, without its old place; a running one
 * keeps its hosts. No lease that is promised a start or a deadline may lose its place. Changes
 * nothing. */
int planner_try_change(struct planner *planner, const struct changed_lease *asked, int64_t now,
                       planner_judged *changed, void *context, struct error *err);

/* Trace of the decision about a lease that has not started, if it is made now: the same, with a
 * trace. A lease that waits is planned as in the next plan, one that is reserved like a new
 * request. EALREADY: the lease has begun. */
int planner_trace(struct planner *planner, const struct lease_record *lease, int64_t now,
                  planner_judged *traced, void *context, struct error *err);

/* The operations planned on a host; NULL on failure. */
typedef void planner_told(void *context, const struct planned_operation *operations, size_t n,
                          const struct error *err);
int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err);
