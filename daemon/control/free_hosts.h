/* free_hosts.h: when hosts are in use, and when enough of them are not, so that they can be booked
 * without affecting others. Seconds since 1970.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct free_hosts; /* opaque */

/* Without hosts. Nothing before `now` counts. */
struct free_hosts *free_hosts_create(int64_t now);
void free_hosts_destroy(struct free_hosts *hosts); /* NULL is allowed */

/* A host that can be booked. */
void free_hosts_add(struct free_hosts *hosts, int32_t host);
/* A host, added or not, is in use from then until then (INSTANT_NEVER). Uses may overlap. */
void free_hosts_use(struct free_hosts *hosts, int32_t host, int64_t from, int64_t until);

/* Fills `found` with ids of hosts that are free from then until then, `most` at most; returns how
 * many. Ascending. O(uses log uses). */
size_t free_hosts_find(struct free_hosts *hosts, int64_t from, int64_t until, int32_t *found,
                       size_t most);
/* The first time after `after` when a host becomes free, at which `n` are free for that many
 * seconds; INSTANT_NEVER. O(uses log uses). */
int64_t free_hosts_next(struct free_hosts *hosts, int64_t after, int64_t length, size_t n);
