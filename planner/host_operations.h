/* host_operations.h: the operations running and planned on each host, by the plan, and the room
 * held there for leases that wait for more.
 *
 * The first query after a booking costs O(n) for its n operations; others cost the
 * size of the answer.
 */
#pragma once

#include "planner/plan.h"

struct operation_index {
    const struct lease **leases; /* by host */
    size_t *first;               /* by host: the place of its first lease, and at the end their
                                    number; NULL: to be built */
    size_t n_hosts;
    uint64_t bookings; /* engine_bookings() at that time */
};

/* Call when a lease of the plan ends, or the plan. */
void operations_forget(struct operation_index *index);

/* Read the host, and write its number of operations and the operations. */
void operations_tell(struct operation_index *index, const struct plan *plan,
                     struct wire_reader *reader, struct wire_writer *reply);
