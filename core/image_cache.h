/* image_cache.h: the disk images a host keeps for leases to come (Haizea 1.0).
 *
 * A few entries per host; every operation looks at all of them: O(entries), and O(users) of one.
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
    int64_t keep_until;       /* a lease that uses it ends then; INSTANT_NONE: not known */
    struct image_user *users; /* each once */
    size_t n_users, users_allocated;
};

struct image_cache {
    struct image_cache_entry *entries;
    size_t n, allocated;
};

void image_cache_finish(struct image_cache *cache);

const struct image_cache_entry *image_cache_find(const struct image_cache *cache,
                                                 const char *image);

/* The VM starts from the cached image, which is kept at least until then. */
void image_cache_use(struct image_cache *cache, const char *image, struct image_user user,
                     int64_t keep_until);

/* An image has arrived for the VM. When the cache is full, unused images are dropped, shortest keep
 * time first; if that is not enough, the image is not cached. */
void image_cache_add(struct image_cache *cache, const char *image, int64_t size, int64_t limit,
                     struct image_user user);

/* The VM no longer uses the image. */
void image_cache_release(struct image_cache *cache, const char *image, struct image_user user);
