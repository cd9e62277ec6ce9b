/* Rebalancing of clusters: making, showing, applying and dropping plans. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/services/services_question.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/memory.h"

static const struct cluster *find_cluster(const struct daemon *daemon,
                                          const struct rebalance_order *order, struct error *err)
{
    const struct site_seen *site = world_site(daemon->world);

    for (size_t i = 0; site && i < site->clusters.n; i++) {
        const struct cluster *cluster = &site->clusters.items[i];

        if (order->name ? strcmp(cluster->name, order->name) == 0 : cluster->id == order->id)
            return cluster;
    }
    if (order->name)
        error_set(err, ENOENT, "cluster '%.80s' does not exist", order->name);
    else
        error_set(err, ENOENT, "cluster %lld does not exist", (long long)order->id);
    return NULL;
}

static const char *state_of_move(const struct daemon *daemon, const struct rebalance_plan *plan,
                                 const struct rebalance_move *move)
{
    const struct vm_record *vm = store_vm(daemon->store, move->vm);

    if (plan->applied == INSTANT_NONE)
        return "planned";
    if (vm && vm->host == move->to)
        return "there";
    if (!vm || vm->gone || !vm->wanted)
        return "stays";
    return vm_moves(vm) ? "moves" : "waits";
}

static void show_plan(const struct daemon *daemon, const struct rebalance_plan *plan,
                      const struct cluster *cluster, const char *state,
                      void (*show)(void *viewer, const struct rebalance_view *plan), void *viewer)
{
    static const char *const policies[] = {
        [REBALANCE_BALANCE] = "balance", [REBALANCE_PACK] = "pack"};
    static const char *const automations[] = {[AUTOMATION_MANUAL] = "manual",
                                              [AUTOMATION_PARTIAL] = "partial",
                                              [AUTOMATION_FULL] = "full"};
    struct rebalance_view view = {.cluster = cluster->id,
                                  .name = cluster->name,
                                  .policy = policies[plan->settings.policy],
                                  .automation = automations[plan->settings.automation],
                                  .state = state,
                                  .made = plan->made,
                                  .n_moves = plan->n_moves,
                                  .n_hosts = plan->n_hosts,
                                  .n_unread = plan->n_unread,
                                  .moves = memory_new(plan->n_moves, sizeof *view.moves),
                                  .hosts = memory_new(plan->n_hosts, sizeof *view.hosts)};
    const double percent = USE_WHOLE / 100.0;

    for (size_t i = 0; i < plan->n_moves; i++) {
        const struct rebalance_move *move = &plan->moves[i];

        view.moves[i] = (struct rebalance_move_view){move->vm, move->from, move->to, move->lease,
                                                     state_of_move(daemon, plan, move)};
    }
    for (size_t i = 0; i < plan->n_hosts; i++)
        view.hosts[i] = (struct rebalance_host_view){plan->hosts[i].host,
                                                     (double)plan->hosts[i].before / percent,
                                                     (double)plan->hosts[i].after / percent};
    show(viewer, &view);
    free(view.moves);
    free(view.hosts);
}

int services_rebalance(void *context, const struct rebalance_order *order, const char *who,
                       void (*show)(void *viewer, const struct rebalance_view *plan), void *viewer,
                       struct error *err)
{
    struct daemon *daemon = context;
    const struct cluster *cluster = find_cluster(daemon, order, err);
    struct rebalance_plan *plan =
        cluster ? rebalancing_plan(&daemon->rebalancing, cluster->id) : NULL;
    struct asked_hosts asked = {.has_cluster = true};
    struct rebalance_plan made;

    if (!cluster || (order->action != REBALANCE_SHOWN && services_check_store(daemon, err) < 0))
        return -1;
    if (!plan) {
        if (order->action == REBALANCE_DROPPED)
            return error_set(err, EALREADY, "cluster %d has no plan to drop", cluster->id);
        asked.cluster = cluster->id;
        if (services_await_templates(daemon, &asked, err) < 0 ||
            planner_rebalance(daemon->planner, cluster, clock_now(), &made, err) < 0)
            return -1;
        if (order->action == REBALANCE_SHOWN || !made.n_moves) {
            show_plan(daemon, &made, cluster, "planned", show, viewer);
            rebalance_plan_finish(&made);
            return 0;
        }
        rebalancing_put(&daemon->rebalancing, &made);
        plan = rebalancing_plan(&daemon->rebalancing, cluster->id);
    }
    if (order->action == REBALANCE_APPLIED && plan->applied == INSTANT_NONE)
        rebalancing_apply(daemon, plan, who);
    show_plan(daemon, plan, cluster,
              order->action == REBALANCE_DROPPED ? "dropped"
              : plan->applied == INSTANT_NONE    ? "ready"
                                                 : "applied",
              show, viewer);
    if (order->action == REBALANCE_DROPPED)
        rebalancing_drop(daemon, plan, "the plan was dropped by an operator");
    daemon_wake(daemon);
    return services_commit(daemon, err);
}
