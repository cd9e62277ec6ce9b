/* host_operations.h: the operations running and planned on each host, by the plan, and the room
 * held there for leases that wait for more.
 *
 * The first query after the plan has changed costs O(n log n) for its n operations; others cost
 * O(log n) plus the size of the answer.
 */
#pragma once

#include "planner/plan.h"

struct operation_index {
    struct lease_on_host *items; /* NULL: to be built */
    size_t n, allocated;
};

/* Call when the plan has changed or ends. */
void operations_forget(struct operation_index *index);

/* Read the host, and write its number of operations and the operations. */
void operations_tell(struct operation_index *index, const struct plan *plan,
                     struct wire_reader *reader, struct wire_writer *reply);
