/* The shares, the usage and the order of users and groups. */
#include "core/fair_share.h"

#include <stdlib.h>

#include "core/usage.h"
#include "util/instant.h"
#include "util/map.h"
#include "util/memory.h"

struct share {
    struct usage usage;
    int64_t shares;
    struct share *group; /* NULL: none, or this is a group */
    int64_t looked_at;   /* the time for which `standing` was computed; INSTANT_NONE: outdated */
    double standing;     /* usage per share */
};

struct share_key {
    int64_t is_group, group, user;
};

struct fair_share {
    struct fair_share_settings settings;
    struct map shares; /* struct share *, by struct share_key */
};

struct fair_share *fair_share_create(const struct fair_share_settings *settings)
{
    struct fair_share *shares = memory_new(1, sizeof *shares);

    shares->settings = *settings;
    map_init_copying(&shares->shares, sizeof(struct share *));
    return shares;
}

void fair_share_destroy(struct fair_share *shares)
{
    if (!shares)
        return;
    for (uint32_t i = 0; i < shares->shares.n; i++)
        free(*(struct share **)map_value(&shares->shares, i));
    map_finish(&shares->shares);
    free(shares);
}

static int64_t weight_of(const struct fair_share *shares, bool is_group, int64_t id)
{
    for (size_t i = 0; i < shares->settings.n_weights; i++) {
        const struct fair_share_weight *weight = &shares->settings.weights[i];

        if (weight->is_group == is_group && weight->id == id)
            return weight->shares;
    }
    return 1;
}

static struct share *find(struct fair_share *shares, const struct share_key *key)
{
    uint32_t number = map_find_bytes(&shares->shares, key, sizeof *key);
    struct share *share;

    if (number != MAP_NONE)
        return *(struct share **)map_value(&shares->shares, number);
    share = memory_new(1, sizeof *share);
    share->looked_at = INSTANT_NONE;
    share->shares = weight_of(shares, key->is_group != 0, key->is_group ? key->group : key->user);
    number = map_add_bytes(&shares->shares, key, sizeof *key);
    *(struct share **)map_value(&shares->shares, number) = share;
    return share;
}

struct share *fair_share_of(struct fair_share *shares, int64_t user, int64_t group)
{
    bool by_group = shares->settings.by == FAIR_SHARE_GROUPS;
    struct share_key key = {.group = by_group ? group : 0, .user = user};
    struct share *share = find(shares, &key);

    if (by_group)
        share->group = find(shares, &(struct share_key){.is_group = 1, .group = group});
    return share;
}

void share_use(const struct fair_share *shares, struct share *share, double used, int64_t at)
{
    for (; share; share = share->group) {
        usage_change(&share->usage, shares->settings.half_life, at, 0);
        share->usage.used += used;
        share->looked_at = INSTANT_NONE;
    }
}

void share_use_from(const struct fair_share *shares, struct share *share, int64_t cpu, int64_t at)
{
    for (; share; share = share->group)
        usage_change(&share->usage, shares->settings.half_life, at, cpu);
}

static double standing(const struct fair_share *shares, struct share *share, int64_t at)
{
    if (share->looked_at != at) {
        share->standing =
            usage_until(&share->usage, shares->settings.half_life, at) / (double)share->shares;
        share->looked_at = at;
    }
    return share->standing;
}

int share_compare(const struct fair_share *shares, struct share *a, struct share *b, int64_t at)
{
    int groups = a->group == b->group ? 0 : share_compare(shares, a->group, b->group, at);
    double one, other;

    if (groups || a == b)
        return groups;
    one = standing(shares, a, at);
    other = standing(shares, b, at);
    return (one > other) - (one < other);
}

struct share_view share_look(const struct fair_share *shares, const struct share *share, int64_t at)
{
    const int64_t half_life = shares->settings.half_life;
    struct share_view view = {.used = usage_until(&share->usage, half_life, at),
                              .shares = share->shares};

    if (share->group) {
        view.group_used = usage_until(&share->group->usage, half_life, at);
        view.group_shares = share->group->shares;
    }
    return view;
}
