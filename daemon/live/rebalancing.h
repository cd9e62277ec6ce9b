/* rebalancing.h: plans that move running VMs between the hosts of a cluster, so that these are
 * evenly used, or fewer of them are used.
 *
 * A plan is ready until an operator applies or drops it; applied, its VMs are wanted on other hosts
 * until they are there, could not be moved, or a time has passed. Applied plans are kept in the
 * store and survive a restart; a plan that is only ready does not.
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
    AUTOMATION_MANUAL,  /* plans are made when an operator asks for them */
    AUTOMATION_PARTIAL, /* ... also at an interval; an operator applies them */
    AUTOMATION_FULL,    /* ... and they are applied */
};

/* How a cluster is to be rebalanced: ONE_DRS of its template, as OneDRS reads it. */
struct rebalance_settings {
    enum rebalance_automation automation;
    enum rebalance_policy policy;
    int64_t weights[REBALANCE_MEASURES]; /* millionths, USE_WHOLE in all */
    double predictive; /* what part forecasts have in measured figures, the present ones the rest */
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
    int64_t applied; /* the same; INSTANT_NONE: not yet */
    struct rebalance_move *moves;
    size_t n_moves;
    struct rebalanced_host *hosts;
    size_t n_hosts;
    size_t n_unread; /* VMs whose templates have not been read: they stay */
};

struct rebalancing {
    struct rebalance_plan *plans; /* one for a cluster at most, ready or applied */
    size_t n_plans, allocated;
    int32_t *asked; /* clusters: templates of their VMs are to be read, and what these use */
    size_t n_asked, asked_allocated;
    int64_t next; /* monotonic milliseconds: when plans are made for clusters that want it */
};

/* Of a cluster without ONE_DRS: balance by measured CPU, manual. -1 with err: an attribute is
 * malformed. */
int rebalance_settings_read(const struct cluster *cluster, struct rebalance_settings *settings,
                            struct error *err);

/* The cluster's plan, or NULL. O(plans). */
struct rebalance_plan *rebalancing_plan(const struct rebalancing *rebalancing, int32_t cluster);
/* Takes the plan over; one that the cluster had must have been dropped. */
void rebalancing_put(struct rebalancing *rebalancing, struct rebalance_plan *plan);
void rebalance_plan_finish(struct rebalance_plan *plan);
void rebalancing_finish(struct rebalancing *rebalancing);

/* The plan, which is applied, is in the store from the next commit on, or no longer. */
void rebalance_plan_keep(const struct rebalance_plan *plan, struct store *store);
void rebalance_plan_unkeep(const struct rebalance_plan *plan, struct store *store);
/* The plans in the store; what cannot be read is logged and left out. */
void rebalancing_load(struct rebalancing *rebalancing, const struct store *store);

/* Are templates of the VMs on this cluster's hosts to be read, and what these use? */
bool rebalancing_asks(const struct rebalancing *rebalancing, int32_t cluster);

/* --- with the daemon -------------------------------------------------------------------------- */

/* galernad starts: plans that were applied before go on. */
void rebalancing_resume(struct daemon *daemon);
/* The plan's VMs that are still where it found them are wanted on their new hosts. who: for the
 * history. */
void rebalancing_apply(struct daemon *daemon, struct rebalance_plan *plan, const char *who);
/* Moves that have not begun are not made. */
void rebalancing_drop(struct daemon *daemon, struct rebalance_plan *plan, const char *why);
/* After a full poll: ends plans whose VMs have arrived or take too long, and makes those that are
 * due. O(clusters + moves), and the cost of a plan for each cluster that is due. */
void rebalancing_follow(struct daemon *daemon);
