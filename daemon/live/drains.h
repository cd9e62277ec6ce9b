/* drains.h: hosts that operators empty, from a time on, until another one or until they end it.
 *
 * A host may have several such windows, which do not overlap. A plan sees a drained host as one
 * whose capacity is taken for that time: what would not end before is not placed there, and what
 * runs there has to leave. Kept in the store, as its fact "drains". Seconds since 1970. Each
 * function is O(drains).
 */
#ifndef GALERNA_DAEMON_DRAINS_H
#define GALERNA_DAEMON_DRAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum { DRAINS_OF_HOST_MOST = 100 }; /* for those who order them: each is a part of every plan */

struct drain {
    int32_t host;
    int64_t from, until; /* until may be INSTANT_NEVER */
};

struct drains {
    struct drain *items; /* ascending by `from` */
    size_t n, allocated;
};

/* Those in the store; what cannot be read is left out. */
void drains_load(struct drains *drains, const struct store *store);
/* Written by the next commit. */
void drains_save(const struct drains *drains, struct store *store);

/* Replaces those of the host that it overlaps. */
void drains_put(struct drains *drains, const struct drain *drain);
/* The host's first one (at: INSTANT_NONE), or the one in which that time is. False: there is none.
 */
bool drains_remove(struct drains *drains, int32_t host, int64_t at);
/* Remove those that are over. True: there were some. */
bool drains_expire(struct drains *drains, int64_t now);
void drains_copy(struct drains *copy, const struct drains *drains);
void drains_finish(struct drains *drains);

/* The host's first one, or NULL. */
const struct drain *drains_of(const struct drains *drains, int32_t host);
size_t drains_count(const struct drains *drains, int32_t host);
/* Is the host drained now? */
bool drains_has(const struct drains *drains, int32_t host, int64_t now);
/* When the next one ends; INSTANT_NEVER. */
int64_t drains_next_end(const struct drains *drains);

#endif
