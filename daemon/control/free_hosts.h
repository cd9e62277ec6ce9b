/* free_hosts.h: finds hosts, and times, for bookings that affect no others, by the uses of hosts.
 * Times are seconds since 1970. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct free_hosts; /* opaque */

/* An empty set. Times before `now` do not count. */
struct free_hosts *free_hosts_create(int64_t now);
void free_hosts_destroy(struct free_hosts *hosts); /* NULL is allowed */

/* Add a host that can be booked. */
void free_hosts_add(struct free_hosts *hosts, int32_t host);
/* Note that a host, added or not, is in use between two times (until may be INSTANT_NEVER). Uses
 * may overlap. */
void free_hosts_use(struct free_hosts *hosts, int32_t host, int64_t from, int64_t until);

/* Find at most `most` hosts that are free between two times. Fills `found` with their ids,
 * ascending; returns their number. O(uses log uses). */
size_t free_hosts_find(struct free_hosts *hosts, int64_t from, int64_t until, int32_t *found,
                       size_t most);
/* The first time after `after` at which a host becomes free and `n` hosts are free for `length`
 * seconds; INSTANT_NEVER: none. O(uses log uses). */
int64_t free_hosts_next(struct free_hosts *hosts, int64_t after, int64_t length, size_t n);
