/* VM groups as roles and rules of the engine, and rules that VMs on hosts break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/eligibility.h"
#include "daemon/live/broken_rules.h"
#include "daemon/planner/company.h"
#include "util/memory.h"

/* --- groups ----------------------------------------------------------------------------------- */

enum { ROLES_MOST = 4, MEMBERS_MOST = 8 };

struct some_role {
    enum role_policy policy;
    int32_t weight;
    bool by_cluster;
    int32_t not_host; /* 0: any */
    int32_t vms[MEMBERS_MOST];
};

struct some_group {
    struct some_role roles[ROLES_MOST];
    struct vmgroup_rule rules[ROLES_MOST];
    int32_t weight;
    bool by_cluster;
};

/* Groups 0, 1, ... of ROLES_MOST roles "r0", "r1", ... each; VMs are not 0. */
static void fill_pool(struct vmgroup_pool *pool, struct some_group *groups, size_t n)
{
    static const char *const names[ROLES_MOST] = {"r0", "r1", "r2", "r3"};

    *pool = (struct vmgroup_pool){.items = memory_new(n, sizeof *pool->items), .n = n};
    for (size_t i = 0; i < n; i++) {
        struct vmgroup *group = &pool->items[i];

        *group = (struct vmgroup){.id = (int32_t)i,
                                  .name = "app",
                                  .weight = groups[i].weight,
                                  .by_cluster = groups[i].by_cluster,
                                  .roles = memory_new(ROLES_MOST, sizeof *group->roles),
                                  .n_roles = ROLES_MOST,
                                  .rules = groups[i].rules};
        while (group->n_rules < ROLES_MOST && group->rules[group->n_rules].roles)
            group->n_rules++;
        for (size_t j = 0; j < ROLES_MOST; j++) {
            struct some_role *from = &groups[i].roles[j];

            group->roles[j] =
                (struct vmgroup_role){.id = (int32_t)j,
                                      .name = names[j],
                                      .policy = from->policy,
                                      .weight = from->weight,
                                      .by_cluster = from->by_cluster,
                                      .not_hosts = {&from->not_host, !!from->not_host},
                                      .vms.ids = from->vms};
            while (group->roles[j].vms.n < MEMBERS_MOST && from->vms[group->roles[j].vms.n])
                group->roles[j].vms.n++;
        }
    }
    vmgroup_pool_index(pool);
}

static void free_pool(struct vmgroup_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++)
        free(pool->items[i].roles);
    vmgroup_pool_finish(pool);
}

/* --- rules ------------------------------------------------------------------------------------ */

static const struct company_rule *rule_about(const struct vm_demand *demand, uint32_t role)
{
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == role)
            return &demand->rules[i];
    return NULL;
}

static struct vm_demand ruled(struct company *company, int32_t vm)
{
    struct vm_demand demand = {.role = DEMAND_ANY};

    assert_int_equal(company_of(company, vm, &demand), COMPANY_RULED);
    return demand;
}

static void assert_rule(const struct vm_demand *of, const struct vm_demand *about, bool apart,
                        enum company_level level, int64_t weight)
{
    const struct company_rule *rule = rule_about(of, about->role);

    assert_non_null(rule);
    assert_int_equal(rule->apart, apart);
    assert_int_equal(rule->level, level);
    assert_int_equal(rule->weight, weight * ELIGIBILITY_WEIGHT);
}

static void policies_of_roles(void **state)
{
    struct some_group groups[] = {
        {.roles = {{.policy = ROLE_APART, .vms = {1, 2}},
                   {.policy = ROLE_TOGETHER, .weight = 7, .by_cluster = true, .vms = {3}},
                   {.vms = {4}},
                   {.policy = ROLE_TOGETHER, .vms = {5}}}},
    };
    struct vmgroup_pool pool;
    struct company *company;
    struct vm_demand one, two, three, five, four = {.role = DEMAND_ANY};
    char text[64];

    fill_pool(&pool, groups, 1);
    company = company_create(&pool);
    one = ruled(company, 1);
    two = ruled(company, 2);
    three = ruled(company, 3);
    five = ruled(company, 5);
    assert_int_equal(one.role, two.role);
    assert_int_equal(one.n_rules, 1);
    assert_rule(&one, &two, true, COMPANY_HOST, 0);
    assert_false(company_is_on_one_host(&one));
    assert_rule(&three, &three, false, COMPANY_CLUSTER, 7);
    assert_false(company_is_on_one_host(&three));
    assert_rule(&five, &five, false, COMPANY_HOST, 0);
    assert_true(company_is_on_one_host(&five));
    assert_int_equal(company_of(company, 4, &four), COMPANY_NONE);
    assert_int_equal(company_of(company, 99, &four), COMPANY_NONE);
    assert_int_equal(four.role, DEMAND_ANY);
    text[0] = '\0';
    company_add_role(company, one.role, text, sizeof text);
    assert_string_equal(text, "\nrole 0 r0");
    company_destroy(company);
    free_pool(&pool);
}

static void rules_between_roles(void **state)
{
    struct some_group groups[] = {
        /* r0, r1 and r2 on one host, by two rules; apart from r3, which may share hosts. */
        {.roles =
             {{.vms = {1}}, {.vms = {2}}, {.policy = ROLE_TOGETHER, .vms = {3}}, {.vms = {4, 5}}},
         .rules = {{false, 1 << 0 | 1 << 1}, {false, 1 << 1 | 1 << 2}}},
        {.roles = {{.vms = {11}}, {.vms = {12}}, {.vms = {13}}},
         .rules = {{true, 1 << 0 | 1 << 1}, {true, 1 << 0 | 1 << 2}}},
        {.roles = {{.vms = {21}}, {.vms = {22}}}, .rules = {{false, 1 << 0 | 1 << 1}}, .weight = 3},
    };
    struct vmgroup_pool pool;
    struct company *company;
    struct vm_demand one, two, three, a, b, c, soft, other;

    fill_pool(&pool, groups, 3);
    company = company_create(&pool);
    one = ruled(company, 1);
    two = ruled(company, 2);
    three = ruled(company, 3);
    assert_int_equal(one.role, two.role);
    assert_int_equal(one.role, three.role);
    assert_int_equal(one.n_rules, 1);
    assert_int_equal(three.n_rules, 1);
    assert_true(company_is_on_one_host(&one) && company_is_on_one_host(&three));

    a = ruled(company, 11);
    b = ruled(company, 12);
    c = ruled(company, 13);
    assert_int_equal(a.n_rules, 2);
    assert_rule(&a, &b, true, COMPANY_HOST, 0);
    assert_rule(&a, &c, true, COMPANY_HOST, 0);
    assert_rule(&b, &a, true, COMPANY_HOST, 0);
    assert_null(rule_about(&b, c.role));
    assert_null(rule_about(&a, a.role)); /* VMs of one role may share a host */

    soft = ruled(company, 21);
    other = ruled(company, 22);
    assert_int_not_equal(soft.role, other.role);
    assert_rule(&soft, &other, false, COMPANY_HOST, 3);
    assert_rule(&soft, &soft, false, COMPANY_HOST, 3);
    assert_false(company_is_on_one_host(&soft));
    company_destroy(company);
    free_pool(&pool);
}

/* OpenNebula 7.4 can put a VM into two groups: the rules of both hold, for it and for others. */
static void several_groups(void **state)
{
    struct some_group groups[] = {
        {.roles = {{.policy = ROLE_APART, .vms = {1, 2}}}},
        {.roles = {{.policy = ROLE_APART, .vms = {2, 3}}}},
    };
    struct vmgroup_pool pool;
    struct company *company;
    struct vm_demand one, two, three;

    fill_pool(&pool, groups, 2);
    company = company_create(&pool);
    one = ruled(company, 1);
    two = ruled(company, 2);
    three = ruled(company, 3);
    assert_rule(&one, &two, true, COMPANY_HOST, 0);
    assert_rule(&two, &one, true, COMPANY_HOST, 0);
    assert_rule(&two, &three, true, COMPANY_HOST, 0);
    assert_rule(&three, &two, true, COMPANY_HOST, 0);
    assert_null(rule_about(&one, three.role));
    assert_non_null(rule_about(&one, one.role)); /* another VM of group 0 alone */
    company_destroy(company);
    free_pool(&pool);
}

/* --- changes ---------------------------------------------------------------------------------- */

static bool is_small(void *context, int32_t vm)
{
    return vm < 10;
}

static bool can_follow(struct some_group *old, struct some_group *new, size_t n)
{
    struct vmgroup_pool before, after;
    bool result;

    fill_pool(&before, old, n);
    fill_pool(&after, new, n);
    result = company_can_follow(&before, &after, is_small, NULL);
    assert_int_equal(company_can_follow(&after, &before, is_small, NULL), result);
    free_pool(&before);
    free_pool(&after);
    return result;
}

static void changes_of_plans(void **state)
{
    struct some_group first = {.roles = {{.policy = ROLE_APART, .vms = {1, 12}}, {.vms = {3}}},
                               .rules = {{true, 1 << 0 | 1 << 1}}};
    struct some_group second = first;

    assert_true(can_follow(&first, &second, 1));
    second.roles[0].vms[1] = 15; /* VMs come and go that no plan knows */
    assert_true(can_follow(&first, &second, 1));
    second.roles[0].vms[1] = 0;
    assert_true(can_follow(&first, &second, 1));
    second.roles[0].vms[0] = 2;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.roles[1].vms[1] = 4;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.roles[0].vms[1] = 0;
    second.roles[1].vms[1] = 1; /* from one role into another */
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.roles[1].policy = ROLE_TOGETHER;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.roles[1].not_host = 3;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.rules[0].apart = false;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.weight = 1;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.by_cluster = true;
    assert_false(can_follow(&first, &second, 1));
    second = first;
    second.roles[1].vms[1] = 12; /* now in two roles */
    assert_false(can_follow(&first, &second, 1));
}

/* --- broken rules ----------------------------------------------------------------------------- */

/* VM 20 is on host 2, VM 21 on host 2, VM 30 on host 3, ...; below 10: on none. Cluster: the host's
 * half. */
static int32_t host_of(void *context, int32_t vm)
{
    return vm < 10 ? -1 : vm / 10;
}

static int32_t cluster_of(void *context, int32_t host)
{
    return host / 2;
}

static void note_broken(void *context, const struct broken_rule *rule)
{
    char *text = context;

    sprintf(text + strlen(text), "%d%c%d/%s ", rule->vm, rule->apart ? '!' : '=', rule->other,
            rule->role);
}

static void assert_broken(struct some_group group, const char *expected)
{
    const struct rule_places places = {.host_of = host_of, .cluster_of = cluster_of};
    struct vmgroup_pool pool;
    char text[400] = "";

    fill_pool(&pool, &group, 1);
    broken_rules_each(&pool, &places, note_broken, text);
    assert_string_equal(text, expected);
    free_pool(&pool);
}

/* VM 21 is to move to host 5. */
static int32_t next_host_of(void *context, int32_t vm)
{
    return vm == 21 ? 5 : -1;
}

/* VM 21 migrates from host 7. */
static int32_t left_host_of(void *context, int32_t vm)
{
    return vm == 21 ? 7 : -1;
}

static bool may_move(enum role_policy policy, bool others_move, int32_t host)
{
    const struct rule_places places = {.host_of = host_of,
                                       .cluster_of = cluster_of,
                                       .next_host_of = others_move ? next_host_of : NULL,
                                       .other_host_of = others_move ? left_host_of : NULL};
    struct some_group group = {.roles = {{.policy = policy, .vms = {20, 21}}}};
    struct vmgroup_pool pool;
    bool breaks;

    fill_pool(&pool, &group, 1);
    breaks = would_break_rule(&pool, &places, 20, host);
    free_pool(&pool);
    return !breaks;
}

static void those_together_follow_each_other(void **state)
{
    assert_true(may_move(ROLE_TOGETHER, false, 2));
    assert_false(may_move(ROLE_TOGETHER, false, 5));
    assert_true(may_move(ROLE_TOGETHER, true, 5));
    assert_false(may_move(ROLE_TOGETHER, true, 6));
    assert_false(may_move(ROLE_APART, true, 2));
    assert_true(may_move(ROLE_APART, true, 6));
}

static void those_apart_wait_for_a_migration(void **state)
{
    assert_true(may_move(ROLE_APART, false, 7));
    assert_false(may_move(ROLE_APART, true, 7));
    assert_false(may_move(ROLE_TOGETHER, true, 7));
}

static void broken_rules_are_found(void **state)
{
    assert_broken((struct some_group){.roles = {{.policy = ROLE_APART, .vms = {1, 2, 20, 30}}}},
                  "");
    assert_broken((struct some_group){.roles = {{.policy = ROLE_APART, .vms = {20, 21, 30, 22}}}},
                  "21!20/r0 22!20/r0 ");
    assert_broken((struct some_group){.roles = {{.policy = ROLE_TOGETHER, .vms = {1, 20, 21}}}},
                  "");
    assert_broken((struct some_group){.roles = {{.policy = ROLE_TOGETHER, .vms = {20, 21, 40}}}},
                  "40=20/r0 ");
    assert_broken(
        (struct some_group){.roles = {{.policy = ROLE_TOGETHER, .weight = 1, .vms = {20, 30}}}},
        "");
    assert_broken(
        (struct some_group){
            .roles = {{.policy = ROLE_TOGETHER, .by_cluster = true, .vms = {20, 30, 40}}}},
        "40=20/r0 ");
    assert_broken((struct some_group){.roles = {{.not_host = 2, .vms = {20, 30}}}}, "20!-1/r0 ");
    assert_broken(
        (struct some_group){.roles = {{.vms = {20, 21}}, {.vms = {30}}}, .rules = {{true, 3}}}, "");
    assert_broken((struct some_group){.roles = {{.vms = {20, 21, 30}}, {.vms = {22, 31}}},
                                      .rules = {{true, 3}}},
                  "22!20/r1 31!30/r1 ");
    assert_broken((struct some_group){.roles = {{.vms = {20}}, {.vms = {21}}, {.vms = {30}}},
                                      .rules = {{false, 7}}},
                  "30=20/r2 ");
    assert_broken((struct some_group){.roles = {{.vms = {20}}, {.vms = {30}}},
                                      .rules = {{false, 3}},
                                      .weight = 5},
                  "");
    assert_broken((struct some_group){.roles = {{.vms = {20}}, {.vms = {30}}},
                                      .rules = {{true, 3}},
                                      .by_cluster = true},
                  "30!20/r1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_of_roles),
        cmocka_unit_test(rules_between_roles),
        cmocka_unit_test(several_groups),
        cmocka_unit_test(changes_of_plans),
        cmocka_unit_test(broken_rules_are_found),
        cmocka_unit_test(those_together_follow_each_other),
        cmocka_unit_test(those_apart_wait_for_a_migration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
