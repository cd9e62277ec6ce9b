/* fair_share.h: whose turn it is among leases of equal priority: the one who has used the least for
 * their share.
 *
 * Usage (core/usage.h) is kept by user, or by group and by user within each group. Groups are
 * compared first, then the users of a group, as in Slurm's Fair Tree algorithm; the one with less
 * usage for each share goes first. Everyone has one share unless the settings give them others.
 * Costs: O(1) on average.
 */
#pragma once

#include <stdint.h>

#include "core/settings.h"

struct fair_share; /* opaque */
struct share;      /* of a user, within a group or alone; opaque */

/* The settings are copied. */
struct fair_share *fair_share_create(const struct fair_share_settings *settings);
void fair_share_destroy(struct fair_share *shares); /* NULL is allowed */

/* The user's share; created when there is none. -1: unknown user or group, a share like others. The
 * group matters with FAIR_SHARE_GROUPS only. Valid until fair_share_destroy(). */
struct share *fair_share_of(struct fair_share *shares, int64_t user, int64_t group);

/* Adds usage of the user, and so of the group: the amount that counts at `at` (1/100 of a processor
 * x seconds). share_use_from(): from `at` on, its VMs have that much more CPU (negative: less);
 * times do not run backwards. */
void share_use(const struct fair_share *shares, struct share *share, double used, int64_t at);
void share_use_from(const struct fair_share *shares, struct share *share, int64_t cpu, int64_t at);

/* Whose turn it is at a time: below 0: a's, above 0: b's, 0: neither has an advantage. */
int share_compare(const struct fair_share *shares, struct share *a, struct share *b, int64_t at);

struct share_view {
    double used;       /* what counts, 1/100 of a processor x seconds */
    int64_t shares;    /* 1 or more */
    double group_used; /* with FAIR_SHARE_GROUPS, else 0 */
    int64_t group_shares;
};

struct share_view share_look(const struct fair_share *shares, const struct share *share,
                             int64_t at);
