/* host_operations.h: what runs and is planned on each host, by the plan, and what is held there for
 * leases that wait for more.
 *
 * The first question after the plan has changed costs O(n log n) for its n operations, others
 * O(log n) and what they answer.
 */
#pragma once

#include "planner/plan.h"

struct operation_index {
    struct lease_on_host *items; /* NULL: not known */
    size_t n, allocated;
};

/* The plan has changed, or ends. */
void operations_forget(struct operation_index *index);

/* Reads for which host, and writes how many operations there are, and these. */
void operations_tell(struct operation_index *index, const struct plan *plan,
                     struct wire_reader *reader, struct wire_writer *reply);
