/* Any bytes as a document with datastores, clusters, users or access rules, or Raft's state. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void read_others(const char *document, size_t length)
{
    struct cluster_pool clusters;
    struct error err;
    struct acl acl;
    char name[16] = "";
    bool leads;

    if (cluster_pool_parse(&clusters, document, length, &err) == 0)
        cluster_pool_finish(&clusters);
    if (acl_parse(&acl, document, length, &err) == 0)
        acl_finish(&acl);
    if (raft_status_parse(document, length, &leads, name, sizeof name, &err) == 0 && !*name)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_datastores((const char *)data, size);
    read_users((const char *)data, size);
    read_others((const char *)data, size);
    return 0;
}
