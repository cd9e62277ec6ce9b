/* planning.h: the planner process's engine and policies: facts in, outputs out.
 *
 * Each request is a frame of protocol.h; one frame answers it. The functions do no input or output,
 * so tests can plan without a process. The engine is kept from one complete plan to the next; a
 * trial has its own engine.
 */
#pragma once

#include "planner/protocol.h"

/* Ids of engine leases that are not galernad's. From BLOCK_BASE on: a VM that holds a host and
 * belongs to no lease of the plan, by its id. From DRAIN_BASE on: times in which hosts are closed.
 * TRIAL_ID: the lease of a dry run. */
#define BLOCK_BASE (INT64_C(1) << 40)
#define DRAIN_BASE (BLOCK_BASE + (INT64_C(1) << 34))
#define TRIAL_ID   (BLOCK_BASE * 2)

struct planning; /* opaque */

/* Either argument may be NULL: without modules, plans use the hooks, or no policies. Both must
 * outlive the result. */
struct planning *planning_create(struct policy_host *policies, const struct policy_hooks *hooks);
void planning_destroy(struct planning *planning); /* NULL is allowed */

/* Answer the body of a frame, and free it when no longer needed. The reply then holds a complete
 * frame; it is empty if the answer follows later (a forecast, by planning_go_on()) or the frame
 * gets none (attributes). -1: the frame is malformed. `bytes` was allocated with malloc(). */
int planning_handle(struct planning *planning, unsigned char *bytes, size_t n,
                    struct wire_writer *reply);

/* Is a forecast in progress? It is made in turns of a millisecond or two; after the last one the
 * reply holds the answer. */
bool planning_has_more(const struct planning *planning);
void planning_go_on(struct planning *planning, struct wire_writer *reply);
