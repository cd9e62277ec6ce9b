/* planning.h: the planner process's engine and policies: facts in, outputs out.
 *
 * Each request is a frame of protocol.h and gets one frame as its answer. No input or output here,
 * so tests plan without a process. The engine is kept from one complete plan to the next; a trial
 * has its own.
 */
#pragma once

#include "planner/protocol.h"

/* Leases of the engine that are none of galernad's have ids from BLOCK_BASE on: with the id of a VM
 * that holds a host and belongs to no lease of the plan; from DRAIN_BASE on, times in which hosts
 * are closed. TRIAL_ID: what a dry run asks for. */
#define BLOCK_BASE (INT64_C(1) << 40)
#define DRAIN_BASE (BLOCK_BASE + (INT64_C(1) << 34))
#define TRIAL_ID   (BLOCK_BASE * 2)

struct planning; /* opaque */

/* Either argument may be NULL: without modules, plans use the hooks, or none. Both must outlive the
 * result. */
struct planning *planning_create(struct policy_host *policies, const struct policy_hooks *hooks);
void planning_destroy(struct planning *planning); /* NULL is allowed */

/* Answer the body of a frame, and free it when it is no longer needed: reply then holds a complete
 * frame, or is empty when the answer follows later (a forecast, by planning_go_on()), or there is
 * none (attributes). -1: the frame is malformed. `bytes` was allocated with malloc(). */
int planning_handle(struct planning *planning, unsigned char *bytes, size_t n,
                    struct wire_writer *reply);

/* Is there work left in turns, a forecast? A turn takes a millisecond or two; after the last one
 * reply holds the answer. */
bool planning_has_more(const struct planning *planning);
void planning_go_on(struct planning *planning, struct wire_writer *reply);
