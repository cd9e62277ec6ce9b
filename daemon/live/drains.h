/* drains.h: hosts that operators empty, from a time on, until another one or until they end it.
 *
 * A plan sees a drained host as one whose capacity is taken for that time: what would not end
 * before is not placed there, and what runs there has to leave. Kept in the store, as its fact
 * "drains". Seconds since 1970. Each function is O(drains).
 */
#ifndef GALERNA_DAEMON_DRAINS_H
#define GALERNA_DAEMON_DRAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

struct drain {
    int32_t host;
    int64_t from, until; /* until may be INSTANT_NEVER */
};

struct drains {
    struct drain *items; /* one per host at most */
    size_t n, allocated;
};

/* Those in the store; what cannot be read is left out. */
void drains_load(struct drains *drains, const struct store *store);
/* Written by the next commit. */
void drains_save(const struct drains *drains, struct store *store);

/* Replaces the host's drain, if it has one. */
void drains_put(struct drains *drains, const struct drain *drain);
/* False: the host has none. */
bool drains_remove(struct drains *drains, int32_t host);
/* Remove those that are over. True: there were some. */
bool drains_expire(struct drains *drains, int64_t now);
void drains_copy(struct drains *copy, const struct drains *drains);
void drains_finish(struct drains *drains);

/* The host's drain, or NULL. */
const struct drain *drains_of(const struct drains *drains, int32_t host);
/* Is the host drained now? */
bool drains_has(const struct drains *drains, int32_t host, int64_t now);
/* When the next one ends; INSTANT_NEVER. */
int64_t drains_next_end(const struct drains *drains);

#endif
