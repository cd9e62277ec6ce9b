/* known_hosts.h: hosts whose document is the same as in the listing before.
 *
 * Hosts are listed every few seconds, and change when VMs come and go. Their figures, which change
 * all the time, are another document (pool.h). A document is compared by its keyed sum, a tenth of
 * the costs of parsing it.
 */
#pragma once

#include <stddef.h>

#include "adapters/cloud/objects.h"
#include "util/error.h"

struct known_hosts; /* opaque */

struct known_hosts *known_hosts_create(void);
void known_hosts_destroy(struct known_hosts *known); /* NULL is allowed */

/* As host_pool_parse(). The pool may be changed and freed as any other; what its hosts point to is
 * shared with other pools of equal documents. */
int known_hosts_parse(struct known_hosts *known, struct host_pool *pool, const char *document,
                      size_t length, struct error *err);
