/* leases.h: the table of leases by id, and lists of leases.
 *
 * The table owns its leases; lists only refer to them. Costs: n = leases of the table or list.
 * Append: amortised O(1). Insert and find in the table: O(log n), O(1) for the largest id so far;
 * insert also moves the entries behind the place. Remove from a list: O(n).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

struct lease_list {
    struct lease **items;
    size_t n, allocated;
};

/* Ascending id; a forgotten lease leaves NULL in the list until the table is compacted. */
struct lease_table {
    struct lease_list list;
    int64_t *ids; /* the id of each entry of list */
    size_t ids_allocated;
    size_t n_forgotten;
};

void lease_list_append(struct lease_list *list, struct lease *lease);
void lease_list_remove(struct lease_list *list, const struct lease *lease);

/* A new lease with an empty plan, for a site of n_hosts hosts; the request's node sets and image
 * are copied. */
struct lease *lease_create(const struct lease_request *request, size_t n_hosts);
/* Frees the lease with its plan and all its reservations. */
void lease_destroy(struct lease *lease);

/* The lease with that id, or NULL (unknown or forgotten). */
struct lease *lease_table_find(const struct engine *engine, int64_t id);

/* The table takes ownership of the lease. The id must be new. */
void lease_table_insert(struct engine *engine, struct lease *lease);
