/* Compares the hosts of VMs with the rules of their groups. */
#include "daemon/live/broken_rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/reason_details.h"
#include "util/memory.h"
#include "util/printable.h"

struct present {
    int32_t place, vm, host;
    uint32_t role;
};

struct check {
    const struct rule_places *places;
    void (*broken)(void *context, const struct broken_rule *rule);
    void *context;
    const struct vmgroup *group;
    struct present *present;
    size_t n, allocated;
};

static int by_place(const void *a, const void *b)
{
    const struct present *left = a, *right = b;

    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    return (left->vm > right->vm) - (left->vm < right->vm);
}

static int32_t place_of(const struct rule_places *places, int32_t host, bool by_cluster)
{
    return host >= 0 && by_cluster ? places->cluster_of(places->context, host) : host;
}

/* The VMs of some roles that are on hosts, by host or cluster. */
static void collect(struct check *check, uint64_t roles, bool by_cluster)
{
    const struct rule_places *places = check->places;

    check->n = 0;
    for (uint32_t i = 0; i < check->group->n_roles; i++)
        for (size_t j = 0; roles & UINT64_C(1) << i && j < check->group->roles[i].vms.n; j++) {
            int32_t vm = check->group->roles[i].vms.ids[j];
            int32_t host = places->host_of(places->context, vm);
            int32_t place = place_of(places, host, by_cluster);

            if (host < 0)
                continue;
            MEMORY_GROW(check->present, check->allocated, check->n + 1);
            check->present[check->n++] = (struct present){place, vm, host, i};
        }
    if (check->n > 0)
        qsort(check->present, check->n, sizeof *check->present, by_place);
}

static void report(const struct check *check, const struct present *present, int32_t other,
                   bool apart)
{
    check->broken(check->context,
                  &(struct broken_rule){.vm = present->vm,
                                        .host = present->host,
                                        .other = other,
                                        .apart = apart,
                                        .group = check->group->id,
                                        .role = check->group->roles[present->role].name});
}

/* `same_role`: two VMs of the same role also break the rule. */
static void check_apart(const struct check *check, bool same_role)
{
    for (size_t i = 1, first = 0; i < check->n; i++) {
        if (check->present[i].place != check->present[first].place)
            first = i;
        else if (same_role || check->present[i].role != check->present[first].role)
            report(check, &check->present[i], check->present[first].vm, true);
    }
}

static void check_together(const struct check *check)
{
    for (size_t i = 1; i < check->n; i++)
        if (check->present[i].place != check->present[0].place)
            report(check, &check->present[i], check->present[0].vm, false);
}

static void check_lists(const struct check *check)
{
    for (size_t i = 0; i < check->n; i++) {
        const struct present *present = &check->present[i];
        const struct rule_places *places = check->places;

        if (!vmgroup_role_allows(&check->group->roles[present->role], present->host,
                                 places->cluster_of(places->context, present->host)))
            report(check, present, -1, true);
    }
}

static void check_group(struct check *check)
{
    for (uint32_t i = 0; i < check->group->n_roles; i++) {
        const struct vmgroup_role *role = &check->group->roles[i];

        if (role->weight > 0)
            continue;
        collect(check, UINT64_C(1) << i, role->by_cluster);
        check_lists(check);
        if (role->policy == ROLE_APART)
            check_apart(check, true);
        else if (role->policy == ROLE_TOGETHER)
            check_together(check);
    }
    for (size_t i = 0; check->group->weight == 0 && i < check->group->n_rules; i++) {
        const struct vmgroup_rule *rule = &check->group->rules[i];

        collect(check, rule->roles, check->group->by_cluster);
        if (rule->apart)
            check_apart(check, false);
        else
            check_together(check);
    }
}

void broken_rules_each(const struct vmgroup_pool *pool, const struct rule_places *places,
                       void (*broken)(void *context, const struct broken_rule *rule), void *context)
{
    struct check check = {.places = places, .broken = broken, .context = context};

    for (size_t i = 0; i < pool->n; i++) {
        check.group = &pool->items[i];
        check_group(&check);
    }
    free(check.present);
}

/* --- one VM ----------------------------------------------------------------------------------- */

struct candidate {
    const struct rule_places *places;
    int32_t vm, host;
};

/* Is the VM near another VM of these roles that it must be apart from, or far from all VMs of these
 * roles that it must be together with? */
static bool clashes(const struct candidate *candidate, const struct vmgroup *group, uint64_t roles,
                    bool apart, bool by_cluster)
{
    const struct rule_places *places = candidate->places;
    int32_t (*further)(void *, int32_t) = apart ? places->other_host_of : places->next_host_of;
    int32_t here = place_of(places, candidate->host, by_cluster);
    bool any = false, near = false;

    for (size_t i = 0; i < group->n_roles; i++)
        for (size_t j = 0; roles & UINT64_C(1) << i && j < group->roles[i].vms.n; j++) {
            int32_t vm = group->roles[i].vms.ids[j];
            int32_t host = vm == candidate->vm ? -1 : places->host_of(places->context, vm);

            if (host < 0)
                continue;
            any = true;
            near |= place_of(places, host, by_cluster) == here;
            if (further)
                near |= place_of(places, further(places->context, vm), by_cluster) == here;
        }
    return apart ? near : any && !near;
}

static bool clashes_by_role(const struct candidate *candidate, const struct vmgroup *group,
                            uint32_t number)
{
    const struct vmgroup_role *role = &group->roles[number];
    const struct rule_places *places = candidate->places;

    if (role->weight > 0)
        return false;
    if (!vmgroup_role_allows(role, candidate->host,
                             places->cluster_of(places->context, candidate->host)))
        return true;
    return role->policy != ROLE_FREE &&
           clashes(candidate, group,
                   role->by_cluster ? UINT64_C(1) << number : vmgroup_on_one_host(group, number),
                   role->policy == ROLE_APART, role->by_cluster);
}

static bool clashes_by_rules(const struct candidate *candidate, const struct vmgroup *group,
                             uint32_t number)
{
    uint64_t own = UINT64_C(1) << number;

    for (size_t i = 0; group->weight == 0 && i < group->n_rules; i++) {
        const struct vmgroup_rule *rule = &group->rules[i];
        uint64_t roles = rule->apart         ? rule->roles & ~own
                         : group->by_cluster ? rule->roles
                                             : vmgroup_on_one_host(group, number);

        if (rule->roles & own && clashes(candidate, group, roles, rule->apart, group->by_cluster))
            return true;
    }
    return false;
}

bool would_break_rule(const struct vmgroup_pool *pool, const struct rule_places *places, int32_t vm,
                      int32_t host)
{
    const struct candidate candidate = {places, vm, host};
    size_t n;
    const struct vmgroup_member *members = vmgroup_pool_roles_of(pool, vm, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vmgroup *group = &pool->items[members[i].group];

        if (clashes_by_role(&candidate, group, members[i].role) ||
            clashes_by_rules(&candidate, group, members[i].role))
            return true;
    }
    return false;
}

/* --- in the world ----------------------------------------------------------------------------- */

static int32_t host_in_world(void *context, int32_t vm)
{
    const struct world *const *world = context;
    const struct vm_observation *observed = world_vm(*world, vm);

    return observed && observed->present && observed_holds_host(observed) ? observed->history.host
                                                                          : -1;
}

static int32_t cluster_in_world(void *context, int32_t host)
{
    const struct world *const *world = context;
    const struct hosts_seen *seen = world_hosts(*world);
    const struct host *found = seen ? host_pool_find(&seen->pool, host) : NULL;

    return found ? found->cluster : -1;
}

static void keep_first(void *context, const struct broken_rule *rule)
{
    struct map *broken = context;

    if (map_find(broken, rule->vm) == MAP_NONE)
        *(struct broken_rule *)map_value(broken, map_add(broken, rule->vm)) = *rule;
}

void broken_rules_find(struct map *broken, const struct world *world)
{
    const struct rule_places places = {
        .host_of = host_in_world, .cluster_of = cluster_in_world, .context = &world};
    const struct vmgroups_seen *seen = world_vmgroups(world);

    map_finish(broken);
    map_init(broken, sizeof(struct broken_rule));
    if (seen)
        broken_rules_each(&seen->pool, &places, keep_first, broken);
}

void broken_rule_add(const struct broken_rule *rule, char *text, size_t size)
{
    char role[DETAIL_NAME_MAX];

    details_add(text, size,
                &(struct detail){.id = rule->other < 0 ? DETAIL_RULE_EXCLUDES
                                       : rule->apart   ? DETAIL_RULE_APART
                                                       : DETAIL_RULE_TOGETHER,
                                 .n = {rule->group, rule->other},
                                 .name = printable(role, sizeof role, rule->role)});
}
