/* Plans which running VMs of a cluster should change hosts. Moves that the plan of leases finds no
 * room for later are not made, so only room now and promised room count here. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "daemon/live/lease_state.h"
#include "daemon/live/moves.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum { STAYS_LONG_ENOUGH = 600 /* seconds: a lease that ends sooner is not moved */ };

/* A VM that may move. */
struct candidate {
    const struct vm_record *vm;
    const struct host_filter *filter;
};

struct cluster_plan {
    const struct planner *planner;
    struct picture picture;
    int64_t now;
    struct rebalance_problem problem;
    uint32_t *places;             /* by host of the problem: its place in the picture */
    uint32_t *numbers;            /* by place: the host of the problem, or HOST_NONE */
    struct candidate *candidates; /* by VM of the problem */
    size_t vms_allocated, candidates_allocated;
    size_t n_unread;
};

/* --- hosts ------------------------------------------------------------------------------------ */

static int64_t measured_cpu(const struct host *host)
{
    const char *text = attributes_find(&host->attributes, "USED_CPU");
    double used = text ? strtod(text, NULL) : 0;

    return used > 0 && used < (double)INT32_MAX ? llround(used) : 0;
}

static void add_host(struct cluster_plan *plan, const struct host *host, uint32_t place)
{
    const struct drains *drains = plan->planner->settings.drains;
    bool drained = drains && drains_of(drains, host->id);
    uint32_t number = plan->problem.n_hosts++;

    plan->places[number] = place;
    plan->numbers[place] = number;
    plan->problem.hosts[number] = (struct rebalance_host){
        .capacity = {[MEASURE_CPU_USAGE] = host->cpu,
                     [MEASURE_CPU] = host->cpu,
                     [MEASURE_MEMORY] = host->memory},
        .amount = {[MEASURE_CPU_USAGE] = measured_cpu(host),
                   [MEASURE_CPU] = host->cpu_usage,
                   [MEASURE_MEMORY] = host->memory_usage},
        .cpu = host->cpu - host->cpu_usage,
        .memory = host->memory - host->memory_usage,
        .takes = !plan->picture.closed[place] && !drained,
        .is_fixed = drained,
    };
}

static void add_hosts(struct cluster_plan *plan, int32_t cluster)
{
    const struct host_pool *pool = &plan->picture.hosts->pool;

    plan->problem.hosts = memory_new(pool->n, sizeof *plan->problem.hosts);
    plan->places = memory_new(pool->n, sizeof *plan->places);
    plan->numbers = memory_new(pool->n, sizeof *plan->numbers);
    for (uint32_t i = 0; i < pool->n; i++) {
        plan->numbers[i] = HOST_NONE;
        if (pool->items[i].cluster == cluster && pool->items[i].cpu > 0 &&
            pool->items[i].memory > 0)
            add_host(plan, &pool->items[i], i);
    }
}

/* The host of the problem with OpenNebula's id; NULL: it is in another cluster. */
static struct rebalance_host *host_of(const struct cluster_plan *plan, int32_t id, uint32_t *number)
{
    uint32_t place = picture_place(&plan->picture, id);

    *number = place == HOST_NONE ? HOST_NONE : plan->numbers[place];
    return *number == HOST_NONE ? NULL : &plan->problem.hosts[*number];
}

/* --- VMs -------------------------------------------------------------------------------------- */

/* It runs on, undisturbed: nothing is planned for it, it keeps no device, CPUs or company, and
 * nobody has locked it. */
static bool may_move(const struct cluster_plan *plan, const struct vm_record *vm,
                     const struct vm_observation *observed)
{
    const struct planner *planner = plan->planner;
    const struct lease_record *lease = vm ? store_lease(planner->store, vm->lease) : NULL;

    return lease && lease->phase == PHASE_RUNNING && vm->goal == GOAL_RUN &&
           observed->state == VM_RUNNING && observed->history.host == vm->host && !vm_moves(vm) &&
           vm->command == COMMAND_NONE && !observed->resched && !observed->locked &&
           !observed->hardware && !store_is_preempted(lease) &&
           planner_leaves_by(planner, vm, plan->now) == INSTANT_NONE &&
           lease_end_from(lease, plan->now) > plan->now + STAYS_LONG_ENOUGH;
}

/* NULL: its template has not been read, or it is in a VM group, or may use no host. */
static const struct host_filter *filter_of(struct cluster_plan *plan,
                                           const struct vm_observation *observed)
{
    struct eligible eligible = {.filter = NULL};

    plan->n_unread += !observed->full;
    if (!observed->full || observed->full->in_vmgroup)
        return NULL;
    eligibility_of(plan->picture.eligibility, observed->full, &eligible);
    return eligible.n_hosts ? eligible.filter : NULL;
}

static void add_candidate(struct cluster_plan *plan, const struct vm_record *vm,
                          const struct vm_observation *observed, const struct host_filter *filter,
                          uint32_t number)
{
    struct rebalance_problem *problem = &plan->problem;
    const struct rebalance_host *host = &problem->hosts[number];
    int64_t used = host->amount[MEASURE_CPU_USAGE], allocated = host->amount[MEASURE_CPU];

    problem->vms =
        memory_grow(problem->vms, &plan->vms_allocated, problem->n_vms + 1u, sizeof *problem->vms);
    plan->candidates = memory_grow(plan->candidates, &plan->candidates_allocated,
                                   problem->n_vms + 1u, sizeof *plan->candidates);
    plan->candidates[problem->n_vms] = (struct candidate){vm, filter};
    problem->vms[problem->n_vms++] = (struct rebalance_vm){
        .home = number,
        .host = number,
        .amount = {[MEASURE_CPU_USAGE] = allocated > 0 ? used * observed->cpu / allocated : 0,
                   [MEASURE_CPU] = observed->cpu,
                   [MEASURE_MEMORY] = observed->memory},
        .cpu = observed->cpu,
        .memory = observed->memory,
    };
}

static void add_vms(struct cluster_plan *plan)
{
    const struct planner *planner = plan->planner;
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(planner->world, &cursor))) {
        const struct vm_record *vm = store_vm(planner->store, observed->id);
        const struct host_filter *filter = NULL;
        struct rebalance_host *host;
        uint32_t number;

        if (!observed_holds_host(observed))
            continue;
        host = host_of(plan, observed->history.host, &number);
        if (!host)
            continue;
        if (may_move(plan, vm, observed))
            filter = filter_of(plan, observed);
        if (filter)
            add_candidate(plan, vm, observed, filter, number);
        else
            host->is_fixed = true;
    }
}

/* Room that accepted leases will take on hosts where OpenNebula does not count it yet. */
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

static bool may_use(void *context, uint32_t number, uint32_t host)
{
    const struct cluster_plan *plan = context;
    const struct candidate *candidate = &plan->candidates[number];
    uint32_t place = plan->places[host];
    int32_t id = plan->picture.hosts->pool.items[place].id;

    return (!candidate->filter->allowed || candidate->filter->allowed[place]) &&
           !vm_avoids(candidate->vm, id, plan->now) &&
           planner_move_way(plan->planner, candidate->vm, id, true).kind != MOVE_OFF;
}

/* --- the plan --------------------------------------------------------------------------------- */

static int32_t id_of(const struct cluster_plan *plan, uint32_t number)
{
    return plan->picture.hosts->pool.items[plan->places[number]].id;
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
        picture_take(&plan.picture, planner, err) < 0)
        return -1;
    plan.problem = (struct rebalance_problem){.policy = result->settings.policy,
                                              .threshold = planner->settings.rebalance_threshold,
                                              .most_moves = result->settings.most_moves,
                                              .may_use = may_use,
                                              .context = &plan};
    for (int i = 0; i < REBALANCE_MEASURES; i++)
        plan.problem.weights[i] = result->settings.weights[i];
    add_hosts(&plan, cluster->id);
    add_vms(&plan);
    keep_promises(&plan);
    solve(&plan, result);
    free(plan.problem.hosts);
    free(plan.problem.vms);
    free(plan.places);
    free(plan.numbers);
    free(plan.candidates);
    picture_drop(&plan.picture);
    return 0;
}
