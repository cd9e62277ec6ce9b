/* image_cache.h: the disk images that a host keeps for later leases (Haizea 1.0).
 *
 * There are few entries per host; every operation scans them: O(entries), plus O(users) of one
 * entry.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A VM of a lease. */
struct image_user {
    int64_t lease;
    uint32_t vm;
};

struct image_cache_entry {
    char *image;
    int64_t size;             /* MB */
    int64_t keep_until;       /* the end of a lease that uses it; INSTANT_NONE: unknown */
    struct image_user *users; /* without duplicates */
    size_t n_users, users_allocated;
};

struct image_cache {
    struct image_cache_entry *entries;
    size_t n, allocated;
};

void image_cache_finish(struct image_cache *cache);

const struct image_cache_entry *image_cache_find(const struct image_cache *cache,
                                                 const char *image);

/* Records that the VM starts from the cached image, which is kept at least until keep_until. */
void image_cache_use(struct image_cache *cache, const char *image, struct image_user user,
                     int64_t keep_until);

/* Adds an image that has arrived for the VM. If the cache is full, drops unused images, shortest
 * keep time first; if that is not enough, the image is not cached. */
void image_cache_add(struct image_cache *cache, const char *image, int64_t size, int64_t limit,
                     struct image_user user);

/* The VM no longer uses the image. */
void image_cache_release(struct image_cache *cache, const char *image, struct image_user user);
