/* Detects changes of datastores, networks, clusters, users and access rules that can let a VM run,
 * or stop it. */
#include "daemon/state/world_inside.h"

#include "util/mix.h"
#include "util/words.h"

/* Measured figures change all the time; VMs that wait for room are re-examined anyway. */
static bool is_figure(const char *name)
{
    static const char *const names[] = {"FREE_MB", "USED_MB", "TOTAL_MB", "USED_LEASES"};

    return WORDS_HAVE(names, name);
}

static uint64_t mix_attributes(uint64_t digest, const struct attributes *attributes)
{
    for (size_t i = 0; i < attributes->n; i++)
        if (!is_figure(attributes->items[i].name)) {
            digest = mix_text(digest, attributes->items[i].name);
            digest = mix_text(digest, attributes->items[i].value);
        }
    return mix_number(digest, (int64_t)attributes->n);
}

uint64_t site_digest(const struct site_seen *site)
{
    uint64_t digest = MIX_BEGIN;

    for (size_t i = 0; i < site->datastores.n; i++)
        digest = mix_attributes(digest, &site->datastores.items[i].attributes);
    for (size_t i = 0; i < site->networks.n; i++)
        digest = mix_number(mix_attributes(digest, &site->networks.items[i].attributes),
                            site->networks.items[i].size);
    for (size_t i = 0; i < site->clusters.n; i++)
        digest = mix_number(mix_attributes(digest, &site->clusters.items[i].attributes),
                            site->clusters.items[i].id);
    for (size_t i = 0; i < site->users.n; i++) {
        const struct user *user = &site->users.items[i];

        digest = mix_number(mix_number(digest, user->id), user->enabled);
        for (size_t k = 0; k < user->n_groups; k++)
            digest = mix_number(digest, user->groups[k]);
    }
    for (size_t i = 0; i < site->acl.n; i++) {
        const struct acl_rule *rule = &site->acl.rules[i];

        digest = mix_number(
            mix_number(mix_number(mix_number(digest, (int64_t)rule->user), (int64_t)rule->resource),
                       (int64_t)rule->rights),
            (int64_t)rule->zone);
    }
    return digest;
}
