/* Which hosts a VM may have, how they are ordered, and why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/eligibility_fixture.h"

static void requirements_and_states(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    assert_hosts(&site, vm_with(&some, NULL, NULL), "0,1,2,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RACK=\"r1\""), "0,2");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "  "), "0,1,2,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "ID=\"0\" | ID=\"1\" & ID=\"1\""),
                 "1");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "SITE=\"paris\""), "2,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "PRIORITY=7"), "2");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "PRIORITY @> 5"), "2,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "CLUSTER_ID=100"), "2,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RACK=\"r4\""), "");
    assert_reason(&site, &some.vm,
                  "none of the 5 hosts can be used: 1 is disabled, offline or in error, 4 do not "
                  "meet SCHED_REQUIREMENTS RACK='r4'");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RCK=\"r1\""), "");
    assert_reason(&site, &some.vm, "no host has an attribute RCK, did you mean 'RACK'?");
    /* Which part no host can meet. */
    assert_hosts(&site,
                 vm_with(&some, "SCHED_REQUIREMENTS", "ID>0 & (RACK=\"r8\" | RACK=r9) & ID<9"), "");
    assert_reason(&site, &some.vm, "; no host meets RACK='r8' | RACK=r9");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "ID<9 & !(ID<8) & ID>1"), "");
    assert_reason(&site, &some.vm, "; no host meets !(ID<8)");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RACK=r1 & FREE_CPU>5000"), "");
    assert_reason(&site, &some.vm, "; no host meets FREE_CPU>5000 at present");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RACK=r1 & ID=3"), "");
    assert_reason(&site, &some.vm,
                  "; each part is met by some host, but no host meets all of them");
    /* The automatic part is not to be got out of. */
    some.automatic = (struct attribute){"AUTOMATIC_REQUIREMENTS", "CLUSTER_ID = 0"};
    vm_with(&some, "SCHED_REQUIREMENTS", "ID=2 | ID=0");
    some.vm.template = (struct attributes){&some.automatic, 1, 0};
    assert_hosts(&site, &some.vm, "0");
    some.attribute.value = "ID=2) | (ID=2";
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "SCHED_REQUIREMENTS 'ID=2) | (ID=2' cannot be read: column 5");
    some.attribute.value = "ID=2";
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm,
                  "2 do not meet OpenNebula's AUTOMATIC_REQUIREMENTS CLUSTER_ID = 0");
    some.attribute.value = "ID=2 & ID<3"; /* host 2 meets it, in the other cluster */
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "2 do not meet SCHED_REQUIREMENTS ID=2 & ID<3");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_null(strstr(eligible.reason, "each part"));
    some.attribute.value = "ID<9";
    some.automatic.value = "(CLUSTER_ID = 0) & !(PUBLIC_CLOUD = YES) & (PIN_POLICY = PINNED)";
    assert_hosts(&site, &some.vm, "");
    assert_reason(
        &site, &some.vm,
        "4 do not meet OpenNebula's AUTOMATIC_REQUIREMENTS; no host meets PIN_POLICY = PINNED");
    some.automatic.value = "CLUSTER_ID = 0";
    /* An empty attribute is there. */
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "BLANK!=\"x\""), "3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "BLANK=\"*\""), "3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "BLANK!=\"\" | BLANK=0"), "");
    vm_with(&some, NULL, NULL)->template = (struct attributes){&some.automatic, 1, 0};
    some.attribute = (struct attribute){"AUTOMATIC_REQUIREMENTS", "ID=3"};
    assert_hosts(&site, &some.vm, "0,1");
    some_site_finish(&site);
}

/* VMs on their way to host 0. */
static void requirements_on_company(void **state)
{
    static const int32_t ids[] = {14, 15};
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, NULL);
    assert_true(eligibility_holds_with(site.eligibility, vm_with(&some, NULL, NULL), 0, ids, 2));
    vm_with(&some, "SCHED_REQUIREMENTS", "RACK=\"r9\"");
    assert_true(eligibility_holds_with(site.eligibility, &some.vm, 0, ids, 2)); /* not of VMs */
    vm_with(&some, "SCHED_REQUIREMENTS", "RACK=\"r1\" & CURRENT_VMS!=15");
    assert_true(eligibility_holds_with(site.eligibility, &some.vm, 0, ids, 1));
    assert_false(eligibility_holds_with(site.eligibility, &some.vm, 0, ids, 2));
    vm_with(&some, "SCHED_REQUIREMENTS", "CURRENT_VMS=15");
    assert_false(eligibility_holds_with(site.eligibility, &some.vm, 0, ids, 1));
    assert_true(eligibility_holds_with(site.eligibility, &some.vm, 0, ids, 2));
    some_site_finish(&site);
}

static void requirements_on_figures(void **state)
{
    struct attribute figures[] = {{"WATTS", "150"}, {"RACK", "r9"}};
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, NULL);
    site.hosts.items[1].figures = (struct attributes){.items = figures, .n = 2};
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "WATTS>100"), "1");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RACK=\"r9\""),
                 ""); /* its RACK wins */
    assert_true(eligibility_holds_with(
        site.eligibility, vm_with(&some, "SCHED_REQUIREMENTS", "WATTS>100 & CURRENT_VMS!=7"), 1,
        NULL, 0));
    some_site_finish(&site);
}

static void set_free_cpu(struct some_site *site, size_t host, const char *value)
{
    struct attributes *attributes = &site->hosts.items[host].attributes;

    for (size_t i = 0; i < attributes->n; i++)
        if (strcmp(attributes->items[i].name, "FREE_CPU") == 0)
            attributes->items[i].value = value;
}

/* Only requirements that were asked for and name figures that change are looked at again, and only
 * their answers matter. */
static void figures_that_change_are_compared_by_answers(void **state)
{
    struct some_vm some;
    struct some_site site, later;

    some_site_init(&site, NULL, NULL);
    some_site_init(&later, NULL, NULL);
    set_free_cpu(&later, 1, "900");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "FREE_CPU>250"), "3");
    assert_false(eligibility_follow(site.eligibility, &later.hosts));
    set_free_cpu(&later, 1, "240");
    assert_true(eligibility_follow(site.eligibility, &later.hosts));
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "FREE_CPU>230"), "1,3");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RUNNING_VMS<1"), "2");
    assert_true(eligibility_follow(site.eligibility, &later.hosts));
    set_free_cpu(&later, 1, "220");
    assert_false(eligibility_follow(site.eligibility, &later.hosts));
    some_site_finish(&site);
    some_site_finish(&later);
}

static void faults_are_told_apart(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    eligibility_of(site.eligibility, vm_with(&some, "SCHED_REQUIREMENTS", "RACK==\"r1\""),
                   &eligible);
    assert_true(eligible.malformed);
    assert_null(eligible.filter);
    eligibility_of(site.eligibility, vm_with(&some, "SCHED_RANK", "FREE_CPU +"), &eligible);
    assert_false(eligible.malformed);
    assert_true(eligible.rank_ignored);
    assert_int_equal(eligible.n_hosts, 4);
    assert_int_equal(eligible.filter->rank_per_vm, -1);
    assert_non_null(strstr(eligible.reason, "SCHED_RANK 'FREE_CPU +' cannot be read: column 11"));
    vm_with(&some, NULL, NULL)->hardware =
        &(struct vm_hardware){.fault = "its PCI/VENDOR cannot be read"};
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.malformed);
    assert_null(eligible.filter);
    assert_string_equal(eligible.reason, "its PCI/VENDOR cannot be read");
    some_site_finish(&site);
}

static int64_t rank_of(const struct some_site *site, const struct vm *vm, uint32_t host)
{
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    assert_non_null(eligible.filter);
    return (eligible.filter->rank ? host_rank_of(eligible.filter->rank, host) : 0) +
           eligible.filter->rank_per_vm * site->hosts.items[host].running_vms;
}

static void policies_order_hosts(void **state)
{
    static const struct {
        struct eligibility_settings settings;
        int64_t ranks[4], per_vm;
    } cases[] = {
        {{.policy = HOST_POLICY_PACKING}, {3, 1, 0, 2}, 1},
        {{.policy = HOST_POLICY_STRIPING}, {-3, -1, 0, -2}, -1},
        {{.policy = HOST_POLICY_LOAD_AWARE}, {0, 100, 200, 300}, -100},
        {{.policy = HOST_POLICY_CUSTOM, .rank = "FREE_CPU/100 - 10 * RUNNING_VMS"},
         {-30, -9, 2, -17},
         -10},
        {{.policy = HOST_POLICY_FIXED}, {0, 0, 7, 5}, 0},
        {{.policy = HOST_POLICY_MODULE}, {0, 0, 0, 0}, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct some_site site;
        struct eligible eligible;

        some_site_init(&site, NULL, &cases[i].settings);
        vm_with(&some, NULL, NULL);
        eligibility_of(site.eligibility, &some.vm, &eligible);
        assert_int_equal(eligible.filter->rank_per_vm, cases[i].per_vm);
        for (size_t host = 0; host < 4; host++)
            assert_int_equal(rank_of(&site, &some.vm, host), cases[i].ranks[host]);
        some_site_finish(&site);
    }
}

static void wrong_policies_are_refused(void **state)
{
    static const struct {
        struct eligibility_settings settings;
        const char *part;
    } cases[] = {
        {{.policy = HOST_POLICY_CUSTOM, .rank = "FREE_CPU +"}, "cannot be read: column 11"},
        {{.policy = HOST_POLICY_CUSTOM}, "requires a rank expression"},
        {{.policy = (enum host_policy)9}, "unknown host policy 9"},
        {{.datastore_policy = PLACEMENT_CUSTOM, .datastore_rank = "FREE_MB *"},
         "of the datastore policy cannot be read: column 10"},
        {{.datastore_policy = PLACEMENT_CUSTOM}, "the datastore policy 'custom' requires a rank"},
        {{.datastore_policy = (enum placement_policy)4}, "unknown datastore policy 4"},
    };
    const struct host_pool none = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};

        assert_null(eligibility_create(&(struct eligibility_site){.hosts = &none},
                                       &cases[i].settings, &err));
        assert_non_null(strstr(err.text, cases[i].part));
    }
}

static void ranks_of_a_vm_beat_the_policy(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, "SCHED_RANK", "-ID");
    assert_int_equal(rank_of(&site, &some.vm, 2), -2);
    vm_with(&some, "RANK", "ID*2"); /* as it was called once */
    assert_int_equal(rank_of(&site, &some.vm, 2), 4);
    /* A rank that counts VMs goes on counting while a plan is made. */
    vm_with(&some, "SCHED_RANK", "100 - (2*RUNNING_VMS - ID)/2*4");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.filter->rank_per_vm, -4);
    assert_int_equal(rank_of(&site, &some.vm, 3), 100 - (2 * 2 - 3) * 2);
    vm_with(&some, "SCHED_RANK", "RUNNING_VMS*RUNNING_VMS");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.filter->rank_per_vm, 0);
    assert_int_equal(host_rank_of(eligible.filter->rank, 0), 9);
    vm_with(&some, "SCHED_RANK", "10/RUNNING_VMS");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_int_equal(host_rank_of(eligible.filter->rank, 2), RANK_LOWEST);
    some_site_finish(&site);
}

static void equal_wishes_share_their_answer(void **state)
{
    struct some_vm some[3];
    struct some_site site;
    struct eligible eligible[3];

    some_site_init(&site, NULL, NULL);
    vm_with(&some[0], "SCHED_REQUIREMENTS", "RACK=\"r1\"");
    vm_with(&some[1], "SCHED_REQUIREMENTS", "RACK=\"r1\"");
    vm_with(&some[2], "SCHED_REQUIREMENTS", "RACK!=\"r2\" & !(RACK=\"r3\")");
    for (int i = 0; i < 3; i++)
        eligibility_of(site.eligibility, &some[i].vm, &eligible[i]);
    assert_ptr_equal(eligible[0].filter, eligible[1].filter);
    assert_ptr_equal(eligible[0].filter->allowed, eligible[2].filter->allowed);
    some_site_finish(&site);
}

/* One owner cannot make all others wait. */
static void what_an_owner_may_cost_is_bounded(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;
    size_t accepted = 0, length = 8000;
    char *text = malloc(length + 1);

    assert_non_null(text);
    some_site_init(&site, NULL, NULL);
    memset(text, ' ', length);
    text[length] = '\0';
    for (int i = 0; i < 200; i++) {
        text[snprintf(text, 32, "ID<%-8d", i + 1)] = ' ';
        eligibility_of(site.eligibility, vm_with(&some, "SCHED_REQUIREMENTS", text), &eligible);
        accepted += eligible.filter != NULL;
    }
    assert_int_equal(accepted, (1 << 20) / length);
    assert_true(eligible.malformed);
    assert_sentence(eligible.reason, "the waiting VMs of user 5 have more than");
    text[snprintf(text, 32, "ID<%-8d", 1)] = ' '; /* seen before */
    assert_hosts(&site, &some.vm, "0");
    text[snprintf(text, 32, "ID<%-8d", 200)] = ' '; /* of somebody else */
    some.vm.uid = 6;
    assert_hosts(&site, &some.vm, "0,1,2,3");
    free(text);
    some_site_finish(&site);
}

static void no_hosts_at_all(void **state)
{
    static const struct eligibility_settings settings = {.policy = HOST_POLICY_LOAD_AWARE};
    const struct host_pool none = {0};
    struct eligibility *eligibility =
        eligibility_create(&(struct eligibility_site){.hosts = &none}, &settings, NULL);
    struct eligible eligible;
    struct some_vm some;

    assert_non_null(eligibility);
    eligibility_of(eligibility, vm_with(&some, "SCHED_REQUIREMENTS", "!RACK=r1"), &eligible);
    assert_int_equal(eligible.n_hosts, 0);
    assert_sentence(eligible.reason, "OpenNebula has no hosts");
    eligibility_destroy(eligibility);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_on_company),
        cmocka_unit_test(requirements_and_states),
        cmocka_unit_test(requirements_on_figures),
        cmocka_unit_test(figures_that_change_are_compared_by_answers),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(policies_order_hosts),
        cmocka_unit_test(wrong_policies_are_refused),
        cmocka_unit_test(ranks_of_a_vm_beat_the_policy),
        cmocka_unit_test(equal_wishes_share_their_answer),
        cmocka_unit_test(what_an_owner_may_cost_is_bounded),
        cmocka_unit_test(no_hosts_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
