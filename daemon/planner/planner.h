/* planner.h: plans, made from the store and the world by a separate process.
 *
 * The planner process (planner/) runs the same engine as replays. galernad gathers facts, sends
 * them and continues its other work; when the outputs arrive, galernad applies them to the store as
 * events of leases. Whenever reality has deviated from the engine's assumptions, the engine is
 * rebuilt: running leases are adopted first, then promised ones, then waiting ones. Between
 * rebuilds the engine is stepped. Changes made while a plan is in progress (a user cancels) take
 * precedence: outputs that no longer fit are dropped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/eligibility.h"
#include "core/engine.h"
#include "daemon/planner/modules.h"
#include "daemon/state/drains.h"
#include "daemon/state/learned.h"
#include "daemon/state/quarantine.h"
#include "daemon/state/rebalance_plan.h"
#include "daemon/state/world.h"
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
    const struct configuration *configuration; /* names the policies; must outlive the planner */
    struct eligibility_settings eligibility;
    int64_t boot_time; /* seconds by which reservations are commanded early, until boot times are
                          learned; 0: never */
    const struct quarantine *quarantine; /* quarantined hosts; must outlive the planner */
    const struct drains *drains;         /* must outlive the planner; NULL: none */
    int64_t moves_per_host;              /* simultaneous migrations; 0: 1 */
    int64_t forecast;                    /* queued leases whose start is estimated; 0: none */
    bool resumes_anywhere;               /* preempted VMs are stopped, not suspended */
    int64_t rebalance_threshold;         /* millionths of a host's use: struct rebalance_problem */
    bool live_rescheds;                  /* VMs that must leave their hosts migrate live */
    bool moves_off;                      /* VMs that do not move live are powered off, not saved */

    /* Called from planner_serve(); each may be NULL. */
    void *context;
    void (*planned)(void *context, bool made); /* the plan was applied to the store, or failed */
    void (*changed)(void *context);            /* a cycle should follow */
    void (*begins)(void *context);             /* modules were loaded and need the past events */
};

/* Start the process and wait until its modules are loaded, except modules that hang. Store and
 * world must outlive the planner. NULL with err: a module is missing or invalid, or has wrong
 * options. */
struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world, struct error *err);
void planner_destroy(struct planner *planner); /* NULL is allowed */

/* Measured durations of suspensions, resumptions and first starts, for engines built from now on,
 * unless the operator has set a time (override-suspend-time, override-resume-time). NULL: only the
 * settings count. Must outlive the planner. */
void planner_set_learned(struct planner *planner, const struct learned *learned);

/* --- planning --------------------------------------------------------------------------------- */

/* Begin a plan: a complete one, or a step with the changes since the last plan (planner_new(),
 * planner_gone()). `planned` is called when the plan is ready. Not allowed while another plan is in
 * progress. -1 with err: planning is impossible at present (no hosts seen yet, no process). Costs
 * in galernad: about 1 us per running VM, 1 us per host, and the evaluation of requirements. */
int planner_plan(struct planner *planner, bool rebuild, int64_t now, struct error *err);
bool planner_is_planning(const struct planner *planner);
/* Number of plans begun. */
uint64_t planner_plans(const struct planner *planner);
bool planner_is_ready(const struct planner *planner); /* has an engine */
/* Is there no process that is ready? Then nothing is planned. */
bool planner_is_starting(const struct planner *planner);
const char *planner_delay(const struct planner *planner); /* why, if it is starting */
/* Does the store deviate from the engine's decisions? Then a complete plan is needed. */
bool planner_is_outdated(const struct planner *planner);
/* Is a question (a dry run, a drain, a timeline) unanswered? */
bool planner_is_asked(const struct planner *planner);

/* The next step requests a place for the lease. Between complete plans, leases in the queue keep
 * their planned starts, although these are not promised: a request other than a best-effort lease
 * then needs a complete plan, which places requests first. */
void planner_new(struct planner *planner, int64_t lease);
/* The lease no longer needs a place: the next step removes it from the engine, and outputs about it
 * are ignored until then. Does nothing if the lease is not in the engine. */
void planner_gone(struct planner *planner, int64_t lease);

/* --- the process ------------------------------------------------------------------------------ */

/* At most PLANNER_FDS entries. */
unsigned planner_waitfds(const struct planner *planner, struct pollfd *fds);
/* When to call planner_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_due(const struct planner *planner);
/* Receive outputs, check deadlines, restart a process that has ended. */
void planner_serve(struct planner *planner);

/* Reload the policy modules (modules_reload()). Modules out of service are not loaded, except the
 * one to be enabled, which returns to service. Plans use the old modules until the new ones are
 * ready. `loaded` is called from planner_serve() or planner_stop(). -1 with err, and `loaded` is
 * not called: EAGAIN (modules are already being loaded), ENOENT (the module to enable is not out of
 * service), or a module is missing. */
int planner_reload(struct planner *planner, const struct modules_wanted *wanted,
                   modules_loaded *loaded, void *context, struct error *err);
/* Answer pending reloads and questions, because galernad stops. */
void planner_stop(struct planner *planner);

/* Report an event of a lease to policy modules, with the next plan. */
void planner_tell(struct planner *planner, const struct policy_event *event);
bool planner_wants_events(const struct planner *planner);

struct planner_module {
    const char *name, *kind, *file;
    const struct planner_offence *offence; /* why it is out of service; NULL: it is in service */
    int64_t since;                         /* since when, seconds since 1970 */
    uint64_t calls;                        /* calls of the module since its process started */
    uint64_t spent;                        /* nanoseconds in these calls */
};

void planner_each_module(const struct planner *planner,
                         void (*visit)(void *context, const struct planner_module *module),
                         void *context);
/* Number of processes that ended unrequested. */
uint64_t planner_ended(const struct planner *planner);

/* --- the state of the plan -------------------------------------------------------------------- */

/* Is the lease in the engine, even if the next step removes it? */
bool planner_knows(const struct planner *planner, int64_t lease);

/* Do the lease's terms allow moving its running VMs to better hosts, and does the site want it? */
bool planner_may_move(const struct planner *planner, const struct lease_record *lease);

/* The latest time at which the VM must be on another host; INSTANT_NONE: it may stay, or is on its
 * way. */
int64_t planner_leaves_by(const struct planner *planner, const struct vm_record *vm, int64_t now);

/* When the engine must be stepped next; INSTANT_NEVER: no step is needed. */
int64_t planner_next_time(const struct planner *planner);
/* When a complete plan is needed for a lease that is left out at present because a start failed;
 * INSTANT_NEVER: none is left out. */
int64_t planner_retry_time(const struct planner *planner);

/* When the lease ends in the engine's plan; INSTANT_NONE: the lease is not running there. */
int64_t planner_end(const struct planner *planner, int64_t id);

/* Is a member of the group unable to start on its planned host? The next plan then moves that
 * member to another host if one has room. */
bool planner_must_relocate(const struct planner *planner, const struct lease_record *lease,
                           int64_t now);

/* The engine plans the start of only a few waiting leases. When idle, the planner estimates the
 * start of the others after relevant changes, using at most a 200th of a core. Estimates are noted
 * in the store (`expected`, `is_far`); minor changes are ignored. */
void planner_forecast(struct planner *planner);
/* When the next forecast is due, monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_forecast_due(const struct planner *planner);

/* Are the engine's hosts the same as in the last poll (set, capacity, state, attributes used by
 * requirements)? Costs O(hosts) once per poll. */
bool planner_sees_same_hosts(struct planner *planner);
/* Are the VM groups those of the engine, except for members? Plans continue with changed
 * members. */
bool planner_sees_same_vmgroups(struct planner *planner);
/* Adopted leases that currently have no place in the plan. */
size_t planner_unplaced(const struct planner *planner);
/* Does a request wait because the access rules that would refuse it may be older than it is? Not
 * any more when they have been read again; the next plan then decides. */
bool planner_doubts_rules(const struct planner *planner);
/* When the engine was built, monotonic milliseconds. */
int64_t planner_built(const struct planner *planner);

/* Has the host, as last observed, enough free PCI devices, and CPUs and memory of NUMA nodes, for
 * the VM's demand? And does the device that OpenNebula would assign to the VM leave enough for
 * leases that are promised the host? True for a VM without such a demand; else O(VMs and
 * leases). */
bool planner_host_has_units(const struct planner *planner, int32_t vm, int32_t host);
/* A system datastore for a VM on a host (OpenNebula's ids), and networks for its automatic NICs
 * (world_nics()). -1 with the reason, whose text is `text`: no datastore has room, or the VM's
 * requirement no longer holds with the VMs that are on their way to the host. */
int32_t planner_prepare(struct planner *planner, int32_t id, int32_t host, struct reason *reason,
                        char *text, size_t size);

/* --- queries ---------------------------------------------------------------------------------- */

enum { VICTIMS_SHOWN = 16 };

/* The leases that would make room for another one. */
struct victims {
    size_t n; /* all of them */
    struct victim_view {
        int64_t lease;
        enum victim_fate {
            VICTIM_SUSPENDED,
            VICTIM_RESTARTED,
            VICTIM_ENDED,
            VICTIM_LATER /* it starts later */
        } fate;
        int64_t at; /* when, or when the other lease gets its hosts */
    } shown[VICTIMS_SHOWN];
};

enum { TRIAL_HOSTS = 6 };

/* Dry run: would a lease fit, when, and which leases would make room? The planner uses a temporary
 * engine; the store does not change. */
struct planner_trial {
    bool accepted;
    bool waits;    /* in the queue */
    int64_t start; /* INSTANT_NONE: unknown, or not accepted */
    bool contract; /* start is a promise, not an estimate */
    struct trial_host {
        int32_t id;
        char name[41];
    } hosts[TRIAL_HOSTS]; /* on which it would run, the first ones */
    size_t n_hosts;       /* all of them, if it does not wait */
    struct victims victims;
    struct told_reason reason; /* not accepted: why */
};

/* trial is NULL on failure; err says why. */
typedef void planner_tried(void *context, const struct planner_trial *trial,
                           const struct error *err);
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err);

/* A cause with a stable word and a sentence; NULL: none. */
struct known_cause {
    const char *word, *sentence;
};

/* Fate of a VM on a drained host. */
struct drained_vm {
    enum drained_how {
        DRAINED_ENDS,      /* its lease ends before, at `at` */
        DRAINED_MOVES,     /* to host `to` at `at`; `cause`: the obstacle to a live migration */
        DRAINED_SUSPENDED, /* by its terms, from `at` until another host has room */
        DRAINED_STAYS,     /* by `cause` or `reason` */
    } how;
    int32_t vm, host, to; /* to: -1: it does not move */
    int64_t lease, at;    /* INSTANT_NONE: unspecified */
    bool starts;          /* it moves when it runs, not before */
    struct known_cause cause;
    struct told_reason reason; /* REASON_NONE: none */
    int64_t for_lease;         /* for which it is suspended, or makes room at `leaves`; -1: none */
    int64_t leaves;
};

struct planner_drains {
    const struct drained_vm *vms;
    size_t n_vms;
    const int64_t *unplaced; /* leases with a promised start or end that lose their place */
    size_t n_unplaced;
};

/* drains is NULL on failure; err says why. */
typedef void planner_drained(void *context, const struct planner_drains *drains,
                             const struct error *err);
/* Try these drains instead of the settings' drains, for the VMs now on their hosts. Changes
 * nothing. */
int planner_try_drains(struct planner *planner, const struct drains *drains, int64_t now,
                       planner_drained *drained, void *context, struct error *err);

/* Which running VMs of the cluster should change hosts now, by the cluster's settings? Changes
 * nothing; the caller must finish `result`. VMs with devices, NUMA nodes or a VM group stay, and
 * VMs whose lease ends soon. -1 with err: the settings are malformed, or no hosts were seen yet.
 * O(VMs + cost of rebalance()), and the evaluation of the VMs' requirements. */
int planner_rebalance(const struct planner *planner, const struct cluster *cluster, int64_t now,
                      struct rebalance_plan *result, struct error *err);

/* A VM's host in the answer to a tried change. */
struct changed_place {
    int32_t vm, host; /* vm: -1: unknown */
};

struct planner_change {
    bool accepted;
    int64_t start;             /* of a lease that has not begun; INSTANT_NONE: not planned */
    int64_t in_the_way;        /* the lease with a promise that would lose its place; -1: none */
    struct told_reason reason; /* REASON_NONE: none, or `in_the_way` */
    struct victims victims;
    const struct changed_place *places; /* of a lease that has not begun: its planned hosts */
    size_t n_places;
    const struct plan_trace *trace; /* of planner_trace(); its hosts are places in `hosts` */
    const struct host_pool *hosts;
};

/* "lease 77, which is promised to start at ..., would not". */
struct reason planner_unplaced_reason(const struct lease_record *lease);
void planner_unplaced_text(const struct lease_record *lease, char *text, size_t size);

/* change is NULL on failure; err says why. */
typedef void planner_judged(void *context, const struct planner_change *change,
                            const struct error *err);
/* A changed lease, for a trial. */
struct changed_lease {
    const struct lease_record *lease; /* replaces the store's record */
    int64_t cpu, memory;              /* of each VM, 1/100 CPU and MB; 0: unchanged */
};

/* Would the changed lease hold if the change were made now? A lease that has not begun is tried
 * like a new request, without its old place; a running one keeps its hosts. The change is refused
 * if a lease with a promised start or deadline loses its place. Changes nothing. */
int planner_try_change(struct planner *planner, const struct changed_lease *asked, int64_t now,
                       planner_judged *changed, void *context, struct error *err);

/* Trace the decision about a lease that has not started, as if it were made now: like
 * planner_try_change(), with a trace. A waiting lease is planned as in the next plan, a reserved
 * one like a new request. EALREADY: the lease has begun. */
int planner_trace(struct planner *planner, const struct lease_record *lease, int64_t now,
                  planner_judged *traced, void *context, struct error *err);

/* The operations planned on a host; NULL on failure. */
typedef void planner_told(void *context, const struct planned_operation *operations, size_t n,
                          const struct error *err);
int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err);
