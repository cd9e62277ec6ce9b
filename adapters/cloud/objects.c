/* Pools of objects: finding and freeing. */
#include "adapters/cloud/objects.h"

#include <stdlib.h>
#include <string.h>

#include "adapters/cloud/pool_memory.h"

const char *attributes_find(const struct attributes *attributes, const char *name)
{
    for (size_t i = 0; i < attributes->n; i++)
        if (strcmp(attributes->items[i].name, name) == 0)
            return attributes->items[i].value;
    return NULL;
}

static int by_id(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return (left > right) - (left < right);
}

/* Objects begin with their id. */
static void *find(const void *items, size_t n, size_t size, int32_t id)
{
    return n > 0 ? bsearch(&id, items, n, size, by_id) : NULL;
}

struct vm *vm_pool_find(const struct vm_pool *pool, int32_t id)
{
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

struct host *host_pool_find(const struct host_pool *pool, int32_t id)
{
    /* If no host was ever deleted, ids equal places. */
    if (id >= 0 && (size_t)id < pool->n && pool->items[id].id == id)
        return &pool->items[id];
    return find(pool->items, pool->n, sizeof *pool->items, id);
}

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
DEFINE_POOL_FINISH(cluster)
DEFINE_POOL_FINISH(user)

void acl_finish(struct acl *acl)
{
    free(acl->rules);
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
