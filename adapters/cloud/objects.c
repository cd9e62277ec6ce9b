/* Finds and frees objects of pools. */
#include "adapters/cloud/objects.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/cloud/pool_memory.h"
#include "util/memory.h"
#include "util/search.h"
#include "util/words.h"

const char *attributes_find(const struct attributes *attributes, const char *name)
{
    for (size_t i = 0; i < attributes->n; i++)
        if (words_equal(attributes->items[i].name, name))
            return attributes->items[i].value;
    return NULL;
}

const char *host_attribute(const struct host *host, const char *name)
{
    const char *value = attributes_find(&host->attributes, name);

    return value ? value : attributes_find(&host->figures, name);
}

bool host_takes_usual_vms(const struct host *host)
{
    const char *pinned = host_attribute(host, "PIN_POLICY");
    const char *public = host_attribute(host, "PUBLIC_CLOUD");

    return !(pinned && strcasecmp(pinned, "PINNED") == 0) &&
           !(public && strcasecmp(public, "YES") == 0);
}

/* The first member of all objects is their id. */
static void *find(const void *items, size_t n, size_t size, int32_t id)
{
    return n > 0 ? bsearch(&id, items, n, size, search_by_id) : NULL;
}

struct vm *vm_pool_find(const struct vm_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

struct host *host_pool_find(const struct host_pool *pool, int32_t id)
{
    /* If no host has been deleted, ids equal indexes. */
    if (id >= 0 && (size_t)id < pool->n && pool->items[id].id == id)
        return &pool->items[id];
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

const struct cluster *cluster_pool_find(const struct cluster_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

const struct datastore *datastore_pool_find(const struct datastore_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

const struct network *network_pool_find(const struct network_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

const struct user *user_pool_find(const struct user_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

const struct vm_use *vm_use_pool_find(const struct vm_use_pool *pool, int32_t vm)
{
    return find(pool->items, pool->n, sizeof *pool->items, vm);
}

bool vmgroup_role_allows(const struct vmgroup_role *role, int32_t host, int32_t cluster)
{
    return (role->hosts.n == 0 || ids_have(role->hosts.ids, role->hosts.n, host)) &&
           (role->clusters.n == 0 || ids_have(role->clusters.ids, role->clusters.n, cluster)) &&
           !ids_have(role->not_hosts.ids, role->not_hosts.n, host) &&
           !ids_have(role->not_clusters.ids, role->not_clusters.n, cluster);
}

uint64_t vmgroup_on_one_host(const struct vmgroup *group, uint32_t role)
{
    uint64_t roles = UINT64_C(1) << role, before;

    if (group->weight > 0 || group->by_cluster)
        return roles;
    do {
        before = roles;
        for (size_t i = 0; i < group->n_rules; i++)
            if (!group->rules[i].apart && group->rules[i].roles & roles)
                roles |= group->rules[i].roles;
    } while (roles != before);
    return roles;
}

/* --- members of VM groups --------------------------------------------------------------------- */

static int by_vm(const void *a, const void *b)
{
    const struct vmgroup_member *left = a, *right = b;

    if (left->vm != right->vm)
        return left->vm < right->vm ? -1 : 1;
    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return (left->role > right->role) - (left->role < right->role);
}

void vmgroup_pool_index(struct vmgroup_pool *pool)
{
    size_t allocated = 0, n = 0;

    free(pool->members);
    pool->members = NULL;
    for (uint32_t i = 0; i < pool->n; i++)
        for (uint32_t j = 0; j < pool->items[i].n_roles; j++) {
            const struct id_set *vms = &pool->items[i].roles[j].vms;

            MEMORY_GROW(pool->members, allocated, n + vms->n);
            for (size_t k = 0; k < vms->n; k++)
                pool->members[n++] =
                    (struct vmgroup_member){.vm = vms->ids[k], .group = i, .role = j};
        }
    if (n > 0)
        qsort(pool->members, n, sizeof *pool->members, by_vm);
    pool->n_members = n;
}

const struct vmgroup_member *vmgroup_pool_roles_of(const struct vmgroup_pool *pool, int32_t vm,
                                                   size_t *n)
{
    size_t first =
        search_place(&vm, pool->members, pool->n_members, sizeof *pool->members, search_by_id);
    size_t end = first;

    while (end < pool->n_members && pool->members[end].vm == vm)
        end++;
    *n = end - first;
    return *n ? &pool->members[first] : NULL;
}

/* --- freeing ---------------------------------------------------------------------------------- */

#define DEFINE_POOL_FINISH(type)                                                                   \
    void type##_pool_finish(struct type##_pool *pool)                                              \
    {                                                                                              \
        free(pool->items);                                                                         \
        pool_memory_destroy(pool->memory);                                                         \
        *pool = (struct type##_pool){0};                                                           \
    }

DEFINE_POOL_FINISH(vm)
DEFINE_POOL_FINISH(host)
DEFINE_POOL_FINISH(datastore)
DEFINE_POOL_FINISH(network)
DEFINE_POOL_FINISH(cluster)
DEFINE_POOL_FINISH(user)
DEFINE_POOL_FINISH(vm_use)

void vmgroup_pool_finish(struct vmgroup_pool *pool)
{
    free(pool->items);
    free(pool->members);
    pool_memory_destroy(pool->memory);
    *pool = (struct vmgroup_pool){0};
}

void acl_finish(struct acl *acl)
{
    free(acl->rules);
    pool_memory_destroy(acl->memory);
    *acl = (struct acl){0};
}

int64_t datastore_reported(const struct datastore *datastore, const struct host *host,
                           bool *by_itself)
{
    *by_itself = true;
    if (datastore->shared && datastore->free >= 0) /* measured as a whole */
        return datastore->free;
    for (size_t i = 0; i < host->n_rooms; i++)
        if (host->rooms[i].datastore == datastore->id)
            return host->rooms[i].free > 0 ? host->rooms[i].free : 0;
    *by_itself = false;
    return host->disk;
}
