/* host_classes.h: hosts in the same state, as one class.
 *
 * A host selection policy that depends only on the columns gives hosts in the same state the same
 * score, so it scores one host of each class. Hosts of a class are visited by ascending place.
 * Costs: h = hosts. put: O(1). next: O(h / 4096) words of a bitmap. A class takes h / 8 bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slot_table.h"

/* Properties of a host that a policy may read, and the time for which a VM fits there. */
struct host_state {
    int64_t fits_until, unchanged_until;
    int32_t leases;
    uint32_t kind;       /* hosts of the same kind have the same capacity */
    struct amounts free; /* now; all 0: the policy does not read it */
};

struct host_classes; /* opaque */

struct host_classes *host_classes_create(size_t n_hosts);
void host_classes_destroy(struct host_classes *classes); /* NULL is allowed */

/* Removes all hosts. O(h). */
void host_classes_clear(struct host_classes *classes);
/* Moves the host to the class of this state, or out of all of them (NULL). False: there are too
 * many classes to be worthwhile; the host is in none. */
bool host_classes_put(struct host_classes *classes, uint32_t host, const struct host_state *state);

/* Classes with hosts, in no particular order. */
size_t host_classes_count(const struct host_classes *classes);
const struct host_state *host_classes_state(const struct host_classes *classes, size_t i);
/* The hosts of class i: a bitmap. */
const uint64_t *host_classes_hosts(const struct host_classes *classes, size_t i);
uint32_t host_classes_first(const struct host_classes *classes, size_t i);
/* The next host of this host's class, or HOST_NONE. */
uint32_t host_classes_next(const struct host_classes *classes, uint32_t host);
