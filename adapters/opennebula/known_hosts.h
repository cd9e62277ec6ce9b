/* known_hosts.h: recognizes a document of hosts that equals the previous one.
 *
 * Hosts are listed every few seconds, and change when VMs come and go. Their figures, which change
 * continually, are in another document (pool.h). Documents are compared by a keyed sum, at a tenth
 * of the costs of parsing. */
#pragma once

#include <stddef.h>

#include "adapters/cloud/objects.h"
#include "util/error.h"

struct known_hosts; /* opaque */

struct known_hosts *known_hosts_create(void);
void known_hosts_destroy(struct known_hosts *known); /* NULL is allowed */

/* As host_pool_parse(). The pool may be modified and freed like others; data that its hosts point
 * to is shared with other pools of equal documents. */
int known_hosts_parse(struct known_hosts *known, struct host_pool *pool, const char *document,
                      size_t length, struct error *err);
