/* The images that a host keeps, and the VMs that use them. */
#include "core/image_cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/instant.h"
#include "util/memory.h"

static void entry_finish(struct image_cache_entry *entry)
{
    free(entry->image);
    free(entry->users);
}

void image_cache_finish(struct image_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++)
        entry_finish(&cache->entries[i]);
    free(cache->entries);
}

static struct image_cache_entry *find(const struct image_cache *cache, const char *image)
{
    for (size_t i = 0; i < cache->n; i++)
        if (strcmp(cache->entries[i].image, image) == 0)
            return &cache->entries[i];
    return NULL;
}

const struct image_cache_entry *image_cache_find(const struct image_cache *cache, const char *image)
{
    return find(cache, image);
}

static size_t find_user(const struct image_cache_entry *entry, struct image_user user)
{
    size_t i = 0;

    while (i < entry->n_users &&
           (entry->users[i].lease != user.lease || entry->users[i].vm != user.vm))
        i++;
    return i;
}

static void add_user(struct image_cache_entry *entry, struct image_user user)
{
    if (find_user(entry, user) < entry->n_users)
        return;
    MEMORY_GROW(entry->users, entry->users_allocated, entry->n_users + 1);
    entry->users[entry->n_users++] = user;
}

void image_cache_use(struct image_cache *cache, const char *image, struct image_user user,
                     int64_t keep_until)
{
    struct image_cache_entry *entry = find(cache, image);

    if (!entry)
        return;
    add_user(entry, user);
    if (keep_until > entry->keep_until)
        entry->keep_until = keep_until;
}

static int64_t size_of_all(const struct image_cache *cache)
{
    int64_t size = 0;

    for (size_t i = 0; i < cache->n; i++)
        size += cache->entries[i].size;
    return size;
}

/* Drops the unused image that expires first; false if all are in use. */
static bool purge_one(struct image_cache *cache)
{
    struct image_cache_entry *oldest = NULL;

    for (size_t i = 0; i < cache->n; i++) {
        struct image_cache_entry *entry = &cache->entries[i];

        if (entry->n_users == 0 && (!oldest || entry->keep_until < oldest->keep_until))
            oldest = entry;
    }
    if (!oldest)
        return false;
    entry_finish(oldest);
    memmove(oldest, oldest + 1,
            (size_t)(cache->entries + cache->n - (oldest + 1)) * sizeof *oldest);
    cache->n--;
    return true;
}

void image_cache_add(struct image_cache *cache, const char *image, int64_t size, int64_t limit,
                     struct image_user user)
{
    struct image_cache_entry *entry = find(cache, image);

    if (entry) {
        add_user(entry, user);
        return;
    }
    /* Haizea purges until the images already there are within the limit; it does not count the new
     * one. */
    if (size_of_all(cache) + size > limit)
        do {
            if (!purge_one(cache))
                return;
        } while (size_of_all(cache) > limit);
    MEMORY_GROW(cache->entries, cache->allocated, cache->n + 1);
    entry = &cache->entries[cache->n++];
    *entry = (struct image_cache_entry){
        .image = memory_text(image), .size = size, .keep_until = INSTANT_NONE};
    add_user(entry, user);
}

void image_cache_release(struct image_cache *cache, const char *image, struct image_user user)
{
    struct image_cache_entry *entry = find(cache, image);
    size_t place = entry ? find_user(entry, user) : 0;

    if (entry && place < entry->n_users)
        entry->users[place] = entry->users[--entry->n_users];
}
