/* Which system datastore a VM gets, and which hosts it may have for want of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/eligibility_fixture.h"

static void datastores_with_room(void **state)
{
    static const struct eligibility_settings scaled = {
        .policy = HOST_POLICY_STRIPING, .datastore_policy = PLACEMENT_STRIPING, .memory_scale = 2};
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL)->disk = 1000;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    assert_int_equal(datastore_of(&site, &some.vm, 2,
                                  "has room for 1000 MB (of 1, datastore 8 has the most: 100 MB"),
                     -1);
    some.vm.disk = 0;
    assert_int_equal(datastore_of(&site, &some.vm, 2, ""), 8);
    some.vm.disk = 4500;
    eligibility_promise(site.eligibility, 7, 0, 4400);
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    eligibility_promise(site.eligibility, 0, 0, 4500);
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    eligibility_promise(site.eligibility, 7, 0, 4400);
    assert_int_equal(datastore_of(&site, &some.vm, 0, "no system datastore for host 0 has room"),
                     -1);
    some.vm.disk = 100;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    some_site_finish(&site);

    some_site_init(&site, NULL,
                   NULL); /* hosts without room are none at all, unless it is for later */
    vm_with(&some, NULL, NULL)->disk = 1000;
    assert_hosts(&site, &some.vm, "0,1");
    some.vm.disk = 9500;
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "4 have no system datastore with room for 9500 MB");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.lacks_room);
    eligibility_of_later(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.n_hosts, 4);
    assert_false(eligible.lacks_room);
    some_site_finish(&site);

    some_site_init(&site, NULL, &scaled);
    vm_with(&some, NULL, NULL)->disk = 1000;
    some.vm.memory = 3999;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    some.vm.memory = 4000; /* all of the 9000 MB: not less, as OpenNebula wants it */
    assert_int_equal(datastore_of(&site, &some.vm, 0, "room for 9000 MB"), -1);
    some_site_finish(&site);
}

static void datastores_asked_for(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;
    char text[1026];

    some_site_init(&site, NULL, NULL);
    vm_with(&some, "SCHED_DS_REQUIREMENTS", "KIND=\"k0\"")->needs = VM_NEEDS_DATASTORE;
    assert_hosts(&site, &some.vm, "0,1");
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    some.attribute.value = "KIND=\"nothing\"";
    assert_hosts(&site, &some.vm, "");
    assert_int_equal(datastore_of(&site, &some.vm, 0, "no enabled system datastore"), -1);
    some.attribute.value = "KIND=";
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.malformed);
    assert_non_null(strstr(eligible.reason, "SCHED_DS_REQUIREMENTS 'KIND='"));
    memset(text, ' ', sizeof text); /* evaluated for each VM again: others shall not wait for it */
    memcpy(text, "KIND=a", 6);
    text[1025] = '\0';
    some.attribute.value = text;
    assert_reason(&site, &some.vm, "it has more than 1024 bytes");
    some.attribute = (struct attribute){"SCHED_DS_RANK", "-FREE_MB"};
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    some.attribute.value = "-FREE_MB +";
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.rank_ignored);
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    some_site_finish(&site);
}

/* What OpenNebula adds to a VM's template counts as much as what its owner wrote. */
static void datastores_that_opennebula_asks_for(void **state)
{
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL);
    some.automatic =
        (struct attribute){"AUTOMATIC_DS_REQUIREMENTS", "(\"CLUSTERS/ID\" @> 0) & (KIND=\"k0\")"};
    some.vm.template = (struct attributes){&some.automatic, 1, 0};
    assert_hosts(&site, &some.vm, "0,1");
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    some.automatic.value = "(\"CLUSTERS/ID\" @> 100)";
    some.vm.disk = 50;
    assert_hosts(&site, &some.vm, "2,3");
    some.automatic.value = "(\"CLUSTERS/ID\" @> 100";
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.malformed);
    assert_non_null(strstr(eligible.reason, "AUTOMATIC_DS_REQUIREMENTS"));
    /* The owner cannot say it. */
    vm_with(&some, "AUTOMATIC_DS_REQUIREMENTS", "KIND=\"nothing\"");
    assert_hosts(&site, &some.vm, "0,1,2,3");
    some_site_finish(&site);
}

static const char local_hosts_document[] =
    "<HOST_POOL>"
    "<HOST><ID>0</ID><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID><HOST_SHARE><DATASTORES>"
    "<DS><FREE_MB>5000</FREE_MB><ID>7</ID></DS><DS><FREE_MB>-1</FREE_MB><ID>8</ID></DS>"
    "<FREE_DISK>90000</FREE_DISK></DATASTORES></HOST_SHARE></HOST>"
    "<HOST><ID>1</ID><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID><HOST_SHARE><DATASTORES>"
    "<FREE_DISK>3000</FREE_DISK></DATASTORES></HOST_SHARE></HOST>"
    "<HOST><ID>2</ID><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID><HOST_SHARE><DATASTORES>"
    "<FREE_DISK>0</FREE_DISK><USED_DISK>10</USED_DISK></DATASTORES></HOST_SHARE></HOST>"
    "<HOST><ID>3</ID><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID></HOST>"
    "</HOST_POOL>";

/* SHARED=NO: the figures of the datastore itself, if there are any, are of the front-end's disk. */
static const char local_datastores_document[] =
    "<DATASTORE_POOL><DATASTORE><ID>7</ID><NAME>local</NAME><TYPE>1</TYPE><STATE>0</"
    "STATE><CLUSTERS>"
    "<ID>0</ID></CLUSTERS><TOTAL_MB>100</TOTAL_MB><FREE_MB>50</FREE_MB><TEMPLATE><SHARED>NO</"
    "SHARED>"
    "</TEMPLATE></DATASTORE></DATASTORE_POOL>";

static void a_local_datastore_has_the_room_of_each_host(void **state)
{
    static const struct eligibility_settings settings = {.policy = HOST_POLICY_MODULE,
                                                         .datastore_policy = PLACEMENT_STRIPING};
    struct some_site site = {0};
    struct some_vm some;
    struct error err = {0};

    assert_int_equal(
        host_pool_parse(&site.hosts, local_hosts_document, sizeof local_hosts_document - 1, &err),
        0);
    assert_int_equal(datastore_pool_parse(&site.datastores, local_datastores_document,
                                          sizeof local_datastores_document - 1, &err),
                     0);
    assert_int_equal(site.hosts.items[0].n_rooms, 2);
    assert_int_equal(site.hosts.items[0].disk, 90000);
    assert_int_equal(site.hosts.items[3].disk, -1);
    site.eligibility = eligibility_create(
        &(struct eligibility_site){.hosts = &site.hosts, .datastores = &site.datastores}, &settings,
        &err);
    assert_non_null(site.eligibility);
    vm_with(&some, NULL, NULL)->disk = 1000;
    assert_hosts(&site, &some.vm, "0,1,3"); /* 2 is full, nobody measures 3 */
    some.vm.disk = 4000;
    assert_hosts(&site, &some.vm, "0,3");
    /* What is promised on one host is gone there only. */
    eligibility_promise(site.eligibility, 7, 0, 4000);
    eligibility_promise(site.eligibility, 7, 1, 1500);
    some.vm.disk = 1200;
    assert_hosts(&site, &some.vm, "1,3");
    assert_int_equal(datastore_of(&site, &some.vm, 0, "datastore 7 has the most: 1000 MB)"), -1);
    assert_int_equal(datastore_of(&site, &some.vm, 1, ""), 7);
    eligibility_promise(site.eligibility, 7, 1, 500);
    assert_int_equal(datastore_of(&site, &some.vm, 1, "1000 MB"), -1);
    some_site_finish(&site);
}

static void policies_order_datastores(void **state)
{
    static const struct {
        struct eligibility_settings settings;
        int32_t first, second; /* after much was promised on the first */
    } cases[] = {
        {{.datastore_policy = PLACEMENT_PACKING}, 0, 0},
        {{.datastore_policy = PLACEMENT_STRIPING}, 7, 0},
        {{.datastore_policy = PLACEMENT_CUSTOM, .datastore_rank = "-ID"}, 0, 0},
        {{.datastore_policy = PLACEMENT_FIXED}, 7, 0}, /* no PRIORITY: most room */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct some_site site;

        some_site_init(&site, NULL, &cases[i].settings);
        vm_with(&some, NULL, NULL)->disk = 100;
        assert_int_equal(datastore_of(&site, &some.vm, 0, ""), cases[i].first);
        eligibility_promise(site.eligibility, cases[i].first, 0, 4500);
        assert_int_equal(datastore_of(&site, &some.vm, 0, ""), cases[i].second);
        vm_with(&some, "SCHED_DS_RANK", "ID")->needs = VM_NEEDS_DATASTORE;
        assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
        some_site_finish(&site);
    }
}

/* An image datastore has the number 1. */
static void disks_need_room_where_their_images_are(void **state)
{
    struct vm_image_room room = {.datastore = 1, .amount = 400};
    struct some_vm some;
    struct some_site site;
    struct eligible eligible;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL);
    some.vm.images = &room;
    some.vm.n_images = 1;
    assert_hosts(&site, &some.vm, "0,1,2,3");
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    eligibility_promise(site.eligibility, 1, 0, 100);
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.n_hosts, 0);
    assert_true(eligible.lacks_room);
    assert_sentence(eligible.reason,
                    "image datastore 1 has no room for 400 MB of its disks: 400 MB are free");
    assert_int_equal(datastore_of(&site, &some.vm, 0, "image datastore 1 has no room"), -1);
    eligibility_of_later(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.n_hosts, 4);
    some.vm.history = (struct vm_history){.sequence = 0, .datastore = 7}; /* they are there */
    assert_hosts(&site, &some.vm, "0,1");
    some.vm.history.sequence = -1;
    room.datastore = 55; /* unknown */
    assert_hosts(&site, &some.vm, "0,1,2,3");
    some_site_finish(&site);
}

static void a_vm_that_ran_stays_with_its_disks(void **state)
{
    struct some_vm some;
    struct some_site site;

    some_site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL)->history = (struct vm_history){.sequence = 2, .datastore = 8};
    assert_hosts(&site, &some.vm, "2,3");
    assert_int_equal(datastore_of(&site, &some.vm, 2, ""), 8); /* they are there already */
    some.vm.history.datastore = 9;
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "4 do not have the system datastore that the VM's disks are on");
    some.vm.history.datastore = 77; /* gone, or never one: as a new VM */
    assert_hosts(&site, &some.vm, "0,1,2,3");
    some_site_finish(&site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datastores_with_room),
        cmocka_unit_test(datastores_asked_for),
        cmocka_unit_test(datastores_that_opennebula_asks_for),
        cmocka_unit_test(a_local_datastore_has_the_room_of_each_host),
        cmocka_unit_test(policies_order_datastores),
        cmocka_unit_test(disks_need_room_where_their_images_are),
        cmocka_unit_test(a_vm_that_ran_stays_with_its_disks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
