/* Which networks the automatic NICs of a VM get, and which hosts it may have for want of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/eligibility_fixture.h"

/* "1 2": the networks that its NICs get on host 0; "": none, for that reason. */
static void assert_networks(const struct some_site *site, const struct vm *vm, const char *expected,
                            const char *reason)
{
    struct nic_choice choices[VM_NICS_MAX];
    char text[256] = "", got[64] = "";
    size_t length = 0;

    if (eligibility_networks(site->eligibility, vm, 0, choices, text, sizeof text) == 0)
        for (size_t i = 0; i < vm->n_nics; i++) {
            assert_int_equal(choices[i].nic, vm->nics[i].id);
            length += (size_t)snprintf(got + length, sizeof got - length, "%s%d", i ? " " : "",
                                       choices[i].network);
        }
    assert_string_equal(got, expected);
    assert_sentence(text, reason);
}

static void requirements_ranks_and_rights(void **state)
{
    struct vm_nic nics[] = {{.id = 0}, {.id = 2}};
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site,
                   "<ACL_POOL><ACL><ID>1</ID><USER>400000000</USER><RESOURCE>102400000000"
                   "</RESOURCE><RIGHTS>3</RIGHTS><ZONE>400000000</ZONE></ACL></ACL_POOL>",
                   NULL);
    vm_with(&some, NULL, NULL);
    some.vm.nics = nics;
    some.vm.n_nics = 1;
    assert_hosts(&site, &some.vm, "0,1"); /* all of cluster 100 are full or not permitted */
    assert_networks(&site, &some.vm, "1", "");
    nics[0].rank = "ID";
    assert_networks(&site, &some.vm, "2", "");
    nics[0].requirement = "KIND=\"public\"";
    assert_networks(&site, &some.vm, "1", "");
    nics[0].requirement = "KIND=\"full\"";
    assert_hosts(&site, &some.vm, "");
    assert_reason(
        &site, &some.vm,
        "4 are in clusters without networks for the VM; no network suits automatic NIC 1 of 1: 1 "
        "is not permitted to the owner (USE), 2 do not meet its SCHED_REQUIREMENTS, 1 has no free "
        "address");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.lacks_room);
    site.networks.n = 0;
    nics[0].requirement = "KIND=\"none\"";
    assert_hosts(&site, &some.vm, "");
    assert_reason(
        &site, &some.vm,
        "4 are in clusters without networks for the VM; OpenNebula has no virtual networks");
    site.networks.n = 4;
    nics[0].requirement = "KIND=\"full\"";
    eligibility_of_later(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.n_hosts, 4); /* addresses may be free by then */
    nics[0].requirement = "KIND=";
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.malformed);
    assert_non_null(strstr(eligible.reason, "SCHED_REQUIREMENTS of a NIC 'KIND='"));
    nics[0] = (struct vm_nic){.id = 0, .rank = "ID +"};
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.rank_ignored);
    assert_networks(&site, &some.vm, "1", "");
    some.automatic = (struct attribute){"AUTOMATIC_NIC_REQUIREMENTS", "(\"CLUSTERS/ID\" @> 100)"};
    some.vm.template = (struct attributes){&some.automatic, 1, 0};
    assert_hosts(&site, &some.vm, "");
    some_site_finish(&site);
}

/* OpenNebula wrote no clusters, since the VM got its network when it was placed. */
static void a_vm_moves_only_where_its_network_is(void **state)
{
    static int32_t networks[] = {4};
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL);
    some.automatic =
        (struct attribute){"AUTOMATIC_REQUIREMENTS", "!(PIN_POLICY = PINNED) | ID = 0"};
    some.vm.template = (struct attributes){&some.automatic, 1, 0};
    assert_hosts(&site, &some.vm, "0,1,2,3");
    some.vm.networks = networks;
    some.vm.n_networks = 1;
    assert_hosts(&site, &some.vm, "2,3"); /* network 4 is in 100 */
    some.vm.template = (struct attributes){0};
    assert_hosts(&site, &some.vm, "2,3");
    some_site_finish(&site);
}

/* The clusters that OpenNebula wrote into a VM are those of its networks and images at that time.
 */
static void clusters_are_put_up_to_date(void **state)
{
    static const char old[] = "(CLUSTER_ID = 0) & !(PIN_POLICY = PINNED)";
    int32_t networks[] = {3, 4};
    struct vm_image_room image = {.datastore = 7};
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL);
    some.automatic = (struct attribute){"AUTOMATIC_REQUIREMENTS", old};
    some.vm.template = (struct attributes){&some.automatic, 1, 0};
    assert_hosts(&site, &some.vm, "0,1"); /* no networks, no images: as written */
    some.vm.networks = networks;
    some.vm.n_networks = 1;
    assert_hosts(&site, &some.vm, "0,1,2,3"); /* network 3 is in 0 and 100 */
    some.vm.n_networks = 2;
    assert_hosts(&site, &some.vm, "2,3");
    some.vm.n_networks = 1;
    some.vm.images = &image;
    some.vm.n_images = 1;
    assert_hosts(&site, &some.vm, "0,1"); /* and datastore 7 in 0 */
    networks[0] = 55;
    assert_hosts(&site, &some.vm, "0,1"); /* unknown: as written */
    networks[0] = 4;
    assert_hosts(&site, &some.vm, "0,1"); /* in no cluster together: as written */
    some.vm.n_images = 0;
    some.vm.has_os_files = true;
    assert_hosts(&site, &some.vm, "0,1");
    some_site_finish(&site);
}

static void policies(void **state)
{
    static const struct {
        struct eligibility_settings settings;
        const char *one, *two;
    } cases[] = {
        {{.network_policy = PLACEMENT_PACKING}, "2", "2 2"},
        {{.network_policy = PLACEMENT_STRIPING}, "1", "1 1"},
        {{.network_policy = PLACEMENT_STRIPING, .different_networks = true}, "1", "1 2"},
        {{.network_policy = PLACEMENT_CUSTOM, .network_rank = "USED_LEASES"}, "2", "2 2"},
        {{.network_policy = PLACEMENT_FIXED, .different_networks = true}, "1", "1 2"},
    };
    struct vm_nic nics[] = {{.id = 0}, {.id = 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct some_site site;

        some_site_init(&site, NULL, &cases[i].settings);
        vm_with(&some, NULL, NULL)->nics = nics;
        some.vm.n_nics = 1;
        assert_networks(&site, &some.vm, cases[i].one, "");
        some.vm.n_nics = 2;
        assert_networks(&site, &some.vm, cases[i].two, "");
        some_site_finish(&site);
    }
}

static void promised_addresses_are_taken(void **state)
{
    static const struct eligibility_settings settings = {.network_policy = PLACEMENT_STRIPING,
                                                         .different_networks = true};
    struct vm_nic nics[] = {{.id = 0}, {.id = 1, .requirement = "KIND=\"public\""}};
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, &settings);
    vm_with(&some, NULL, NULL)->nics = nics;
    some.vm.n_nics = 2;
    assert_networks(&site, &some.vm, "2 1", ""); /* the first likes 1 better, and leaves it */
    eligibility_promise_address(site.eligibility, 1);
    assert_networks(&site, &some.vm, "2 1", "");
    eligibility_promise_address(site.eligibility, 1);
    assert_networks(&site, &some.vm, "",
                    "no network suits automatic NIC 2 of 2: 1 is in other clusters,");
    assert_hosts(&site, &some.vm, "");
    nics[1].requirement = nics[0].requirement = "KIND=\"private\"";
    assert_networks(&site, &some.vm, "", "too few networks, each in another one, for its 2");
    some_site_finish(&site);
}

static void nobody_may_ask_for_too_much(void **state)
{
    static struct vm_nic nics[VM_NICS_MAX + 1];
    static char texts[100][1024];
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL)->nics = nics;
    some.vm.n_nics = VM_NICS_MAX + 1;
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.malformed);
    assert_sentence(eligible.reason, "more than 64 NICs");
    some.vm.n_nics = VM_NICS_MAX;
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_false(eligible.malformed);
    some.vm.n_nics = 1;
    for (size_t i = 0; i < 100; i++) {
        snprintf(texts[i], sizeof texts[i], "ID!=%zu%1000s", 1000 + i, "");
        nics[0].requirement = texts[i];
        eligibility_of(site.eligibility, &some.vm, &eligible);
        if (eligible.malformed)
            break;
    }
    assert_sentence(eligible.reason, "waiting VMs of user 5 have more than 65536 bytes");
    some_site_finish(&site);
}

/* --- against all assignments ------------------------------------------------------------------ */

enum { NICS = 4, NETWORKS = 4 };

struct puzzle {
    bool suits[NICS][NETWORKS];
    int64_t free[NETWORKS];
    bool different;
};

static bool is_solution(const struct puzzle *puzzle, const unsigned *choice, size_t n)
{
    int64_t taken[NETWORKS] = {0};

    for (size_t i = 0; i < n; i++)
        if (!puzzle->suits[i][choice[i]] || ++taken[choice[i]] > puzzle->free[choice[i]] ||
            (puzzle->different && taken[choice[i]] > 1))
            return false;
    return true;
}

static bool has_solution(const struct puzzle *puzzle, size_t n)
{
    for (unsigned code = 0; code < 1u << (2 * n); code++) {
        unsigned choice[NICS];

        for (size_t i = 0; i < n; i++)
            choice[i] = code >> (2 * i) & 3;
        if (is_solution(puzzle, choice, n))
            return true;
    }
    return false;
}

static void try_puzzle(const struct puzzle *puzzle, size_t n)
{
    static const char *const ids[] = {"0", "1", "2", "3"};
    static int32_t cluster = 0;
    struct attribute attributes[NETWORKS];
    struct network networks[NETWORKS];
    const struct network_pool pool = {.items = networks, .n = NETWORKS};
    struct host host = {.state = HOST_ON};
    const struct host_pool hosts = {.items = &host, .n = 1};
    const struct eligibility_settings settings = {.network_policy = PLACEMENT_PACKING,
                                                  .different_networks = puzzle->different};
    struct nic_choice choices[VM_NICS_MAX];
    unsigned choice[NICS];
    char texts[NICS][64], reason[256];
    struct vm_nic nics[NICS];
    struct vm vm = {.nics = nics, .n_nics = n, .history.sequence = -1};
    struct eligibility *eligibility;
    int result;

    for (size_t i = 0; i < NETWORKS; i++) {
        attributes[i] = (struct attribute){"ID", ids[i]};
        networks[i] = (struct network){.id = (int32_t)i,
                                       .clusters = &cluster,
                                       .n_clusters = 1,
                                       .size = 10,
                                       .used = 10 - puzzle->free[i],
                                       .attributes = {&attributes[i], 1, 0}};
    }
    for (size_t i = 0; i < n; i++) {
        size_t length = (size_t)snprintf(texts[i], sizeof texts[i], "ID=9");

        for (size_t k = 0; k < NETWORKS; k++)
            if (puzzle->suits[i][k])
                length +=
                    (size_t)snprintf(texts[i] + length, sizeof texts[i] - length, " | ID=%zu", k);
        nics[i] = (struct vm_nic){.id = (int32_t)i, .requirement = texts[i]};
    }
    eligibility = eligibility_create(&(struct eligibility_site){.hosts = &hosts, .networks = &pool},
                                     &settings, NULL);
    result = eligibility_networks(eligibility, &vm, 0, choices, reason, sizeof reason);
    assert_int_equal(result == 0, has_solution(puzzle, n));
    for (size_t i = 0; result == 0 && i < n; i++)
        choice[i] = (unsigned)choices[i].network;
    if (result == 0)
        assert_true(is_solution(puzzle, choice, n));
    eligibility_destroy(eligibility);
}

static void an_assignment_is_found_if_there_is_one(void **state)
{
    srand(5052);
    for (int round = 0; round < 3000; round++) {
        struct puzzle puzzle = {.different = rand() % 2};

        for (size_t k = 0; k < NETWORKS; k++)
            puzzle.free[k] = rand() % 3;
        for (size_t i = 0; i < NICS; i++)
            for (size_t k = 0; k < NETWORKS; k++)
                puzzle.suits[i][k] = rand() % 2;
        try_puzzle(&puzzle, 1 + (size_t)rand() % NICS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_ranks_and_rights),
        cmocka_unit_test(clusters_are_put_up_to_date),
        cmocka_unit_test(a_vm_moves_only_where_its_network_is),
        cmocka_unit_test(policies),
        cmocka_unit_test(promised_addresses_are_taken),
        cmocka_unit_test(nobody_may_ask_for_too_much),
        cmocka_unit_test(an_assignment_is_found_if_there_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
