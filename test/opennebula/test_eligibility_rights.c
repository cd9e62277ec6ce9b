/* Which hosts and datastores the access rules and permissions leave to a VM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/eligibility_fixture.h"

#define RULE(user, resource, rights, zone)                                                         \
    "<ACL><ID>1</ID><USER>" user "</USER><RESOURCE>" resource "</RESOURCE><RIGHTS>" rights         \
    "</RIGHTS><ZONE>" zone "</ZONE><STRING>x</STRING></ACL>"
#define ALL_DATASTORES RULE("400000000", "100400000000", "1", "100000000")

static void access_rules(void **state)
{
    static const struct {
        const char *acl, *hosts;
    } cases[] = {
        {"<ACL_POOL></ACL_POOL>", ""},
        {"<ACL_POOL>" RULE("200000001", "2400000000", "2", "100000000") ALL_DATASTORES
         "</ACL_POOL>",
         "0,1,2,3"},
        /* USE is not MANAGE; no datastore; another zone; another group */
        {"<ACL_POOL>" RULE("200000001", "2400000000", "1", "100000000") ALL_DATASTORES
         "</ACL_POOL>",
         ""},
        {"<ACL_POOL>" RULE("200000001", "2400000000", "2", "100000000") "</ACL_POOL>", ""},
        {"<ACL_POOL>" RULE("200000001", "2400000000", "2", "100000003") ALL_DATASTORES
         "</ACL_POOL>",
         ""},
        {"<ACL_POOL>" RULE("200000002", "2400000000", "2", "400000000") ALL_DATASTORES
         "</ACL_POOL>",
         ""},
        /* the user alone, a second group, one host, a cluster, MANAGE among others */
        {"<ACL_POOL>" RULE("100000005", "2400000000", "2", "400000000") ALL_DATASTORES
         "</ACL_POOL>",
         "0,1,2,3"},
        {"<ACL_POOL>" RULE("200000064", "2100000001", "2", "400000000") ALL_DATASTORES
         "</ACL_POOL>",
         "1"},
        {"<ACL_POOL>" RULE("400000000", "2800000064", "f", "100000000") ALL_DATASTORES
         "</ACL_POOL>",
         "2,3"},
        /* a rule about VMs (10...) says nothing about hosts; VM and host in one rule does */
        {"<ACL_POOL>" RULE("400000000", "1400000000", "2", "400000000") ALL_DATASTORES
         "</ACL_POOL>",
         ""},
        {"<ACL_POOL>" RULE("400000000", "3400000000", "2", "400000000") ALL_DATASTORES
         "</ACL_POOL>",
         "0,1,2,3"},
        /* the datastores of one cluster, or one of them */
        {"<ACL_POOL>" RULE("400000000", "2400000000", "2", "400000000")
             RULE("400000000", "100800000064", "1", "400000000") "</ACL_POOL>",
         "2,3"},
        {"<ACL_POOL>" RULE("400000000", "2400000000", "2", "400000000")
             RULE("100000005", "100100000007", "1", "400000000") "</ACL_POOL>",
         "0,1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct some_site site;

        some_site_init(&site, cases[i].acl, NULL);
        assert_hosts(&site, vm_with(&some, NULL, NULL), cases[i].hosts);
        if (i == 0)
            assert_reason(&site, &some.vm, "4 are not permitted to the owner (MANAGE)");
        if (i == 3)
            assert_reason(&site, &some.vm, "4 have no enabled system datastore");
        some.vm.uid = 0;
        assert_hosts(&site, &some.vm, "0,1,2,3");
        some.vm.uid = 6;
        some.vm.gid = 0;
        assert_hosts(&site, &some.vm, "0,1,2,3");
        some_site_finish(&site);
    }
}

/* A datastore's own permissions count beside the rules. */
static void permissions_of_datastores(void **state)
{
    static const char acl[] =
        "<ACL_POOL>" RULE("400000000", "2400000000", "2", "400000000") "</ACL_POOL>";
    static const struct {
        const char *permissions;
        bool permitted;
    } cases[] = {
        {"<UID>9</UID><GID>9</GID><PERMISSIONS><OTHER_U>1</OTHER_U></PERMISSIONS>", true},
        {"<UID>9</UID><GID>9</GID><PERMISSIONS><OTHER_U>0</OTHER_U><OTHER_M>1</OTHER_M>"
         "</PERMISSIONS>",
         false},
        {"<UID>9</UID><GID>100</GID><PERMISSIONS><GROUP_U>1</GROUP_U></PERMISSIONS>", true},
        {"<UID>9</UID><GID>9</GID><PERMISSIONS><GROUP_U>1</GROUP_U></PERMISSIONS>", false},
        {"<UID>5</UID><GID>9</GID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>", true},
        {"<UID>6</UID><GID>9</GID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct some_site site;
        char document[1024];
        struct error err = {0};
        struct eligibility_settings settings = {.policy = HOST_POLICY_STRIPING,
                                                .datastore_policy = PLACEMENT_STRIPING};

        snprintf(document, sizeof document,
                 "<DATASTORE_POOL><DATASTORE><ID>3</ID>%s<NAME>d</NAME><TYPE>1</TYPE><STATE>0"
                 "</STATE><CLUSTERS><ID>0</ID></CLUSTERS><FREE_MB>9</FREE_MB><TEMPLATE><SHARED>YES"
                 "</SHARED></TEMPLATE></DATASTORE></DATASTORE_POOL>",
                 cases[i].permissions);
        some_site_init(&site, acl, NULL);
        eligibility_destroy(site.eligibility);
        datastore_pool_finish(&site.datastores);
        assert_int_equal(datastore_pool_parse(&site.datastores, document, strlen(document), &err),
                         0);
        site.eligibility =
            eligibility_create(&(struct eligibility_site){.hosts = &site.hosts,
                                                          .datastores = &site.datastores,
                                                          .clusters = &site.clusters,
                                                          .users = &site.users,
                                                          .acl = &site.acl},
                               &settings, &err);
        assert_hosts(&site, vm_with(&some, NULL, NULL), cases[i].permitted ? "0,1" : "");
        some_site_finish(&site);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(access_rules),
        cmocka_unit_test(permissions_of_datastores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
