/* Modules that were tried in a child process already, so that each file is tried once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plugin/host_private.h"
#include "util/memory.h"

struct tried {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct policy_cache {
    pthread_mutex_t lock;
    struct tried *tried;
    size_t n, allocated;
};

struct policy_cache *policy_cache_create(struct error *err)
{
    struct policy_cache *cache = memory_new(1, sizeof *cache);
    int code = pthread_mutex_init(&cache->lock, NULL);

    if (code == 0)
        return cache;
    error_set(err, code, "no lock for the modules: %s", strerror(code));
    free(cache);
    return NULL;
}

void policy_cache_destroy(struct policy_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_destroy(&cache->lock);
    free(cache->tried);
    free(cache);
}

void policy_cache_lock(struct policy_cache *cache)
{
    if (cache)
        pthread_mutex_lock(&cache->lock);
}

void policy_cache_unlock(struct policy_cache *cache)
{
    if (cache)
        pthread_mutex_unlock(&cache->lock);
}

static bool describe(const char *file, struct tried *tried)
{
    struct stat status;

    if (stat(file, &status) < 0)
        return false;
    *tried = (struct tried){status.st_dev, status.st_ino, status.st_size, status.st_mtim};
    return true;
}

static bool knows(const struct policy_cache *cache, const char *file)
{
    struct tried now;

    if (!describe(file, &now))
        return false;
    for (size_t i = 0; i < cache->n; i++) {
        const struct tried *then = &cache->tried[i];

        if (then->device == now.device && then->inode == now.inode && then->size == now.size &&
            then->changed.tv_sec == now.changed.tv_sec &&
            then->changed.tv_nsec == now.changed.tv_nsec)
            return true;
    }
    return false;
}

bool policy_cache_knows(struct policy_cache *cache, const struct chain_plan *plans, size_t n)
{
    if (!cache)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < plans[i].n; j++)
            if (!knows(cache, plans[i].items[j].file))
                return false;
    return true;
}

void policy_cache_add(struct policy_cache *cache, const struct chain_plan *plans, size_t n)
{
    if (!cache)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < plans[i].n; j++) {
            struct tried tried;

            if (knows(cache, plans[i].items[j].file) || !describe(plans[i].items[j].file, &tried))
                continue;
            cache->tried = memory_grow(cache->tried, &cache->allocated, cache->n + 1,
                                       sizeof *cache->tried);
            cache->tried[cache->n++] = tried;
        }
}
