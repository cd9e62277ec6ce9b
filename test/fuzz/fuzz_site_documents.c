/* Any bytes as a document with datastores, clusters, users, VM groups, access rules or hosts'
 * figures, or Raft's state. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/pool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_datastores(const char *document, size_t length)
{
    struct datastore_pool pool;
    struct error err;

    if (datastore_pool_parse(&pool, document, length, &err) < 0)
        return;
    for (size_t i = 0; i < pool.n; i++)
        if (pool.items[i].free < -1 || !pool.items[i].name ||
            (i > 0 && pool.items[i - 1].id >= pool.items[i].id))
            abort();
    datastore_pool_finish(&pool);
}

static void read_users(const char *document, size_t length)
{
    struct user_pool pool;
    struct error err;

    if (user_pool_parse(&pool, document, length, &err) < 0)
        return;
    for (size_t i = 0; i < pool.n; i++)
        for (size_t j = 0; j < pool.items[i].attributes.n; j++)
            if (strstr(pool.items[i].attributes.items[j].name, "PASSWORD"))
                abort();
    user_pool_finish(&pool);
}

/* As figures of hosts 0 and 1. */
static void read_monitoring(const char *document, size_t length)
{
    static const char two[] =
        "<HOST_POOL><HOST><ID>0</ID><STATE>2</STATE><TEMPLATE><A>1</A>"
        "</TEMPLATE></HOST><HOST><ID>1</ID><STATE>2</STATE></HOST></HOST_POOL>";
    struct host_monitoring_pool monitoring;
    struct host_pool hosts;
    struct error err;

    if (host_monitoring_parse(&monitoring, document, length, &err) < 0)
        return;
    if (host_pool_parse(&hosts, two, sizeof two - 1, &err) < 0)
        abort();
    host_monitoring_merge(&hosts, &monitoring);
    host_monitoring_finish(&monitoring);
    if (strcmp(attributes_find(&hosts.items[0].attributes, "A"), "1") != 0)
        abort();
    for (size_t i = 0; i < hosts.items[1].figures.n; i++)
        if (strlen(hosts.items[1].figures.items[i].value) == 0)
            abort();
    host_pool_finish(&hosts);
}

static void read_vmgroups(const char *document, size_t length)
{
    struct vmgroup_pool pool;
    struct error err;

    if (vmgroup_pool_parse(&pool, document, length, &err) < 0)
        return;
    for (size_t i = 0; i < pool.n_members; i++) {
        const struct vmgroup_member *member = &pool.members[i];
        size_t n;

        const struct id_set *vms;

        if (member->group >= pool.n || member->role >= pool.items[member->group].n_roles ||
            !vmgroup_pool_roles_of(&pool, member->vm, &n))
            abort();
        vms = &pool.items[member->group].roles[member->role].vms;
        if (!ids_have(vms->ids, vms->n, member->vm))
            abort();
    }
    for (size_t i = 0; i < pool.n; i++)
        for (size_t j = 0; j < pool.items[i].n_rules; j++)
            if (pool.items[i].n_roles < VMGROUP_ROLES_MAX &&
                pool.items[i].rules[j].roles >> pool.items[i].n_roles)
                abort();
    vmgroup_pool_finish(&pool);
}

static void read_others(const char *document, size_t length)
{
    struct network_pool networks;
    struct cluster_pool clusters;
    struct vm_use_pool uses;
    struct error err;
    struct acl acl;
    struct cloud_leadership leadership;

    if (network_pool_parse(&networks, document, length, &err) == 0)
        network_pool_finish(&networks);
    if (cluster_pool_parse(&clusters, document, length, &err) == 0)
        cluster_pool_finish(&clusters);
    if (vm_use_parse(&uses, document, length, &err) == 0)
        vm_use_pool_finish(&uses);
    if (acl_parse(&acl, document, length, &err) == 0)
        acl_finish(&acl);
    if (raft_status_parse(&leadership, document, length, &err) == 0 && !*leadership.role)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_datastores((const char *)data, size);
    read_users((const char *)data, size);
    read_monitoring((const char *)data, size);
    read_vmgroups((const char *)data, size);
    read_others((const char *)data, size);
    return 0;
}
