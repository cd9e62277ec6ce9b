/* rebalancing.h: plans that move running VMs between the hosts of a cluster, to use the hosts
 * evenly or to use fewer of them.
 *
 * A plan is ready until an operator applies or drops it. An applied plan wants its VMs on other
 * hosts until they are there, could not be moved, or time runs out. Applied plans are in the store
 * and survive a restart; ready plans do not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/state/rebalance_plan.h"

struct daemon;
struct store;

struct rebalancing {
    struct rebalance_plan *plans; /* at most one per cluster, ready or applied */
    size_t n_plans, allocated;
    int32_t *asked; /* clusters: templates and use of their VMs are to be read */
    size_t n_asked, asked_allocated;
    int64_t next; /* monotonic milliseconds: next plans of clusters with automation */
};

/* The cluster's plan, or NULL. O(plans). */
struct rebalance_plan *rebalancing_plan(const struct rebalancing *rebalancing, int32_t cluster);
/* Takes ownership of the plan; a previous plan of the cluster must have been dropped. */
void rebalancing_put(struct rebalancing *rebalancing, struct rebalance_plan *plan);
void rebalance_plan_finish(struct rebalance_plan *plan);
void rebalancing_finish(struct rebalancing *rebalancing);

/* The next commit writes the applied plan to the store, or removes it. */
void rebalance_plan_keep(const struct rebalance_plan *plan, struct store *store);
void rebalance_plan_unkeep(const struct rebalance_plan *plan, struct store *store);
/* Loads the plans from the store; logs and skips unreadable ones. */
void rebalancing_load(struct rebalancing *rebalancing, const struct store *store);

/* Are the templates and the use of the VMs on this cluster's hosts to be read? */
bool rebalancing_asks(const struct rebalancing *rebalancing, int32_t cluster);

/* --- with the daemon -------------------------------------------------------------------------- */

/* At startup: continues applied plans. */
void rebalancing_resume(struct daemon *daemon);
/* Wants the plan's VMs that have not moved since it was made on their new hosts. who: for the
 * history. */
void rebalancing_apply(struct daemon *daemon, struct rebalance_plan *plan, const char *who);
/* Drops moves that have not begun. */
void rebalancing_drop(struct daemon *daemon, struct rebalance_plan *plan, const char *why);
/* After a full poll: ends plans whose VMs have arrived or take too long, and makes plans that are
 * due. O(clusters + moves), plus the cost of a plan for each cluster that is due. */
void rebalancing_follow(struct daemon *daemon);
