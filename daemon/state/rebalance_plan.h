/* rebalance_plan.h: a plan that moves running VMs between the hosts of a cluster, and the settings
 * it follows.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/rebalancing.h"
#include "util/error.h"

struct cluster;

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

/* For a cluster without ONE_DRS: balance by measured CPU, manual. -1 with err: an attribute is
 * malformed. */
int rebalance_settings_read(const struct cluster *cluster, struct rebalance_settings *settings,
                            struct error *err);
