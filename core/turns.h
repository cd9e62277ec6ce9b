/* turns.h: whose turn it is in a pass over the queue.
 *
 * Leases are tried in the order given. When one has been placed, those of its priority that must be
 * on a host with it are tried at once: else others could take the room that it has there for them.
 *
 * Costs: n = leases, m = node sets with a role among them: begin O(n + m log m), next O(1) on
 * average, placed O(1) for a lease without such a rule, else O(leases of the roles it must be
 * with), once for leases that are tried one after the other.
 */
#pragma once

#include "core/leases.h"

struct turns {
    const struct lease_list *waiting;
    size_t next;             /* in waiting */
    bool *over;              /* by place in waiting; NULL: no lease has a role */
    struct turn_role *roles; /* ascending by role, then place */
    size_t n_roles;
    uint32_t *front; /* places that come first, the last one at once */
    size_t n_front, front_allocated;
};

/* The list must not change until the end. */
void turns_begin(struct turns *turns, const struct lease_list *waiting);
/* NULL: all have had their turn. */
struct lease *turns_next(struct turns *turns);
void turns_placed(struct turns *turns, const struct lease *lease);
void turns_end(struct turns *turns);
