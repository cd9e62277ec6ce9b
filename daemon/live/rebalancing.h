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

#include "core/rebalancing.h"
#include "util/error.h"

struct cluster;
struct daemon;
struct store;

enum rebalance_automation {
    AUTOMATION_MANUAL,  /* plans are made at an operator's request */
    AUTOMATION_PARTIAL, /* ... and also at an interval; an operator applies them */
    AUTOMATION_FULL,    /* ... and are applied automatically */
};

/* How a cluster is to be rebalanced: ONE_DRS of its template, as OneDRS reads it. */
struct rebalance_settings {
    enum rebalance_automation automation;
    enum rebalance_policy policy;
    int64_t weights[REBALANCE_MEASURES]; /* millionths; their sum is USE_WHOLE */
    double predictive; /* the fraction of forecasts in the measured figures; the rest are present
                        * figures */
    uint32_t most_moves;
};

struct rebalance_move {
    int32_t vm, from, to;
    int64_t lease;
};

/* The use of a host, in millionths of its capacity. */
struct rebalanced_host {
    int32_t host;
    int64_t before, after;
};

struct rebalance_plan {
    int32_t cluster;
    struct rebalance_settings settings;
    int64_t made;    /* seconds since 1970 */
    int64_t applied; /* seconds since 1970; INSTANT_NONE: not yet */
    struct rebalance_move *moves;
    size_t n_moves;
    struct rebalanced_host *hosts;
    size_t n_hosts;
    size_t n_unread; /* VMs whose templates have not been read: not moved */
};

struct rebalancing {
    struct rebalance_plan *plans; /* at most one per cluster, ready or applied */
    size_t n_plans, allocated;
    int32_t *asked; /* clusters: templates and use of their VMs are to be read */
    size_t n_asked, asked_allocated;
    int64_t next; /* monotonic milliseconds: next plans of clusters with automation */
};

/* For a cluster without ONE_DRS: balance by measured CPU, manual. -1 with err: an attribute is
 * malformed. */
int rebalance_settings_read(const struct cluster *cluster, struct rebalance_settings *settings,
                            struct error *err);

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
