/* Numbers the roles of VM groups and translates their rules. */
#include "daemon/planner/company.h"

#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility.h"
#include "core/reason_details.h"
#include "util/map.h"
#include "util/memory.h"
#include "util/printable.h"

/* A role in a group; for roles that must share a host, the first of them. */
struct role_key {
    uint32_t group, role;
};

struct rule_list {
    struct company_rule rules[VM_RULES_MOST];
    uint32_t n;
    bool too_many;
};

struct company {
    const struct vmgroup_pool *pool;
    struct map roles;  /* role numbers by arrays of struct role_key; arrays of one key come first */
    uint32_t n_single; /* number of arrays with one key */
    struct map lists;  /* struct rule_list * by arrays of struct role_key, which name the VM's
                          own roles */
};

/* --- numbers ---------------------------------------------------------------------------------- */

static struct role_key key_of(const struct vmgroup_pool *pool, uint32_t group, uint32_t role)
{
    uint64_t roles = vmgroup_on_one_host(&pool->items[group], role);

    return (struct role_key){group, (uint32_t)__builtin_ctzll(roles)};
}

/* The keys of a VM's roles, fewer if two roles have the same key. */
static size_t keys_of(const struct vmgroup_pool *pool, const struct vmgroup_member *members,
                      size_t n, struct role_key *keys)
{
    size_t kept = 0;

    for (size_t i = 0; i < n && i < VMGROUPS_OF_VM_MAX; i++) {
        struct role_key key = key_of(pool, members[i].group, members[i].role);

        if (kept == 0 || memcmp(&keys[kept - 1], &key, sizeof key) != 0)
            keys[kept++] = key;
    }
    return kept;
}

static uint32_t number_of(struct company *company, const struct role_key *keys, size_t n)
{
    return map_add_bytes(&company->roles, keys, n * sizeof *keys);
}

struct company *company_create(const struct vmgroup_pool *pool)
{
    struct company *company = memory_new(1, sizeof *company);
    struct role_key keys[VMGROUPS_OF_VM_MAX];

    company->pool = pool;
    map_init_copying(&company->roles, sizeof(uint32_t));
    map_init_copying(&company->lists, sizeof(struct rule_list *));
    for (uint32_t group = 0; group < pool->n; group++)
        for (uint32_t role = 0; role < pool->items[group].n_roles; role++) {
            struct role_key key = key_of(pool, group, role);

            number_of(company, &key, 1);
        }
    company->n_single = (uint32_t)company->roles.n;
    for (size_t i = 0; i < pool->n_members;) {
        size_t n;
        const struct vmgroup_member *members = vmgroup_pool_roles_of(pool, pool->members[i].vm, &n);
        size_t n_keys = n > 1 ? keys_of(pool, members, n, keys) : 0;

        if (n_keys > 1)
            *(uint32_t *)map_value(&company->roles, number_of(company, keys, n_keys)) =
                (uint32_t)n_keys;
        i += n;
    }
    return company;
}

void company_destroy(struct company *company)
{
    if (!company)
        return;
    for (uint32_t i = 0; i < company->lists.n; i++)
        free(*(struct rule_list **)map_value(&company->lists, i));
    map_finish(&company->roles);
    map_finish(&company->lists);
    free(company);
}

/* --- rules ------------------------------------------------------------------------------------ */

static void add_rule(struct rule_list *list, const struct company_rule *rule)
{
    for (uint32_t i = 0; i < list->n; i++) {
        struct company_rule *known = &list->rules[i];

        if (known->role == rule->role && known->apart == rule->apart &&
            known->level == rule->level && (known->weight > 0) == (rule->weight > 0)) {
            known->weight += rule->weight;
            return;
        }
    }
    if (list->n == VM_RULES_MOST)
        list->too_many = true;
    else
        list->rules[list->n++] = *rule;
}

/* Adds the rule for each engine role that includes the key. */
static void add_rules(const struct company *company, struct rule_list *list,
                      const struct role_key *key, struct company_rule rule)
{
    rule.role = map_find_bytes(&company->roles, key, sizeof *key);
    add_rule(list, &rule);
    for (uint32_t number = company->n_single; number < company->roles.n; number++) {
        const struct role_key *keys = map_key_bytes(&company->roles, number);
        uint32_t n = *(const uint32_t *)map_value(&company->roles, number);

        for (uint32_t i = 0; i < n; i++)
            if (memcmp(&keys[i], key, sizeof *key) == 0) {
                rule.role = number;
                add_rule(list, &rule);
            }
    }
}

static struct company_rule rule_of(bool apart, bool by_cluster, int32_t weight)
{
    return (struct company_rule){.apart = apart,
                                 .level = by_cluster ? COMPANY_CLUSTER : COMPANY_HOST,
                                 .weight = weight * ELIGIBILITY_WEIGHT};
}

static void add_group_rules(const struct company *company, struct rule_list *list,
                            const struct vmgroup_member *member)
{
    const struct vmgroup *group = &company->pool->items[member->group];

    for (size_t i = 0; i < group->n_rules; i++) {
        const struct vmgroup_rule *rule = &group->rules[i];

        if (!(rule->roles & UINT64_C(1) << member->role))
            continue;
        for (uint32_t role = 0; role < group->n_roles; role++) {
            struct role_key key = key_of(company->pool, member->group, role);

            if (rule->roles & UINT64_C(1) << role && !(rule->apart && role == member->role))
                add_rules(company, list, &key,
                          rule_of(rule->apart, group->by_cluster, group->weight));
        }
    }
}

static void add_role_rules(const struct company *company, struct rule_list *list,
                           const struct vmgroup_member *member)
{
    const struct vmgroup_role *role = &company->pool->items[member->group].roles[member->role];
    struct role_key key = key_of(company->pool, member->group, member->role);

    if (role->policy != ROLE_FREE)
        add_rules(company, list, &key,
                  rule_of(role->policy == ROLE_APART, role->by_cluster, role->weight));
}

static struct rule_list *make_list(struct company *company, const struct vmgroup_member *members,
                                   size_t n)
{
    struct rule_list *list = memory_new(1, sizeof *list);

    for (size_t i = 0; i < n; i++) {
        add_role_rules(company, list, &members[i]);
        add_group_rules(company, list, &members[i]);
    }
    return list;
}

static const struct rule_list *list_of(struct company *company,
                                       const struct vmgroup_member *members, size_t n)
{
    struct role_key keys[VMGROUPS_OF_VM_MAX];
    struct rule_list **list;

    for (size_t i = 0; i < n; i++)
        keys[i] = (struct role_key){members[i].group, members[i].role};
    list = map_value(&company->lists, map_add_bytes(&company->lists, keys, n * sizeof *keys));
    if (!*list)
        *list = make_list(company, members, n);
    return *list;
}

enum company_result company_of(struct company *company, int32_t vm, struct vm_demand *demand)
{
    struct role_key keys[VMGROUPS_OF_VM_MAX];
    size_t n;
    const struct vmgroup_member *members = vmgroup_pool_roles_of(company->pool, vm, &n);
    const struct rule_list *list;

    if (!members)
        return COMPANY_NONE;
    n = n < VMGROUPS_OF_VM_MAX ? n : VMGROUPS_OF_VM_MAX;
    list = list_of(company, members, n);
    if (list->n == 0)
        return COMPANY_NONE;
    demand->role = number_of(company, keys, keys_of(company->pool, members, n, keys));
    demand->rules = list->rules;
    demand->n_rules = list->n;
    return list->too_many ? COMPANY_TOO_MANY : COMPANY_RULED;
}

bool company_is_on_one_host(const struct vm_demand *demand)
{
    for (uint32_t i = 0; i < demand->n_rules; i++) {
        const struct company_rule *rule = &demand->rules[i];

        if (rule->role == demand->role && !rule->apart && rule->level == COMPANY_HOST &&
            rule->weight == 0)
            return true;
    }
    return false;
}

uint32_t company_roles(const struct company *company)
{
    return (uint32_t)company->roles.n;
}

void company_add_role(const struct company *company, uint32_t role, char *text, size_t size)
{
    enum { SHOWN_MAX = 48 };
    char name[SHOWN_MAX];
    const struct role_key *key;
    const struct vmgroup *group;

    if (role >= company->roles.n) {
        details_add(text, size, &(struct detail){.id = DETAIL_VM_GROUP});
        return;
    }
    key = map_key_bytes(&company->roles, role);
    group = &company->pool->items[key->group];
    printable(name, sizeof name, group->roles[key->role].name);
    details_add(text, size, &(struct detail){.id = DETAIL_ROLE, .n = {group->id}, .name = name});
}
