/* Hosts, datastores, clusters, users and access rules as 6.10 and 7.4 describe them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/pool.h"
#include "test/opennebula/recordings.h"

/* Read a recorded document of a kind into *pool; nothing may point into the document. */
#define READ(kind, pool, version, name)                                                            \
    do {                                                                                           \
        struct error problem;                                                                      \
        size_t length;                                                                             \
        char *document = recorded_document(version, name, &length);                                \
                                                                                                   \
        if (kind##_pool_parse(pool, document, length, &problem) < 0)                               \
            fail_msg("%s", problem.text);                                                          \
        assert_int_equal((pool)->errors.n, 0);                                                     \
        memset(document, 'x', length);                                                             \
        free(document);                                                                            \
    } while (0)

static void assert_attribute(const struct attributes *attributes, const char *name,
                             const char *value)
{
    const char *found = attributes_find(attributes, name);

    if (!found)
        fail_msg("no attribute %s", name);
    assert_string_equal(found, value);
}

static int64_t number_in(const struct attributes *attributes, const char *name)
{
    const char *found = attributes_find(attributes, name);

    if (!found)
        fail_msg("no attribute %s", name);
    return atoll(found);
}

static void host_with_load(void **state)
{
    static const int32_t expected[] = {13, 14, 15, 20, 21};
    struct host_pool pool;
    const struct host *host;
    size_t n_current = 0;

    for (size_t v = 0; v < 2; v++) {
        READ(host, &pool, recorded_versions[v], "host.info.loaded");
        assert_int_equal(pool.n, 1);
        host = &pool.items[0];
        assert_int_equal(host->id, 0);
        assert_string_equal(host->name, "c16m64-0000");
        assert_int_equal(host->cluster, 0);
        assert_string_equal(host->cluster_name, "default");
        assert_int_equal(host->state, HOST_ON);
        assert_int_equal(host->cpu, 1600);
        assert_int_equal(host->memory, 65536);
        assert_int_equal(host->cpu_usage, 500);
        assert_int_equal(host->memory_usage, 5120);
        assert_int_equal(host->running_vms, 5);
        assert_int_equal(host->n_vms, 5);
        assert_memory_equal(host->vms, expected, sizeof expected);
        assert_attribute(&host->attributes, "CURRENT_VMS", "13");
        n_current = 0;
        for (size_t i = 0; i < host->attributes.n; i++)
            n_current += strcmp(host->attributes.items[i].name, "CURRENT_VMS") == 0;
        assert_int_equal(n_current, 5);
        host_pool_finish(&pool);
    }
}

static void attributes_of_hosts(void **state)
{
    static const struct attribute expected[] = {
        {"RACK", "r1"},          {"PRIORITY", "10"},     {"ID", "5"},
        {"NAME", "rack1-c8m32"}, {"CLUSTER", "default"}, {"CLUSTER_ID", "0"},
        {"HYPERVISOR", "dummy"}, {"IM_MAD", "dummy"},    {"VM_MAD", "dummy"},
        {"STATE", "2"},          {"RUNNING_VMS", "0"},   {"MAX_CPU", "600"},
        {"MAX_MEM", "31457280"}, {"CPU_USAGE", "0"},     {"MEM_USAGE", "0"},
        {"RESERVED_CPU", "200"}, {"TOTAL_CPU", "800"},   {"FREE_DISK", "2038280"},
    };
    struct host_pool pool;
    const struct host *host;

    for (size_t v = 0; v < 2; v++) {
        READ(host, &pool, recorded_versions[v], "host.info.template-attrs");
        host = &pool.items[0];
        assert_int_equal(host->cpu, 600);
        assert_int_equal(host->memory, 30720);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            assert_attribute(&host->attributes, expected[i].name, expected[i].value);
        assert_int_equal(number_in(&host->attributes, "FREE_CPU") +
                             number_in(&host->attributes, "USED_CPU"),
                         800);
        assert_int_equal(number_in(&host->attributes, "FREE_MEMORY") +
                             number_in(&host->attributes, "USED_MEMORY"),
                         33554432);
        assert_true(number_in(&host->attributes, "NETRX") > 0);
        assert_null(attributes_find(&host->attributes, "CURRENT_VMS"));
        host_pool_finish(&pool);
        /* Empty is absent. */
        READ(host, &pool, recorded_versions[v], "host.info.plain");
        assert_attribute(&pool.items[0].attributes, "RESERVED_CPU", ""); /* empty, but there */
        host_pool_finish(&pool);
        READ(host, &pool, recorded_versions[v], "host.info.numa-pci");
        assert_attribute(&pool.items[0].attributes, "PIN_POLICY", "PINNED");
        assert_attribute(&pool.items[0].attributes, "ID", "4");
        host_pool_finish(&pool);
    }
}

static void hosts_of_all_kinds(void **state)
{
    static const enum host_state expected[] = {HOST_ON,       HOST_ON,      HOST_ON,
                                               HOST_ON,       HOST_ON,      HOST_ON,
                                               HOST_DISABLED, HOST_OFFLINE, HOST_ERROR};
    struct host_pool pool;

    for (size_t v = 0; v < 2; v++) {
        READ(host, &pool, recorded_versions[v], "hostpool.info");
        assert_int_equal(pool.n, 9);
        for (int32_t i = 0; i < 9; i++) {
            assert_int_equal(pool.items[i].id, i);
            assert_int_equal(pool.items[i].state, expected[i]);
        }
        assert_int_equal(host_pool_find(&pool, 4)->cluster, 100);
        assert_int_equal(host_pool_find(&pool, 8)->cpu, 0);
        assert_int_equal(host_pool_find(&pool, 6)->cpu, 1600); /* disabled: its last capacity */
        assert_null(host_pool_find(&pool, 9));
        host_pool_finish(&pool);
        READ(host, &pool, recorded_versions[v], "hostpool.info.as-alice");
        assert_int_equal(pool.n, 0);
        assert_null(host_pool_find(&pool, 0));
        host_pool_finish(&pool);
    }
}

static void read_monitoring(struct host_monitoring_pool *monitoring, const char *version)
{
    size_t length;
    char *document = recorded_document(version, "hostpool.monitoring.last", &length);
    struct error err;

    if (host_monitoring_parse(monitoring, document, length, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(monitoring->errors.n, 0);
    memset(document, 'x', length);
    free(document);
}

/* The pool of hosts has no monitored figures; they come with another call. */
static void monitored_figures(void **state)
{
    static const char *const free_cpu[] = {"1418", "1270"}; /* as recorded */
    struct host_monitoring_pool monitoring;
    struct host_pool pool;

    for (size_t v = 0; v < 2; v++) {
        size_t n_before;

        read_monitoring(&monitoring, recorded_versions[v]);
        assert_int_equal(monitoring.n, 8);
        READ(host, &pool, recorded_versions[v], "hostpool.info");
        assert_null(attributes_find(&pool.items[0].attributes, "FREE_CPU"));
        n_before = pool.items[0].attributes.n;
        host_monitoring_merge(&pool, &monitoring);
        host_monitoring_finish(&monitoring);
        assert_int_equal(pool.items[0].attributes.n, n_before);
        assert_int_equal(pool.items[0].figures.n, 6);
        assert_attribute(&pool.items[0].attributes, "ID", "0");
        assert_attribute(&pool.items[0].figures, "FREE_CPU", free_cpu[v]);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(number_in(&pool.items[i].figures, "FREE_MEMORY") +
                                 number_in(&pool.items[i].figures, "USED_MEMORY"),
                             number_in(&pool.items[i].attributes, "TOTAL_MEM"));
        assert_non_null(host_attribute(&pool.items[7], "NETTX"));
        assert_null(host_attribute(&pool.items[8], "FREE_CPU")); /* never reported */
        host_pool_finish(&pool);
    }
}

static void figures_come_last(void **state)
{
    static const char hosts[] = "<HOST_POOL><HOST><ID>1</ID><STATE>2</STATE><TEMPLATE>"
                                "<FREE_CPU>7</FREE_CPU></TEMPLATE></HOST></HOST_POOL>";
    static const char figures[] =
        "<MONITORING_DATA>"
        "<MONITORING><ID>2</ID><CAPACITY><USED_CPU>9</USED_CPU></CAPACITY></MONITORING>"
        "<MONITORING><ID>1</ID><CAPACITY><FREE_CPU>8</FREE_CPU><USED_CPU>3</USED_CPU></CAPACITY>"
        "<NUMA_NODE><FREE_CPU>4</FREE_CPU></NUMA_NODE></MONITORING>"
        "<MONITORING><CAPACITY><USED_CPU>5</USED_CPU></CAPACITY></MONITORING></MONITORING_DATA>";
    struct host_monitoring_pool monitoring;
    struct host_pool pool;
    struct error err;

    assert_int_equal(host_pool_parse(&pool, hosts, sizeof hosts - 1, &err), 0);
    assert_int_equal(host_monitoring_parse(&monitoring, figures, sizeof figures - 1, &err), 0);
    assert_int_equal(monitoring.errors.n, 1);
    assert_string_equal(monitoring.errors.first, "a host's record has no ID");
    host_monitoring_merge(&pool, &monitoring);
    host_monitoring_finish(&monitoring);
    assert_string_equal(host_attribute(&pool.items[0], "FREE_CPU"), "7"); /* the template's */
    assert_string_equal(host_attribute(&pool.items[0], "USED_CPU"), "3");
    assert_int_equal(pool.items[0].figures.n, 1);
    host_pool_finish(&pool);
    assert_int_equal(host_monitoring_parse(&monitoring, hosts, sizeof hosts - 1, &err), -1);
    assert_int_equal(monitoring.n, 0);
}

/* The template's values go before the host's own of the same name. */
static void template_first(void **state)
{
    static const char document[] =
        "<HOST><ID>1</ID><NAME>real</NAME><STATE>2</STATE><HOST_SHARE><MAX_CPU>-100</MAX_CPU>"
        "<MAX_MEM>2047</MAX_MEM><MEM_USAGE>1025</MEM_USAGE><FREE_CPU>1</FREE_CPU></HOST_SHARE>"
        "<TEMPLATE><name>mine</name><GPU><MODEL>A</MODEL></GPU><GPU><MODEL>B</MODEL></GPU>"
        "</TEMPLATE><MONITORING><CAPACITY><FREE_CPU>2</FREE_CPU></CAPACITY></MONITORING></HOST>";
    struct host_pool pool;
    const struct host *host;
    struct error err;

    assert_int_equal(host_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    host = &pool.items[0];
    assert_string_equal(host->name, "real");
    assert_attribute(&host->attributes, "NAME", "mine");
    assert_attribute(&host->attributes, "FREE_CPU", "1");
    assert_attribute(&host->attributes, "GPU/MODEL", "A");
    assert_string_equal(host->attributes.items[2].name, "GPU/MODEL");
    assert_string_equal(host->attributes.items[2].value, "B");
    /* More is reserved than there is; what a VM may have is rounded down, what is used up. */
    assert_int_equal(host->cpu, 0);
    assert_int_equal(host->memory, 1);
    assert_int_equal(host->memory_usage, 2);
    host_pool_finish(&pool);
}

/* After 'onevm resize --memory 9223372036854775' of a VM that is powered off. */
static void sums_that_wrap_around_hide_no_host(void **state)
{
    static const char document[] =
        "<HOST><ID>1</ID><NAME>a</NAME><STATE>2</STATE><HOST_SHARE><MAX_CPU>800</MAX_CPU>"
        "<MAX_MEM>2048</MAX_MEM><CPU_USAGE>99999999999999999999</CPU_USAGE>"
        "<MEM_USAGE>-9002011107970262016</MEM_USAGE></HOST_SHARE></HOST>";
    static const char wrong[] =
        "<HOST><ID>1</ID><NAME>a</NAME><STATE>2</STATE><HOST_SHARE><CPU_USAGE>x</CPU_USAGE>"
        "</HOST_SHARE></HOST>";
    struct host_pool pool;
    struct error err;

    assert_int_equal(host_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.items[0].memory, 2);
    assert_int_equal(pool.items[0].memory_usage, 0);
    assert_true(pool.items[0].cpu_usage > 800);
    host_pool_finish(&pool);
    assert_int_equal(host_pool_parse(&pool, wrong, sizeof wrong - 1, &err), 0);
    assert_int_equal(pool.n, 0);
    host_pool_finish(&pool);
}

static void datastores(void **state)
{
    struct datastore_pool pool;
    const struct datastore *system;

    for (size_t v = 0; v < 2; v++) {
        READ(datastore, &pool, recorded_versions[v], "datastorepool.info");
        assert_int_equal(pool.n, 4);
        system = &pool.items[0];
        assert_int_equal(system->id, 0);
        assert_string_equal(system->name, "system");
        assert_int_equal(system->type, 1);
        assert_int_equal(system->state, 0);
        assert_true(system->shared);
        assert_int_equal(system->n_clusters, 2);
        assert_int_equal(system->clusters[0], 0);
        assert_int_equal(system->clusters[1], 100);
        assert_true(system->free > 0 && system->free < system->total);
        assert_attribute(&system->attributes, "TYPE", "SYSTEM_DS");
        assert_attribute(&system->attributes, "CLUSTERS/ID", "0");
        assert_attribute(&system->attributes, "NAME", "system");
        assert_non_null(attributes_find(&system->attributes, "FREE_MB"));
        assert_int_equal(pool.items[1].type, 0);
        assert_true(pool.items[1].shared); /* nothing is said */
        assert_int_equal(pool.items[3].id, 100);
        assert_attribute(&pool.items[3].attributes, "PRIORITY", "3");
        datastore_pool_finish(&pool);
    }
}

static void datastore_free(void **state)
{
    static const struct {
        const char *values;
        int64_t free;
    } cases[] = {
        {"", -1},
        {"<FREE_MB>0</FREE_MB><TOTAL_MB>0</TOTAL_MB><USED_MB>0</USED_MB>", -1},
        {"<FREE_MB/><TOTAL_MB/><USED_MB/>", -1},
        {"<FREE_MB>0</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>500</USED_MB>", 0},
        {"<FREE_MB>-4</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>504</USED_MB>", 0},
        {"<FREE_MB>7</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>493</USED_MB>", 7},
        {"<FREE_MB>300</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>200</USED_MB><TEMPLATE>"
         "<LIMIT_MB>250</LIMIT_MB></TEMPLATE>",
         50},
        {"<FREE_MB>300</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>200</USED_MB><TEMPLATE>"
         "<LIMIT_MB>100</LIMIT_MB></TEMPLATE>",
         0},
        {"<FREE_MB>300</FREE_MB><TOTAL_MB>500</TOTAL_MB><USED_MB>200</USED_MB><TEMPLATE>"
         "<LIMIT_MB>900</LIMIT_MB></TEMPLATE>",
         300},
        {"<FREE_MB>300</FREE_MB><USED_MB>200</USED_MB><TEMPLATE><LIMIT_MB>-</LIMIT_MB></TEMPLATE>",
         300},
    };
    struct datastore_pool pool;
    char document[256];
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(document, sizeof document, "<DATASTORE><ID>3</ID>%s</DATASTORE>", cases[i].values);
        assert_int_equal(datastore_pool_parse(&pool, document, strlen(document), &err), 0);
        assert_int_equal(pool.items[0].free, cases[i].free);
        datastore_pool_finish(&pool);
    }
}

static void clusters(void **state)
{
    static const char wild[] = "<CLUSTER><ID>5</ID><NAME>x</NAME><TEMPLATE><RESERVED_CPU>10%"
                               "</RESERVED_CPU><RESERVED_MEM>some</RESERVED_MEM></TEMPLATE>"
                               "</CLUSTER>";
    struct cluster_pool pool;
    struct error err;

    for (size_t v = 0; v < 2; v++) {
        READ(cluster, &pool, recorded_versions[v], "clusterpool.info");
        assert_int_equal(pool.n, 2);
        assert_string_equal(pool.items[0].name, "default");
        assert_int_equal(pool.items[1].id, 100);
        assert_attribute(&pool.items[1].attributes, "PRIORITY", "7");
        cluster_pool_finish(&pool);
    }
    assert_int_equal(cluster_pool_parse(&pool, wild, sizeof wild - 1, &err), 0);
    assert_attribute(&pool.items[0].attributes, "RESERVED_CPU", "10%");
    assert_attribute(&pool.items[0].attributes, "RESERVED_MEM", "some");
    cluster_pool_finish(&pool);
}

static void users(void **state)
{
    struct user_pool pool;
    const struct user *alice;

    for (size_t v = 0; v < 2; v++) {
        READ(user, &pool, recorded_versions[v], "userpool.info");
        assert_int_equal(pool.n, 3);
        assert_string_equal(pool.items[0].name, "oneadmin");
        alice = &pool.items[2];
        assert_int_equal(alice->id, 2);
        assert_int_equal(alice->gid, 1);
        assert_string_equal(alice->name, "alice");
        assert_string_equal(alice->group, "users");
        assert_true(alice->enabled);
        assert_int_equal(alice->n_groups, 1);
        assert_int_equal(alice->groups[0], 1);
        /* Its only attribute is a secret, which is not kept. */
        assert_int_equal(alice->attributes.n, 0);
        user_pool_finish(&pool);
    }
}

static void user_attributes(void **state)
{
    static const char document[] =
        "<USER><ID>4</ID><GID>1</GID><GROUPS><ID>1</ID><ID>100</ID></GROUPS><ENABLED>0</ENABLED>"
        "<TEMPLATE><HAIZEA><MAX_LEASES>3</MAX_LEASES></HAIZEA><SSH_PASSWORD>secret</SSH_PASSWORD>"
        "<LOGIN><TOKEN>abc</TOKEN></LOGIN></TEMPLATE></USER>";
    struct user_pool pool;
    struct error err;

    assert_int_equal(user_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_false(pool.items[0].enabled);
    assert_int_equal(pool.items[0].n_groups, 2);
    assert_int_equal(pool.items[0].attributes.n, 1);
    assert_attribute(&pool.items[0].attributes, "HAIZEA/MAX_LEASES", "3");
    user_pool_finish(&pool);
}

static void access_rules(void **state)
{
    static const char bad[] = "<ACL_POOL><ACL><ID>0</ID><USER>xyz</USER></ACL></ACL_POOL>";
    struct error err;
    struct acl acl;
    size_t length;
    char *document;

    for (size_t v = 0; v < 2; v++) {
        document = recorded_document(recorded_versions[v], "acl.info", &length);
        assert_int_equal(acl_parse(&acl, document, length, &err), 0);
        free(document);
        assert_int_equal(acl.n, 9);
        assert_true(acl.rules[1].user == UINT64_C(0x200000001));
        assert_true(acl.rules[1].resource == UINT64_C(0x2400000000));
        assert_true(acl.rules[1].rights == 2);
        assert_true(acl.rules[1].zone == UINT64_C(0x100000000));
        assert_true(acl.rules[8].resource == UINT64_C(0x18000400000000));
        acl_finish(&acl);
    }
    assert_int_equal(acl_parse(&acl, bad, sizeof bad - 1, &err), -1);
    assert_non_null(strstr(err.text, "USER is \"xyz\", not a hexadecimal number"));
    assert_int_equal(acl.n, 0);
}

static void raft(void **state)
{
    static const struct {
        const char *document, *role;
        bool leads;
        int64_t term;
        int32_t server;
    } cases[] = {
        {"<RAFT><SERVER_ID>-1</SERVER_ID><STATE>0</STATE><TERM>3</TERM></RAFT>", "solo", true, 0,
         -1},
        {"<RAFT><SERVER_ID>1</SERVER_ID><STATE>1</STATE><TERM>4</TERM></RAFT>", "candidate", false,
         4, 1},
        {"<RAFT><SERVER_ID>2</SERVER_ID><STATE>2</STATE><TERM>5</TERM></RAFT>", "follower", false,
         5, 2},
        {"<RAFT><SERVER_ID>0</SERVER_ID><STATE>3</STATE><TERM>6</TERM></RAFT>", "leader", true, 6,
         0},
        {"<RAFT><STATE>9</STATE></RAFT>", "state 9", false, 0, 0},
    };
    static const char *const bad[] = {"<RAFT/>",
                                      "<RAFT><STATE/></RAFT>",
                                      "<RAFT><STATE>x</STATE></RAFT>",
                                      "<RAFT><STATE>3</STATE></RAFT>",
                                      "<RAFT><STATE>3</STATE><TERM>x</TERM></RAFT>",
                                      "<VM/>",
                                      "no"};
    struct cloud_leadership told;
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            raft_status_parse(&told, cases[i].document, strlen(cases[i].document), &err), 0);
        assert_int_equal(told.leads, cases[i].leads);
        assert_string_equal(told.role, cases[i].role);
        assert_int_equal(told.term, cases[i].term);
        assert_int_equal(told.server, cases[i].server);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(raft_status_parse(&told, bad[i], strlen(bad[i]), &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_with_load),
        cmocka_unit_test(attributes_of_hosts),
        cmocka_unit_test(hosts_of_all_kinds),
        cmocka_unit_test(monitored_figures),
        cmocka_unit_test(figures_come_last),
        cmocka_unit_test(template_first),
        cmocka_unit_test(sums_that_wrap_around_hide_no_host),
        cmocka_unit_test(datastores),
        cmocka_unit_test(datastore_free),
        cmocka_unit_test(clusters),
        cmocka_unit_test(users),
        cmocka_unit_test(user_attributes),
        cmocka_unit_test(access_rules),
        cmocka_unit_test(raft),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
