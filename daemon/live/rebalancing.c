/* Keeps and applies plans that move VMs within a cluster. */
#include "daemon/live/rebalancing.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/moves.h"
#include "daemon/state/vm_state.h"
#include "util/instant.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

enum { PLAN_LIFE = 600 /* seconds: moves that have not begun by then are dropped */ };

static void forget(struct daemon *daemon, struct rebalance_plan *plan)
{
    struct rebalancing *rebalancing = &daemon->rebalancing;

    if (plan->applied != INSTANT_NONE)
        rebalance_plan_unkeep(plan, daemon->store);
    rebalance_plan_finish(plan);
    *plan = rebalancing->plans[--rebalancing->n_plans];
}

/* --- templates to be read --------------------------------------------------------------------- */

bool rebalancing_asks(const struct rebalancing *rebalancing, int32_t cluster)
{
    return ids_have(rebalancing->asked, rebalancing->n_asked, cluster);
}

static void ask(struct rebalancing *rebalancing, int32_t cluster)
{
    if (rebalancing_asks(rebalancing, cluster))
        return;
    MEMORY_GROW(rebalancing->asked, rebalancing->asked_allocated, rebalancing->n_asked + 1);
    rebalancing->asked[rebalancing->n_asked++] = cluster;
}

static void ask_no_more(struct rebalancing *rebalancing, int32_t cluster)
{
    for (size_t i = 0; i < rebalancing->n_asked; i++)
        if (rebalancing->asked[i] == cluster)
            rebalancing->asked[i--] = rebalancing->asked[--rebalancing->n_asked];
}

/* --- applied plans ---------------------------------------------------------------------------- */

static void want_moves(struct daemon *daemon, const struct rebalance_plan *plan)
{
    for (size_t i = 0; i < plan->n_moves; i++) {
        const struct vm_record *vm = store_vm(daemon->store, plan->moves[i].vm);

        if (vm && !vm->gone && !vm_moves(vm) && vm->host == plan->moves[i].from)
            vm_want_on(daemon->store, vm, plan->moves[i].to);
    }
}

void rebalancing_resume(struct daemon *daemon)
{
    rebalancing_load(&daemon->rebalancing, daemon->store);
    for (size_t i = 0; i < daemon->rebalancing.n_plans; i++)
        want_moves(daemon, &daemon->rebalancing.plans[i]);
}

void rebalancing_apply(struct daemon *daemon, struct rebalance_plan *plan, const char *who)
{
    plan->applied = clock_now();
    store_history(daemon->store, STORE_NO_LEASE, plan->applied, "rebalanced",
                  "cluster %d: %zu VM%s to move, by %s", plan->cluster, plan->n_moves,
                  plan->n_moves == 1 ? " is" : "s are", who);
    want_moves(daemon, plan);
    rebalance_plan_keep(plan, daemon->store);
    daemon_replan(daemon, "cluster %d is rebalanced by %s", plan->cluster, who);
}

void rebalancing_drop(struct daemon *daemon, struct rebalance_plan *plan, const char *why)
{
    for (size_t i = 0; plan->applied != INSTANT_NONE && i < plan->n_moves; i++) {
        const struct rebalance_move *move = &plan->moves[i];
        const struct vm_record *vm = store_vm(daemon->store, move->vm);

        if (!vm || !vm->wanted)
            continue;
        vm_want_on(daemon->store, vm, -1);
        if (!vm_moves(vm))
            store_history(daemon->store, vm->lease, clock_now(), "not-rebalanced",
                          "VM %d stays on host %d: %s", vm->id, vm->host, why);
    }
    daemon_replan(daemon, "the plan to rebalance cluster %d is dropped", plan->cluster);
    forget(daemon, plan);
}

/* VMs that have arrived, or moved elsewhere, are no longer wanted; returns the number of the
 * others. */
static size_t see_arrivals(struct daemon *daemon, const struct rebalance_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_moves; i++) {
        const struct vm_record *vm = store_vm(daemon->store, plan->moves[i].vm);

        if (!vm || !vm->wanted)
            continue;
        if (vm->gone || (!vm_moves(vm) && vm->host != plan->moves[i].from))
            vm_want_on(daemon->store, vm, -1);
        else
            n++;
    }
    return n;
}

static void end_plans(struct daemon *daemon)
{
    struct rebalancing *rebalancing = &daemon->rebalancing;

    for (size_t i = rebalancing->n_plans; i-- > 0;) {
        struct rebalance_plan *plan = &rebalancing->plans[i];

        if (plan->applied == INSTANT_NONE)
            continue;
        if (see_arrivals(daemon, plan) == 0)
            forget(daemon, plan);
        else if (plan->applied + PLAN_LIFE <= clock_now())
            rebalancing_drop(daemon, plan, "it could not move there within 10 minutes");
    }
}

/* --- plans at an interval --------------------------------------------------------------------- */

static bool is_automatic(const struct cluster *cluster)
{
    struct rebalance_settings settings;
    struct error err;

    if (rebalance_settings_read(cluster, &settings, &err) == 0)
        return settings.automation != AUTOMATION_MANUAL;
    log_warning("%s: it is not rebalanced", err.text);
    return false;
}

static void plan_cluster(struct daemon *daemon, const struct cluster *cluster)
{
    struct rebalance_plan plan, *old = rebalancing_plan(&daemon->rebalancing, cluster->id);
    struct error err;

    if (old && old->applied != INSTANT_NONE)
        return;
    if (planner_rebalance(daemon->planner, cluster, clock_now(), &plan, &err) < 0) {
        log_warning("cluster %d is not rebalanced: %s", cluster->id, err.text);
        return;
    }
    if (old)
        forget(daemon, old);
    if (!plan.n_moves) {
        rebalance_plan_finish(&plan);
        return;
    }
    log_info("cluster %d: a plan moves %zu VM%s%s", plan.cluster, plan.n_moves,
             plan.n_moves == 1 ? "" : "s",
             plan.settings.automation == AUTOMATION_FULL
                 ? ""
                 : "; 'galerna host rebalance' shows, applies or drops it");
    if (plan.settings.automation == AUTOMATION_FULL)
        rebalancing_apply(daemon, &plan, "galernad");
    rebalancing_put(&daemon->rebalancing, &plan);
}

/* Templates are read by a poll before the plan. */
static void plan_clusters(struct daemon *daemon)
{
    struct rebalancing *rebalancing = &daemon->rebalancing;
    const struct cluster_pool *clusters = &world_site(daemon->world)->clusters;
    int64_t interval = daemon->live->rebalance_interval * 1000;
    bool reads = false;

    if (interval <= 0 || clock_monotonic() < rebalancing->next)
        return;
    for (size_t i = 0; i < clusters->n; i++) {
        const struct cluster *cluster = &clusters->items[i];

        if (!is_automatic(cluster))
            continue;
        if (rebalancing_asks(rebalancing, cluster->id)) {
            ask_no_more(rebalancing, cluster->id);
            plan_cluster(daemon, cluster);
        } else {
            ask(rebalancing, cluster->id);
            reads = true;
        }
    }
    if (!reads)
        rebalancing->next = clock_monotonic() + interval;
}

void rebalancing_follow(struct daemon *daemon)
{
    end_plans(daemon);
    plan_clusters(daemon);
}
