/* site.h: the hosts of a site and their capacities.
 *
 * The engine refers to hosts by place (0, 1, ...); users and files refer to them by id (1, 2, ...
 * in a trace, OpenNebula's host id in a live cloud). A driver builds the site; the engine copies
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/resources.h"

struct host_units;

struct site_host {
    int32_t id;                     /* unique */
    struct amounts capacity;        /* units of the site's resource types */
    bool closed;                    /* takes no new VMs; adopted VMs stay on it */
    int32_t cluster;                /* hosts with the same number form a cluster: demand.h */
    const struct host_units *units; /* demand.h; NULL: none. The driver's, outlives the engine */
};

struct site {
    struct resource_types types;
    struct site_host *hosts;
    size_t n_hosts;
    size_t hosts_allocated;
};

void site_init(struct site *site);   /* the five fixed resource types, no hosts */
void site_finish(struct site *site); /* frees the hosts; the structure is the caller's */

/* Appends `count` equal hosts; their ids continue from the last one (the first is 1). O(count),
 * amortised. Errors: EINVAL (negative amount, count < 1). */
int site_add_hosts(struct site *site, size_t count, const struct amounts *capacity,
                   struct error *err);

/* Makes dst an independent copy of src. Overwrites dst without finishing it. O(hosts). */
void site_copy(struct site *dst, const struct site *src);
