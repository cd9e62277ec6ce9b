/* Which hosts a VM may have, and why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/eligibility.h"
#include "adapters/opennebula/expression.h"

#define HOST(id, cluster, state, running, template)                                                \
    "<HOST><ID>" #id "</ID><NAME>h" #id "</NAME><STATE>" #state "</STATE><CLUSTER_ID>" #cluster    \
    "</CLUSTER_ID><CLUSTER>c" #cluster "</CLUSTER><HOST_SHARE><MAX_CPU>800</MAX_CPU><MAX_MEM>"     \
    "1048576</MAX_MEM><RUNNING_VMS>" #running                                                      \
    "</RUNNING_VMS></HOST_SHARE><VMS></VMS><TEMPLATE>" template "</"                               \
                                                                "TEMPLATE><MONITORING><CAPACITY><" \
                                                                "FREE_CPU>" #id                    \
                                                                "00</FREE_CPU></CAPACITY>"         \
                                                                "</MONITORING></HOST>"

#define SYSTEM_DATASTORE(id, cluster, state, free)                                                 \
    "<DATASTORE><ID>" #id "</ID><NAME>d" #id "</NAME><TYPE>1</TYPE><STATE>" #state "</STATE>"      \
    "<CLUSTERS><ID>" #cluster "</ID></CLUSTERS><TOTAL_MB>1000000</TOTAL_MB><FREE_MB>" #free        \
    "</FREE_MB><TEMPLATE><SHARED>YES</SHARED><KIND>k" #id "</KIND></TEMPLATE></DATASTORE>"

static const char hosts_document[] = "<HOST_POOL>" HOST(0, 0, 2, 3, "<RACK>r1</RACK>")
    HOST(1, 0, 2, 1, "<RACK>r2</RACK>") HOST(2, 100, 2, 0, "<RACK>r1</RACK><PRIORITY>7</PRIORITY>")
        HOST(3, 100, 2, 2, "<RACK>r3</RACK>") HOST(4, 0, 4, 0, "<RACK>r4</RACK>") "</HOST_POOL>";

static const char datastores_document[] =
    "<DATASTORE_POOL>" SYSTEM_DATASTORE(0, 0, 0, 5000) SYSTEM_DATASTORE(7, 0, 0, 9000)
        SYSTEM_DATASTORE(8, 100, 0, 100) SYSTEM_DATASTORE(9, 0, 1, 99000) "</DATASTORE_POOL>";

static const char clusters_document[] =
    "<CLUSTER_POOL><CLUSTER><ID>0</ID><NAME>c0</NAME><TEMPLATE></TEMPLATE></CLUSTER>"
    "<CLUSTER><ID>100</ID><NAME>c100</NAME><TEMPLATE><SITE>paris</SITE><PRIORITY>5</PRIORITY>"
    "</TEMPLATE></CLUSTER></CLUSTER_POOL>";

static const char users_document[] =
    "<USER_POOL><USER><ID>5</ID><GID>1</GID><GROUPS><ID>1</ID><ID>100</ID></GROUPS><GNAME>users"
    "</GNAME><NAME>ada</NAME><ENABLED>1</ENABLED><TEMPLATE></TEMPLATE></USER></USER_POOL>";

struct site {
    struct host_pool hosts;
    struct datastore_pool datastores;
    struct cluster_pool clusters;
    struct user_pool users;
    struct acl acl;
    struct eligibility *eligibility;
};

static void site_init(struct site *site, const char *acl,
                      const struct eligibility_settings *settings)
{
    static const struct eligibility_settings striping = {.policy = HOST_POLICY_STRIPING};
    struct error err = {0};

    *site = (struct site){0};
    assert_int_equal(host_pool_parse(&site->hosts, hosts_document, sizeof hosts_document - 1, &err),
                     0);
    assert_int_equal(datastore_pool_parse(&site->datastores, datastores_document,
                                          sizeof datastores_document - 1, &err),
                     0);
    assert_int_equal(
        cluster_pool_parse(&site->clusters, clusters_document, sizeof clusters_document - 1, &err),
        0);
    assert_int_equal(user_pool_parse(&site->users, users_document, sizeof users_document - 1, &err),
                     0);
    if (acl)
        assert_int_equal(acl_parse(&site->acl, acl, strlen(acl), &err), 0);
    site->eligibility =
        eligibility_create(&site->hosts, &site->datastores, &site->clusters, &site->users,
                           acl ? &site->acl : NULL, settings ? settings : &striping, &err);
    if (!site->eligibility)
        fail_msg("%s", err.text);
}

static void site_finish(struct site *site)
{
    eligibility_destroy(site->eligibility);
    host_pool_finish(&site->hosts);
    datastore_pool_finish(&site->datastores);
    cluster_pool_finish(&site->clusters);
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
}

/* A VM of user 5 with one attribute in USER_TEMPLATE. */
struct some_vm {
    struct vm vm;
    struct attribute attribute, automatic;
};

static struct vm *vm_with(struct some_vm *some, const char *name, const char *value)
{
    some->vm = (struct vm){.id = 1,
                           .uid = 5,
                           .gid = 1,
                           .cpu = 100,
                           .memory = 512,
                           .is_extended = true,
                           .history = {.sequence = -1}};
    some->attribute = (struct attribute){name, value};
    if (name)
        some->vm.user_template = (struct attributes){&some->attribute, 1, 0};
    return &some->vm;
}

/* "0,2": the hosts that are allowed. */
static void assert_hosts(const struct site *site, const struct vm *vm, const char *expected)
{
    struct eligible eligible;
    char hosts[64] = "";
    size_t n = 0;

    eligibility_of(site->eligibility, vm, &eligible);
    for (size_t i = 0; eligible.filter && i < site->hosts.n; i++)
        if (eligible.filter->allowed[i]) {
            hosts[n ? 2 * n - 1 : 0] = n ? ',' : '\0';
            hosts[2 * n] = (char)('0' + i);
            n++;
        }
    if (strcmp(hosts, expected))
        fail_msg("hosts %s, not %s (%s)", hosts, expected, eligible.reason);
    assert_int_equal(n, eligible.n_hosts);
    assert_int_equal(n == 0, eligible.reason[0] != '\0');
}

static void assert_reason(const struct site *site, const struct vm *vm, const char *part)
{
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    if (!strstr(eligible.reason, part))
        fail_msg("'%s' does not say '%s'", eligible.reason, part);
}

static void requirements_and_states(void **state)
{
    struct some_vm some;
    struct site site;

    (void)state;
    site_init(&site, NULL, NULL);
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
                  "of 5, 1 disabled, offline or in error, 4 not meeting SCHED_REQUIREMENTS "
                  "RACK='r4'");
    assert_hosts(&site, vm_with(&some, "SCHED_REQUIREMENTS", "RCK=\"r1\""), "");
    assert_reason(&site, &some.vm, "no host has an attribute RCK, did you mean 'RACK'?");
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
    assert_reason(&site, &some.vm, "2 not meeting OpenNebula's AUTOMATIC_REQUIREMENTS");
    some.attribute = (struct attribute){"AUTOMATIC_REQUIREMENTS", "ID=3"};
    assert_hosts(&site, &some.vm, "0,1");
    site_finish(&site);
}

static void faults_are_told_apart(void **state)
{
    struct some_vm some;
    struct site site;
    struct eligible eligible;

    (void)state;
    site_init(&site, NULL, NULL);
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
    for (unsigned need = 1; need < VM_NEEDS_DATASTORE; need <<= 1) {
        vm_with(&some, NULL, NULL)->needs = need;
        eligibility_of(site.eligibility, &some.vm, &eligible);
        assert_true(eligible.unsupported);
        assert_null(eligible.filter);
        assert_non_null(strstr(eligible.reason, "does not place yet"));
    }
    site_finish(&site);
}

static int64_t rank_of(const struct site *site, const struct vm *vm, size_t host)
{
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    assert_non_null(eligible.filter);
    return (eligible.filter->rank ? eligible.filter->rank[host] : 0) +
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct site site;
        struct eligible eligible;

        site_init(&site, NULL, &cases[i].settings);
        vm_with(&some, NULL, NULL);
        eligibility_of(site.eligibility, &some.vm, &eligible);
        assert_int_equal(eligible.filter->rank_per_vm, cases[i].per_vm);
        for (size_t host = 0; host < 4; host++)
            assert_int_equal(rank_of(&site, &some.vm, host), cases[i].ranks[host]);
        site_finish(&site);
    }
}

static void wrong_policies_are_refused(void **state)
{
    static const struct {
        struct eligibility_settings settings;
        const char *part;
    } cases[] = {
        {{.policy = HOST_POLICY_CUSTOM, .rank = "FREE_CPU +"}, "cannot be read: column 11"},
        {{.policy = HOST_POLICY_CUSTOM}, "needs a rank expression"},
        {{.policy = (enum host_policy)9}, "no host policy 9"},
    };
    const struct host_pool none = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};

        assert_null(eligibility_create(&none, NULL, NULL, NULL, NULL, &cases[i].settings, &err));
        assert_non_null(strstr(err.text, cases[i].part));
    }
}

static void ranks_of_a_vm_beat_the_policy(void **state)
{
    struct some_vm some;
    struct site site;
    struct eligible eligible;

    (void)state;
    site_init(&site, NULL, NULL);
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
    assert_int_equal(eligible.filter->rank[0], 9);
    vm_with(&some, "SCHED_RANK", "10/RUNNING_VMS");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.filter->rank[2], RANK_LOWEST);
    site_finish(&site);
}

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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct site site;

        site_init(&site, cases[i].acl, NULL);
        assert_hosts(&site, vm_with(&some, NULL, NULL), cases[i].hosts);
        if (i == 0)
            assert_reason(&site, &some.vm, "4 not permitted to the owner (MANAGE)");
        if (i == 3)
            assert_reason(&site, &some.vm, "4 without an enabled system datastore");
        some.vm.uid = 0;
        assert_hosts(&site, &some.vm, "0,1,2,3");
        some.vm.uid = 6;
        some.vm.gid = 0;
        assert_hosts(&site, &some.vm, "0,1,2,3");
        site_finish(&site);
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct some_vm some;
        struct site site;
        char document[1024];
        struct error err = {0};
        struct eligibility_settings settings = {.policy = HOST_POLICY_STRIPING};

        snprintf(document, sizeof document,
                 "<DATASTORE_POOL><DATASTORE><ID>3</ID>%s<NAME>d</NAME><TYPE>1</TYPE><STATE>0"
                 "</STATE><CLUSTERS><ID>0</ID></CLUSTERS><FREE_MB>9</FREE_MB><TEMPLATE><SHARED>YES"
                 "</SHARED></TEMPLATE></DATASTORE></DATASTORE_POOL>",
                 cases[i].permissions);
        site_init(&site, acl, NULL);
        eligibility_destroy(site.eligibility);
        datastore_pool_finish(&site.datastores);
        assert_int_equal(datastore_pool_parse(&site.datastores, document, strlen(document), &err),
                         0);
        site.eligibility = eligibility_create(&site.hosts, &site.datastores, &site.clusters,
                                              &site.users, &site.acl, &settings, &err);
        assert_hosts(&site, vm_with(&some, NULL, NULL), cases[i].permitted ? "0,1" : "");
        site_finish(&site);
    }
}

static int32_t datastore_of(const struct site *site, const struct vm *vm, uint32_t host,
                            const char *part)
{
    char reason[256];
    int32_t chosen = eligibility_datastore(site->eligibility, vm, host, reason, sizeof reason);

    if (part && !strstr(reason, part))
        fail_msg("'%s' does not say '%s'", reason, part);
    return chosen;
}

static void datastores_with_room(void **state)
{
    static const struct eligibility_settings scaled = {.policy = HOST_POLICY_STRIPING,
                                                       .memory_scale = 2};
    struct some_vm some;
    struct site site;
    struct eligible eligible;

    (void)state;
    site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL)->disk = 1000;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    assert_int_equal(
        datastore_of(&site, &some.vm, 2, "has room for 1000 MB; datastore 8 has the most: 100 MB"),
        -1);
    some.vm.disk = 0;
    assert_int_equal(datastore_of(&site, &some.vm, 2, ""), 8);
    some.vm.disk = 4500;
    eligibility_promise(site.eligibility, 7, 0, 4400);
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    eligibility_promise(site.eligibility, 0, 0, 4500);
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    eligibility_promise(site.eligibility, 7, 0, 4400);
    assert_int_equal(datastore_of(&site, &some.vm, 0, "none of 2"), -1);
    some.vm.disk = 100;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 0);
    site_finish(&site);

    site_init(&site, NULL, NULL); /* hosts without room are none at all, unless it is for later */
    vm_with(&some, NULL, NULL)->disk = 1000;
    assert_hosts(&site, &some.vm, "0,1");
    some.vm.disk = 9500;
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "4 without a system datastore with room for 9500 MB");
    eligibility_of(site.eligibility, &some.vm, &eligible);
    assert_true(eligible.lacks_room);
    eligibility_of_later(site.eligibility, &some.vm, &eligible);
    assert_int_equal(eligible.n_hosts, 4);
    assert_false(eligible.lacks_room);
    site_finish(&site);

    site_init(&site, NULL, &scaled);
    vm_with(&some, NULL, NULL)->disk = 1000;
    some.vm.memory = 3999;
    assert_int_equal(datastore_of(&site, &some.vm, 0, ""), 7);
    some.vm.memory = 4000; /* all of the 9000 MB: not less, as OpenNebula wants it */
    assert_int_equal(datastore_of(&site, &some.vm, 0, "room for 9000 MB"), -1);
    site_finish(&site);
}

static void datastores_asked_for(void **state)
{
    struct some_vm some;
    struct site site;
    struct eligible eligible;
    char text[1026];

    (void)state;
    site_init(&site, NULL, NULL);
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
    site_finish(&site);
}

/* What OpenNebula adds to a VM's template counts as much as what its owner wrote. */
static void datastores_that_opennebula_asks_for(void **state)
{
    struct some_vm some;
    struct site site;
    struct eligible eligible;

    (void)state;
    site_init(&site, NULL, NULL);
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
    site_finish(&site);
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
    static const struct eligibility_settings settings = {.policy = HOST_POLICY_MODULE};
    struct site site = {0};
    struct some_vm some;
    struct error err = {0};

    (void)state;
    assert_int_equal(
        host_pool_parse(&site.hosts, local_hosts_document, sizeof local_hosts_document - 1, &err),
        0);
    assert_int_equal(datastore_pool_parse(&site.datastores, local_datastores_document,
                                          sizeof local_datastores_document - 1, &err),
                     0);
    assert_int_equal(site.hosts.items[0].n_rooms, 2);
    assert_int_equal(site.hosts.items[0].disk, 90000);
    assert_int_equal(site.hosts.items[3].disk, -1);
    site.eligibility =
        eligibility_create(&site.hosts, &site.datastores, NULL, NULL, NULL, &settings, &err);
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
    assert_int_equal(datastore_of(&site, &some.vm, 0, "datastore 7 has the most: 1000 MB"), -1);
    assert_int_equal(datastore_of(&site, &some.vm, 1, ""), 7);
    eligibility_promise(site.eligibility, 7, 1, 500);
    assert_int_equal(datastore_of(&site, &some.vm, 1, "1000 MB"), -1);
    site_finish(&site);
}

static void a_vm_that_ran_stays_with_its_disks(void **state)
{
    struct some_vm some;
    struct site site;

    (void)state;
    site_init(&site, NULL, NULL);
    vm_with(&some, NULL, NULL)->history = (struct vm_history){.sequence = 2, .datastore = 8};
    assert_hosts(&site, &some.vm, "2,3");
    assert_int_equal(datastore_of(&site, &some.vm, 2, ""), 8); /* they are there already */
    some.vm.history.datastore = 9;
    assert_hosts(&site, &some.vm, "");
    assert_reason(&site, &some.vm, "4 without the system datastore the VM's disks are on");
    some.vm.history.datastore = 77; /* gone, or never one: as a new VM */
    assert_hosts(&site, &some.vm, "0,1,2,3");
    site_finish(&site);
}

static void equal_wishes_share_their_answer(void **state)
{
    struct some_vm some[3];
    struct site site;
    struct eligible eligible[3];

    (void)state;
    site_init(&site, NULL, NULL);
    vm_with(&some[0], "SCHED_REQUIREMENTS", "RACK=\"r1\"");
    vm_with(&some[1], "SCHED_REQUIREMENTS", "RACK=\"r1\"");
    vm_with(&some[2], "SCHED_REQUIREMENTS", "RACK!=\"r2\" & !(RACK=\"r3\")");
    for (int i = 0; i < 3; i++)
        eligibility_of(site.eligibility, &some[i].vm, &eligible[i]);
    assert_ptr_equal(eligible[0].filter, eligible[1].filter);
    assert_ptr_equal(eligible[0].filter->allowed, eligible[2].filter->allowed);
    site_finish(&site);
}

/* One owner cannot make all others wait. */
static void what_an_owner_may_cost_is_bounded(void **state)
{
    struct some_vm some;
    struct site site;
    struct eligible eligible;
    size_t accepted = 0, length = 8000;
    char *text = malloc(length + 1);

    (void)state;
    assert_non_null(text);
    site_init(&site, NULL, NULL);
    memset(text, ' ', length);
    text[length] = '\0';
    for (int i = 0; i < 200; i++) {
        text[snprintf(text, 32, "ID<%-8d", i + 1)] = ' ';
        eligibility_of(site.eligibility, vm_with(&some, "SCHED_REQUIREMENTS", text), &eligible);
        accepted += eligible.filter != NULL;
    }
    assert_int_equal(accepted, (1 << 20) / length);
    assert_true(eligible.malformed);
    assert_non_null(strstr(eligible.reason, "the waiting VMs of user 5 have more than"));
    text[snprintf(text, 32, "ID<%-8d", 1)] = ' '; /* seen before */
    assert_hosts(&site, &some.vm, "0");
    text[snprintf(text, 32, "ID<%-8d", 200)] = ' '; /* of somebody else */
    some.vm.uid = 6;
    assert_hosts(&site, &some.vm, "0,1,2,3");
    free(text);
    site_finish(&site);
}

static void no_hosts_at_all(void **state)
{
    static const struct eligibility_settings settings = {.policy = HOST_POLICY_LOAD_AWARE};
    const struct host_pool none = {0};
    struct eligibility *eligibility =
        eligibility_create(&none, NULL, NULL, NULL, NULL, &settings, NULL);
    struct eligible eligible;
    struct some_vm some;

    (void)state;
    assert_non_null(eligibility);
    eligibility_of(eligibility, vm_with(&some, "SCHED_REQUIREMENTS", "!RACK=r1"), &eligible);
    assert_int_equal(eligible.n_hosts, 0);
    assert_string_equal(eligible.reason, "OpenNebula has no hosts");
    eligibility_destroy(eligibility);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_and_states),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(policies_order_hosts),
        cmocka_unit_test(wrong_policies_are_refused),
        cmocka_unit_test(ranks_of_a_vm_beat_the_policy),
        cmocka_unit_test(access_rules),
        cmocka_unit_test(permissions_of_datastores),
        cmocka_unit_test(datastores_with_room),
        cmocka_unit_test(datastores_asked_for),
        cmocka_unit_test(datastores_that_opennebula_asks_for),
        cmocka_unit_test(a_local_datastore_has_the_room_of_each_host),
        cmocka_unit_test(a_vm_that_ran_stays_with_its_disks),
        cmocka_unit_test(equal_wishes_share_their_answer),
        cmocka_unit_test(what_an_owner_may_cost_is_bounded),
        cmocka_unit_test(no_hosts_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
