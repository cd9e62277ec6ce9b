/* turns.h: the order of attempts in a pass over the queue.
 *
 * Leases are tried in the given order. After a lease has been placed, leases of its priority that
 * must share a host with it are tried at once: otherwise others could take the room left for them
 * there.
 *
 * Costs: n = leases, m = node sets with a role among them: begin O(n + m log m), next O(1) on
 * average, placed O(1) for a lease without such a rule, else O(leases of the roles it must be
 * with), once for consecutive leases.
 */
#pragma once

#include "core/leases.h"

struct turns {
    const struct lease_list *waiting;
    size_t next;             /* in waiting */
    bool *over;              /* already tried, by place in waiting; NULL: no lease has a role */
    struct turn_role *roles; /* ascending by role, then place */
    size_t n_roles;
    uint32_t *front; /* places to try before the others, the last entry first */
    size_t n_front, front_allocated;
};

/* The list must not change until turns_end(). */
void turns_begin(struct turns *turns, const struct lease_list *waiting);
/* The next lease to try; NULL: all have been tried. */
struct lease *turns_next(struct turns *turns);
void turns_placed(struct turns *turns, const struct lease *lease);
void turns_end(struct turns *turns);
