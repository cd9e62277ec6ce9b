/* A site of hosts, datastores and networks, and a VM with requirements. */
#include "test/opennebula/eligibility_fixture.h"
#include "core/reason_details.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

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
        HOST(3, 100, 2, 2, "<RACK>r3</RACK><BLANK></BLANK>")
            HOST(4, 0, 4, 0, "<RACK>r4</RACK>") "</HOST_POOL>";

static const char datastores_document[] =
    "<DATASTORE_POOL><DATASTORE><ID>1</ID><NAME>images</NAME><TYPE>0</TYPE><STATE>0</STATE>"
    "<TOTAL_MB>900</TOTAL_MB><FREE_MB>500</FREE_MB><TEMPLATE><SHARED>NO</SHARED></TEMPLATE>"
    "</DATASTORE>" SYSTEM_DATASTORE(0, 0, 0, 5000) SYSTEM_DATASTORE(7, 0, 0, 9000)
        SYSTEM_DATASTORE(8, 100, 0, 100) SYSTEM_DATASTORE(9, 0, 1, 99000) "</DATASTORE_POOL>";

static const char clusters_document[] =
    "<CLUSTER_POOL><CLUSTER><ID>0</ID><NAME>c0</NAME><TEMPLATE></TEMPLATE></CLUSTER>"
    "<CLUSTER><ID>100</ID><NAME>c100</NAME><TEMPLATE><SITE>paris</SITE><PRIORITY>5</PRIORITY>"
    "</TEMPLATE></CLUSTER></CLUSTER_POOL>";

static const char users_document[] =
    "<USER_POOL><USER><ID>5</ID><GID>1</GID><GROUPS><ID>1</ID><ID>100</ID></GROUPS><GNAME>users"
    "</GNAME><NAME>ada</NAME><ENABLED>1</ENABLED><TEMPLATE></TEMPLATE></USER></USER_POOL>";

#define NETWORK(id, clusters, size, used, others, template)                                        \
    "<VNET><ID>" #id "</ID><UID>0</UID><GID>0</GID><NAME>n" #id                                    \
    "</NAME><PERMISSIONS><OTHER_U>" #others "</OTHER_U></PERMISSIONS><CLUSTERS>" clusters          \
    "</CLUSTERS><USED_LEASES>" #used                                                               \
    "</USED_LEASES><TEMPLATE>" template "</TEMPLATE><AR_POOL><AR><SIZE>1</SIZE></"                 \
                                        "AR><AR><SIZE>" #size "</SIZE></AR></AR_POOL></VNET>"

static const char networks_document[] =
    "<VNET_POOL>" NETWORK(1, "<ID>0</ID>", 2, 1, 1, "<KIND>public</KIND><PRIORITY>5</PRIORITY>")
        NETWORK(2, "<ID>0</ID>", 49, 10, 1, "<KIND>private</KIND>")
            NETWORK(3, "<ID>0</ID><ID>100</ID>", 1, 2, 1, "<KIND>full</KIND>")
                NETWORK(4, "<ID>100</ID>", 9, 0, 0, "<KIND>secret</KIND>") "</VNET_POOL>";

void some_site_init(struct some_site *site, const char *acl,
                    const struct eligibility_settings *settings)
{
    static const struct eligibility_settings striping = {.policy = HOST_POLICY_STRIPING,
                                                         .datastore_policy = PLACEMENT_STRIPING,
                                                         .network_policy = PLACEMENT_STRIPING};
    struct error err = {0};

    *site = (struct some_site){0};
    assert_int_equal(host_pool_parse(&site->hosts, hosts_document, sizeof hosts_document - 1, &err),
                     0);
    assert_int_equal(datastore_pool_parse(&site->datastores, datastores_document,
                                          sizeof datastores_document - 1, &err),
                     0);
    assert_int_equal(
        cluster_pool_parse(&site->clusters, clusters_document, sizeof clusters_document - 1, &err),
        0);
    assert_int_equal(
        network_pool_parse(&site->networks, networks_document, sizeof networks_document - 1, &err),
        0);
    assert_int_equal(user_pool_parse(&site->users, users_document, sizeof users_document - 1, &err),
                     0);
    if (acl)
        assert_int_equal(acl_parse(&site->acl, acl, strlen(acl), &err), 0);
    site->eligibility =
        eligibility_create(&(struct eligibility_site){.hosts = &site->hosts,
                                                      .datastores = &site->datastores,
                                                      .networks = &site->networks,
                                                      .clusters = &site->clusters,
                                                      .users = &site->users,
                                                      .acl = acl ? &site->acl : NULL},
                           settings ? settings : &striping, &err);
    if (!site->eligibility)
        fail_msg("%s", err.text);
}

void some_site_finish(struct some_site *site)
{
    eligibility_destroy(site->eligibility);
    host_pool_finish(&site->hosts);
    datastore_pool_finish(&site->datastores);
    network_pool_finish(&site->networks);
    cluster_pool_finish(&site->clusters);
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
}

struct vm *vm_with(struct some_vm *some, const char *name, const char *value)
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

void assert_hosts(const struct some_site *site, const struct vm *vm, const char *expected)
{
    struct eligible eligible;
    char hosts[64] = "";
    size_t n = 0;

    eligibility_of(site->eligibility, vm, &eligible);
    for (size_t i = 0; eligible.filter && i < site->hosts.n; i++)
        if (host_filter_allows(eligible.filter, i)) {
            hosts[n ? 2 * n - 1 : 0] = n ? ',' : '\0';
            hosts[2 * n] = (char)('0' + i);
            n++;
        }
    if (strcmp(hosts, expected))
        fail_msg("hosts %s, not %s (%s)", hosts, expected, eligible.reason);
    assert_int_equal(n, eligible.n_hosts);
    assert_int_equal(n == 0, eligible.reason[0] != '\0');
}

void assert_sentence(const char *reason, const char *part)
{
    char sentence[REASON_DETAILS_MAX];

    reason = details_text(reason, sentence, sizeof sentence, NULL);
    if (!strstr(reason, part))
        fail_msg("'%s' does not say '%s'", reason, part);
}

void assert_reason(const struct some_site *site, const struct vm *vm, const char *part)
{
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    assert_sentence(eligible.reason, part);
}

int32_t datastore_of(const struct some_site *site, const struct vm *vm, uint32_t host,
                     const char *part)
{
    char reason[256];
    int32_t chosen = eligibility_datastore(site->eligibility, vm, host, reason, sizeof reason);

    if (part)
        assert_sentence(reason, part);
    return chosen;
}
