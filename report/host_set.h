/* host_set.h: sorted sets of host ids, and their texts such as "0-3 7". */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/site.h"
#include "util/output.h"

struct host_set {
    int64_t *ids;
    size_t n_ids, allocated;
};

void host_set_init(struct host_set *set);
void host_set_finish(struct host_set *set);

/* Adds ids, in any order and possibly more than once; sort before the set is used. */
void host_set_add(struct host_set *set, int64_t id);
void host_set_sort(struct host_set *set);

/* Sets the set to the hosts of the lease's VM reservations. */
void host_set_of_lease(struct host_set *set, const struct site *site, const struct lease *lease);

/* Writes ranges with a minus, separated by blanks; nothing for an empty set. */
void host_set_write(const struct host_set *set, struct output *out);
