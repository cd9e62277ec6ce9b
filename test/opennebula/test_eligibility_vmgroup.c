/* Hosts and clusters that roles of VM groups name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/eligibility_fixture.h"

/* The VM of the fixture has id 1; hosts 0, 1 are in cluster 0, hosts 2, 3 in cluster 100. */
static void use_role(struct some_site *site, struct vmgroup_pool *pool, const char *attributes)
{
    char document[1024];
    struct error err = {0};

    some_site_init(site, NULL, NULL);
    snprintf(document, sizeof document,
             "<VM_GROUP_POOL><VM_GROUP><ID>3</ID><ROLES><ROLE><ID>0</ID><NAME>web</NAME>"
             "<VMS>1</VMS>%s</ROLE></ROLES></VM_GROUP></VM_GROUP_POOL>",
             attributes);
    if (vmgroup_pool_parse(pool, document, strlen(document), &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(pool->errors.n, 0);
    eligibility_use_vmgroups(site->eligibility, pool);
}

static void lists_name_hosts(void **state)
{
    static const struct {
        const char *attributes, *hosts;
    } cases[] = {
        {"", "0,1,2,3"},
        {"<HOST_AFFINED>1,3,99</HOST_AFFINED>", "1,3"},
        {"<HOST_ANTI_AFFINED>1,3</HOST_ANTI_AFFINED>", "0,2"},
        {"<HOST_AFFINED>0,1</HOST_AFFINED><HOST_ANTI_AFFINED>1</HOST_ANTI_AFFINED>", "0"},
        {"<GALERNA_CLUSTER_AFFINED>100</GALERNA_CLUSTER_AFFINED>", "2,3"},
        {"<GALERNA_CLUSTER_ANTI_AFFINED>100</GALERNA_CLUSTER_ANTI_AFFINED>", "0,1"},
        {"<GALERNA_CLUSTER_AFFINED>100</GALERNA_CLUSTER_AFFINED>"
         "<HOST_ANTI_AFFINED>2</HOST_ANTI_AFFINED>",
         "3"},
        {"<HOST_AFFINED>4</HOST_AFFINED>", ""}, /* it is offline */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vmgroup_pool pool;
        struct some_site site;
        struct some_vm some;

        use_role(&site, &pool, cases[i].attributes);
        assert_hosts(&site, vm_with(&some, NULL, NULL), cases[i].hosts);
        vm_with(&some, NULL, NULL)->id = 2; /* in no group */
        assert_hosts(&site, &some.vm, "0,1,2,3");
        some_site_finish(&site);
        vmgroup_pool_finish(&pool);
    }
}

static void the_reason_names_the_role(void **state)
{
    struct vmgroup_pool pool;
    struct some_site site;
    struct some_vm some;

    use_role(&site, &pool, "<HOST_AFFINED>2</HOST_AFFINED>");
    assert_reason(&site, vm_with(&some, "SCHED_REQUIREMENTS", "ID=0"),
                  "3 are excluded by role web of VM group 3, 1 does not meet SCHED_REQUIREMENTS");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "ID=2"), "2");
    some_site_finish(&site);
    vmgroup_pool_finish(&pool);
}

static void ranks_of(struct some_site *site, const struct vm *vm, int64_t *ranks)
{
    const uint32_t hosts[] = {0, 1, 2, 3};
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    assert_non_null(eligible.filter);
    host_rank_evaluate(eligible.filter->rank, hosts, 4, ranks);
}

/* With a weight all hosts may be used; those in the lists come first, whatever the rank. */
static void weights_make_preferences(void **state)
{
    struct vmgroup_pool pool;
    struct some_site site;
    struct some_vm some;
    int64_t ranks[4];

    use_role(&site, &pool,
             "<HOST_AFFINED>0,1,2</HOST_AFFINED><HOST_ANTI_AFFINED>1</HOST_ANTI_AFFINED>"
             "<GALERNA_WEIGHT>2</GALERNA_WEIGHT>");
    assert_hosts(&site, vm_with(&some, NULL, NULL), "0,1,2,3");
    ranks_of(&site, vm_with(&some, "SCHED_RANK", "FREE_CPU"), ranks);
    assert_true(ranks[2] > ranks[0] && ranks[0] > ranks[3] && ranks[3] > ranks[1]);
    assert_int_equal(ranks[2] - ranks[0], 200);
    assert_int_equal(ranks[2] - ranks[3], 2 * ELIGIBILITY_WEIGHT - 100);
    some_site_finish(&site);
    vmgroup_pool_finish(&pool);
}

/* A VM whose group is not known waits: its rules are not known either. */
static void groups_that_are_not_known(void **state)
{
    struct vmgroup_pool pool;
    struct some_site site;
    struct some_vm some;
    struct eligible eligible;

    use_role(&site, &pool, "");
    vm_with(&some, NULL, NULL)->in_vmgroup = true;
    some.vm.vmgroup = 3;
    assert_hosts(&site, &some.vm, "0,1,2,3");
    some.vm.id = 2;
    some.vm.vmgroup = 4;
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_null(eligible.filter);
    assert_sentence(eligible.reason, "its VM group 4 could not be read from OpenNebula");
    eligibility_use_vmgroups(site.eligibility, NULL);
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_null(eligible.filter);
    some_site_finish(&site);
    vmgroup_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_name_hosts),
        cmocka_unit_test(the_reason_names_the_role),
        cmocka_unit_test(weights_make_preferences),
        cmocka_unit_test(groups_that_are_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
