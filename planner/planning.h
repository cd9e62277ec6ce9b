/* planning.h: the engine and its policies, as the planner process has them: facts in, outputs out.
 *
 * Each request is a frame of protocol.h and is answered by one; nothing here does input or output,
 * so that tests plan without a process. An engine lives from one plan that builds it to the next; a
 * trial has one of its own.
 */
#ifndef GALERNA_PLANNER_PLANNING_H
#define GALERNA_PLANNER_PLANNING_H

#include "planner/protocol.h"

/* Ids from here on are of VMs that hold a host and belong to no lease of the plan. */
#define BLOCK_BASE (INT64_C(1) << 40)
#define TRIAL_ID   (BLOCK_BASE * 2)

struct planning; /* opaque */

/* Either may be used without modules: hooks as given, or none. The policies must outlive it. */
struct planning *planning_create(struct policy_host *policies, const struct policy_hooks *hooks);
void planning_destroy(struct planning *planning); /* NULL is allowed */

/* Answer the body of a frame: reply holds a whole frame afterwards, or is empty when the answer
 * comes later (a forecast, by planning_go_on()). -1: the frame is malformed. */
int planning_handle(struct planning *planning, unsigned char *bytes, size_t n,
                    struct wire_writer *reply);

/* Is there work in turns, a forecast? One turn takes a millisecond or two; reply holds the answer
 * when it was the last. */
bool planning_has_more(const struct planning *planning);
void planning_go_on(struct planning *planning, struct wire_writer *reply);

#endif
