/* Effects of changed VM groups on plans, and on VMs on hosts. */
#include <string.h>

#include "daemon/planner/company.h"

/* --- the same rules --------------------------------------------------------------------------- */

static bool same_ids(const struct id_set *left, const struct id_set *right)
{
    return left->n == right->n &&
           (left->n == 0 || memcmp(left->ids, right->ids, left->n * sizeof *left->ids) == 0);
}

static bool same_role(const struct vmgroup_role *left, const struct vmgroup_role *right)
{
    return left->id == right->id && left->policy == right->policy &&
           left->weight == right->weight && left->by_cluster == right->by_cluster &&
           same_ids(&left->hosts, &right->hosts) && same_ids(&left->not_hosts, &right->not_hosts) &&
           same_ids(&left->clusters, &right->clusters) &&
           same_ids(&left->not_clusters, &right->not_clusters);
}

static bool same_group(const struct vmgroup *left, const struct vmgroup *right)
{
    if (left->id != right->id || left->weight != right->weight ||
        left->by_cluster != right->by_cluster || left->n_roles != right->n_roles ||
        left->n_rules != right->n_rules)
        return false;
    for (size_t i = 0; i < left->n_roles; i++)
        if (!same_role(&left->roles[i], &right->roles[i]))
            return false;
    for (size_t i = 0; i < left->n_rules; i++)
        if (left->rules[i].apart != right->rules[i].apart ||
            left->rules[i].roles != right->rules[i].roles)
            return false;
    return true;
}

static bool same_roles(const struct vmgroup_pool *old, const struct vmgroup_pool *new, int32_t vm)
{
    size_t n_old, n_new;
    const struct vmgroup_member *left = vmgroup_pool_roles_of(old, vm, &n_old);
    const struct vmgroup_member *right = vmgroup_pool_roles_of(new, vm, &n_new);

    if (n_old != n_new)
        return false;
    for (size_t i = 0; i < n_old; i++)
        if (left[i].group != right[i].group || left[i].role != right[i].role)
            return false;
    return true;
}

/* Does the change affect none of the pool's planned VMs? */
static bool can_keep(const struct vmgroup_pool *pool, const struct vmgroup_pool *old,
                     const struct vmgroup_pool *new, bool (*is_planned)(void *context, int32_t vm),
                     void *context)
{
    for (size_t i = 0; i < pool->n_members; i++) {
        int32_t vm = pool->members[i].vm;
        bool several = i > 0 && pool->members[i - 1].vm == vm;

        if (!same_roles(old, new, vm) && (several || is_planned(context, vm)))
            return false;
    }
    return true;
}

bool company_can_follow(const struct vmgroup_pool *old, const struct vmgroup_pool *new,
                        bool (*is_planned)(void *context, int32_t vm), void *context)
{
    if (old->n != new->n)
        return false;
    for (size_t i = 0; i < old->n; i++)
        if (!same_group(&old->items[i], &new->items[i]))
            return false;
    return can_keep(old, old, new, is_planned, context) &&
           can_keep(new, old, new, is_planned, context);
}
