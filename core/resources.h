/* resources.h: kinds of resources and amounts of them.
 *
 * A site names its resource types. Five types always exist, at fixed places, because the rules for
 * leases refer to them; further types (GPU, licences, addresses) follow in the site's order.
 * Amounts are integers in the type's unit: CPU in 1/100 of a processor, memory and disk in MB,
 * network in Mbit/s.
 */
#pragma once

#include <stdint.h>

#include "util/error.h"

enum {
    RESOURCE_CPU,
    RESOURCE_MEMORY,
    RESOURCE_DISK,
    RESOURCE_NET_IN,
    RESOURCE_NET_OUT,
    RESOURCE_TYPES_FIXED,
    RESOURCE_TYPES_MAX = 16,
    RESOURCE_NAME_MAX = 32,
};

struct resource_types {
    int count; /* RESOURCE_TYPES_FIXED or more */
    char names[RESOURCE_TYPES_MAX][RESOURCE_NAME_MAX];
};

/* One amount per resource type; entries from `count` on are 0. */
struct amounts {
    int64_t of[RESOURCE_TYPES_MAX];
};

/* The five fixed types, named as Haizea names them: CPU, Memory, Disk, Net-in, Net-out. */
void resource_types_init(struct resource_types *types);

/* The place of a type, or -1. Case-sensitive, as in Haizea. O(types). */
int resource_types_find(const struct resource_types *types, const char *name);

/* The place of a type, which is added if it is new. -1 with EINVAL (the name is empty, too long,
 * not UTF-8 or has control characters) or ENOSPC (more than RESOURCE_TYPES_MAX types). */
int resource_types_add(struct resource_types *types, const char *name, struct error *err);
