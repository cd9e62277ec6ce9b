/* fair_share.h: the order of leases of equal priority: least usage per share first.
 *
 * Usage (core/usage.h) is kept by user, or by group and by user within each group. Groups are
 * compared first, then the users of a group, as in Slurm's Fair Tree algorithm; less usage per
 * share goes first. Users and groups have one share unless the settings differ. Costs: O(1) on
 * average.
 */
#pragma once

#include <stdint.h>

#include "core/settings.h"

struct fair_share; /* opaque */
struct share;      /* of a user, within a group or alone; opaque */

/* The settings are copied. */
struct fair_share *fair_share_create(const struct fair_share_settings *settings);
void fair_share_destroy(struct fair_share *shares); /* NULL is allowed */

/* The user's share, created on the first call. -1: unknown user or group, treated as one more user
 * or group. The group matters with FAIR_SHARE_GROUPS only. Valid until fair_share_destroy(). */
struct share *fair_share_of(struct fair_share *shares, int64_t user, int64_t group);

/* Adds usage of the user, and so of the group: the decayed amount at `at` (1/100 of a processor x
 * seconds). share_use_from(): from `at` on, its VMs use `cpu` more CPU (negative: less); times
 * never decrease. */
void share_use(const struct fair_share *shares, struct share *share, double used, int64_t at);
void share_use_from(const struct fair_share *shares, struct share *share, int64_t cpu, int64_t at);

/* The order at a time: below 0: a first, above 0: b first, 0: equal. */
int share_compare(const struct fair_share *shares, struct share *a, struct share *b, int64_t at);

struct share_view {
    double used;       /* decayed usage, 1/100 of a processor x seconds */
    int64_t shares;    /* 1 or more */
    double group_used; /* with FAIR_SHARE_GROUPS, else 0 */
    int64_t group_shares;
};

struct share_view share_look(const struct fair_share *shares, const struct share *share,
                             int64_t at);
