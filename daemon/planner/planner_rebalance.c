/* Plans which running VMs of a cluster should change hosts. A move is made only if the plan of
 * leases has room for it, so only present and promised room count here. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

enum { STAYS_LONG_ENOUGH = 600 /* seconds: a lease that ends sooner does not move */ };

/* A VM that may move. */
struct candidate {
    const struct vm_record *vm;
    const struct host_filter *filter;
};

struct cluster_plan {
    const struct planner *planner;
    struct snapshot snapshot;
    int64_t now;
    struct rebalance_problem problem;
    double predictive;            /* struct rebalance_settings */
    int64_t *measured;            /* by host of the problem: CPU usage of its VMs */
    int64_t net, disk;            /* of all hosts: bytes per second */
    uint32_t *places;             /* by host of the problem: its place in the snapshot */
    uint32_t *numbers;            /* by place: the host of the problem, or HOST_NONE */
    struct candidate *candidates; /* by VM of the problem */
    size_t vms_allocated, candidates_allocated;
    size_t n_unread;
};

/* --- hosts ------------------------------------------------------------------------------------ */

/* -1: not reported. */
static int64_t reported(const struct host *host, const char *name)
{
    const char *text = host_attribute(host, name);
    double used = text ? strtod(text, NULL) : -1;

    return used >= 0 && used < (double)INT32_MAX ? llround(used) : -1;
}

/* A figure between the present one (-1: not reported) and the forecast. As in OneDRS, a forecast of
 * 0 counts as none. */
static int64_t expected(const struct cluster_plan *plan, int64_t present, int64_t forecast)
{
    present = present > 0 ? present : 0;
    return forecast > 0 ? llround((double)present * (1 - plan->predictive) +
                                  (double)forecast * plan->predictive)
                        : present;
}

static void add_host(struct cluster_plan *plan, const struct host *host, uint32_t place)
{
    const struct drains *drains = plan->planner->settings.drains;
    bool drained = drains && drains_at(drains, host->id, plan->now);
    uint32_t number = plan->problem.n_hosts++;

    plan->places[number] = place;
    plan->numbers[place] = number;
    plan->problem.hosts[number] = (struct rebalance_host){
        .capacity = {[MEASURE_CPU_USAGE] = host->cpu,
                     [MEASURE_CPU] = host->cpu,
                     [MEASURE_MEMORY] = host->memory},
        .amount = {[MEASURE_CPU_USAGE] = expected(plan, reported(host, "USED_CPU"),
                                                  reported(host, "USED_CPU_FORECAST")),
                   [MEASURE_CPU] = host->cpu_usage,
                   [MEASURE_MEMORY] = host->memory_usage},
        .cpu = host->cpu - host->cpu_usage,
        .memory = host->memory - host->memory_usage,
        .takes = !plan->snapshot.closed[place] && !drained,
        .is_fixed = drained,
    };
}

static void add_hosts(struct cluster_plan *plan, int32_t cluster)
{
    const struct host_pool *pool = &plan->snapshot.hosts->pool;

    plan->problem.hosts = memory_new(pool->n, sizeof *plan->problem.hosts);
    plan->places = memory_new(pool->n, sizeof *plan->places);
    plan->numbers = memory_new(pool->n, sizeof *plan->numbers);
    plan->measured = memory_new(pool->n, sizeof *plan->measured);
    for (uint32_t i = 0; i < pool->n; i++) {
        plan->numbers[i] = HOST_NONE;
        if (pool->items[i].cluster == cluster && pool->items[i].cpu > 0 &&
            pool->items[i].memory > 0)
            add_host(plan, &pool->items[i], i);
    }
}

/* The host in the problem by OpenNebula's id; NULL: the host is in another cluster. */
static struct rebalance_host *host_of(const struct cluster_plan *plan, int32_t id, uint32_t *number)
{
    uint32_t place = snapshot_place(&plan->snapshot, id);

    *number = place == HOST_NONE ? HOST_NONE : plan->numbers[place];
    return *number == HOST_NONE ? NULL : &plan->problem.hosts[*number];
}

/* --- VMs -------------------------------------------------------------------------------------- */

/* The VM's usage on that host where measured; else the share of its allocated CPU in the host's. */
static void measure(const struct cluster_plan *plan, const struct vm_observation *observed,
                    uint32_t number, int64_t *amount)
{
    const struct rebalance_host *host = &plan->problem.hosts[number];
    const struct vm_use *use = world_use(plan->planner->world, observed->id);
    int64_t used = host->amount[MEASURE_CPU_USAGE], allocated = host->amount[MEASURE_CPU];

    amount[MEASURE_CPU] = observed->cpu;
    amount[MEASURE_MEMORY] = observed->memory;
    amount[MEASURE_CPU_USAGE] = use && use->cpu >= 0 ? expected(plan, use->cpu, use->cpu_forecast)
                                : allocated > 0      ? used * observed->cpu / allocated
                                                     : 0;
    amount[MEASURE_NET] = use ? expected(plan, use->net, use->net_forecast) : 0;
    amount[MEASURE_DISK] = use ? expected(plan, use->disk, use->disk_forecast) : 0;
}

/* A host's usage is at least that of its VMs: the two are measured at different times. */
static void count_measured(struct cluster_plan *plan)
{
    for (uint32_t i = 0; i < plan->problem.n_hosts; i++) {
        struct rebalance_host *host = &plan->problem.hosts[i];

        if (host->amount[MEASURE_CPU_USAGE] < plan->measured[i])
            host->amount[MEASURE_CPU_USAGE] = plan->measured[i];
        host->capacity[MEASURE_NET] = plan->net;
        host->capacity[MEASURE_DISK] = plan->disk;
    }
}

/* Does the lease keep running where it is? False also for VMs that are locked or hold devices or
 * CPUs. */
static bool may_move(const struct cluster_plan *plan, const struct vm_record *vm,
                     const struct vm_observation *observed)
{
    const struct planner *planner = plan->planner;
    const struct lease_record *lease = vm ? store_lease(planner->store, vm->lease) : NULL;

    return lease && lease->phase == PHASE_RUNNING && vm->goal == GOAL_RUN &&
           observed->state == VM_RUNNING && observed->history.host == vm->host && !vm_moves(vm) &&
           vm->command == COMMAND_NONE && !observed->resched && !observed->locked &&
           !observed->hardware && !store_is_preempted(lease) && !store_moves_away(lease) &&
           planner_stays_long_enough(planner, planner_leaves_by(planner, vm, plan->now),
                                     plan->now) &&
           lease_end_from(lease, plan->now) > plan->now + STAYS_LONG_ENOUGH;
}

static bool is_blocked(const struct vm *vm)
{
    const char *blocked = attributes_find(&vm->user_template, "ONEDRS_BLOCKED");

    return blocked && strcasecmp(blocked, "YES") == 0;
}

/* NULL: the VM's template has not been read, or the VM is in a VM group or blocked, or may use no
 * host. */
static const struct host_filter *filter_of(struct cluster_plan *plan,
                                           const struct vm_observation *observed)
{
    struct eligible eligible = {.filter = NULL};

    plan->n_unread += !observed->full;
    if (!observed->full || observed->full->in_vmgroup || is_blocked(observed->full))
        return NULL;
    eligibility_of(plan->snapshot.eligibility, observed->full, &eligible);
    return eligible.n_hosts ? eligible.filter : NULL;
}

static void add_candidate(struct cluster_plan *plan, const struct vm_record *vm,
                          const struct host_filter *filter, const struct rebalance_vm *candidate)
{
    struct rebalance_problem *problem = &plan->problem;

    MEMORY_GROW(problem->vms, plan->vms_allocated, problem->n_vms + 1u);
    MEMORY_GROW(plan->candidates, plan->candidates_allocated, problem->n_vms + 1u);
    plan->candidates[problem->n_vms] = (struct candidate){vm, filter};
    problem->vms[problem->n_vms++] = *candidate;
}

/* Adds a VM's measured use to that of its host; the host's CPU usage is measured itself. */
static void count_use(struct cluster_plan *plan, struct rebalance_host *host,
                      const struct rebalance_vm *vm)
{
    plan->measured[vm->home] += vm->amount[MEASURE_CPU_USAGE];
    host->amount[MEASURE_NET] += vm->amount[MEASURE_NET];
    host->amount[MEASURE_DISK] += vm->amount[MEASURE_DISK];
    plan->net += vm->amount[MEASURE_NET];
    plan->disk += vm->amount[MEASURE_DISK];
}

static void add_vms(struct cluster_plan *plan)
{
    const struct planner *planner = plan->planner;
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(planner->world, &cursor))) {
        const struct vm_record *vm = store_vm(planner->store, observed->id);
        const struct host_filter *filter = NULL;
        struct rebalance_vm about = {.cpu = observed->cpu, .memory = observed->memory};
        struct rebalance_host *host;

        if (!observed_holds_host(observed))
            continue;
        host = host_of(plan, observed->history.host, &about.home);
        if (!host)
            continue;
        about.host = about.home;
        measure(plan, observed, about.home, about.amount);
        count_use(plan, host, &about);
        if (may_move(plan, vm, observed))
            filter = filter_of(plan, observed);
        if (filter)
            add_candidate(plan, vm, filter, &about);
        else
            host->is_fixed = true;
    }
}

/* Reserves the room that accepted leases will take on hosts where OpenNebula does not count it
 * yet. */
static void keep_promises(struct cluster_plan *plan)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(plan->planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = store_lease(plan->planner->store, vms[i]->lease);
        const struct vm_observation *observed = world_vm(plan->planner->world, vms[i]->id);
        int32_t id = vm_planned_host(vms[i]);
        struct rebalance_host *host;
        uint32_t number;

        if (vms[i]->gone || !lease || !observed ||
            (lease->phase != PHASE_RESERVED && lease->phase != PHASE_STARTING &&
             lease->phase != PHASE_RUNNING) ||
            (observed_holds_host(observed) && observed->history.host == id))
            continue;
        host = host_of(plan, id, &number);
        if (!host)
            continue;
        host->cpu -= vms[i]->cpu;
        host->memory -= vms[i]->memory;
        host->is_fixed = true;
    }
}

/* Does the VM end before the host is drained, or stay long enough if it has no end? */
static bool goes_in_time(const struct cluster_plan *plan, const struct vm_record *vm, int32_t host)
{
    const struct drains *drains = plan->planner->settings.drains;
    const struct lease_record *lease = store_lease(plan->planner->store, vm->lease);
    int64_t end = lease_end_from(lease, plan->now);
    struct drain ahead;

    return !drains || !drains_ahead(drains, lease, host, plan->now, &ahead) || end <= ahead.from ||
           (end == INSTANT_NEVER &&
            planner_stays_long_enough(plan->planner, ahead.from, plan->now));
}

static bool may_use(void *context, uint32_t number, uint32_t host)
{
    const struct cluster_plan *plan = context;
    const struct candidate *candidate = &plan->candidates[number];
    uint32_t place = plan->places[host];
    int32_t id = plan->snapshot.hosts->pool.items[place].id;

    return host_filter_allows(candidate->filter, place) &&
           !vm_avoids(candidate->vm, id, plan->now) && goes_in_time(plan, candidate->vm, id) &&
           planner_move_way(plan->planner, candidate->vm, id, true).kind != MOVE_OFF;
}

/* --- the plan --------------------------------------------------------------------------------- */

static int32_t id_of(const struct cluster_plan *plan, uint32_t number)
{
    return plan->snapshot.hosts->pool.items[plan->places[number]].id;
}

static void take_moves(const struct cluster_plan *plan, struct rebalance_plan *result)
{
    const struct rebalance_problem *problem = &plan->problem;

    result->moves = memory_new(result->n_moves, sizeof *result->moves);
    result->n_moves = 0;
    for (uint32_t i = 0; i < problem->n_vms; i++)
        if (problem->vms[i].host != problem->vms[i].home)
            result->moves[result->n_moves++] =
                (struct rebalance_move){.vm = plan->candidates[i].vm->id,
                                        .from = id_of(plan, problem->vms[i].home),
                                        .to = id_of(plan, problem->vms[i].host),
                                        .lease = plan->candidates[i].vm->lease};
}

static void solve(struct cluster_plan *plan, struct rebalance_plan *result)
{
    result->n_hosts = plan->problem.n_hosts;
    result->hosts = memory_new(result->n_hosts, sizeof *result->hosts);
    for (uint32_t i = 0; i < plan->problem.n_hosts; i++)
        result->hosts[i] = (struct rebalanced_host){.host = id_of(plan, i),
                                                    .before = rebalance_use(&plan->problem, i)};
    result->n_moves = rebalance(&plan->problem);
    for (uint32_t i = 0; i < plan->problem.n_hosts; i++)
        result->hosts[i].after = rebalance_use(&plan->problem, i);
    result->n_unread = plan->n_unread;
    take_moves(plan, result);
}

int planner_rebalance(const struct planner *planner, const struct cluster *cluster, int64_t now,
                      struct rebalance_plan *result, struct error *err)
{
    struct cluster_plan plan = {.planner = planner, .now = now};

    *result = (struct rebalance_plan){.cluster = cluster->id, .made = now, .applied = INSTANT_NONE};
    if (rebalance_settings_read(cluster, &result->settings, err) < 0 ||
        snapshot_take(&plan.snapshot, planner, NULL, err) < 0)
        return -1;
    plan.problem = (struct rebalance_problem){.policy = result->settings.policy,
                                              .threshold = planner->settings.rebalance_threshold,
                                              .most_moves = result->settings.most_moves,
                                              .may_use = may_use,
                                              .context = &plan};
    plan.predictive = result->settings.predictive;
    for (int i = 0; i < REBALANCE_MEASURES; i++)
        plan.problem.weights[i] = result->settings.weights[i];
    add_hosts(&plan, cluster->id);
    add_vms(&plan);
    count_measured(&plan);
    keep_promises(&plan);
    solve(&plan, result);
    free(plan.problem.hosts);
    free(plan.problem.vms);
    free(plan.places);
    free(plan.measured);
    free(plan.numbers);
    free(plan.candidates);
    snapshot_drop(&plan.snapshot);
    return 0;
}
