/* tracer.h: policy hooks that note what is asked about one lease, and what is answered.
 *
 * The tracer's hooks pass each question on to those that they wrap. An engine without a tracer is
 * not concerned. Costs: a look at the clock for each question, another one if it is about the
 * lease; hosts are asked about one by one, not by classes of equal ones.
 */
#pragma once

#include "core/engine.h"
#include "planner/decision_trace.h"

struct tracer; /* opaque */

/* hooks: NULL or to outlive the tracer. */
struct tracer *tracer_create(int64_t lease, const struct policy_hooks *hooks);
void tracer_destroy(struct tracer *tracer); /* NULL is allowed */

/* For the engine, which must not outlive the tracer. */
const struct policy_hooks *tracer_hooks(const struct tracer *tracer);

/* Everything asked so far, and what keeps the lease from each host in the engine's plan. host_of:
 * by place, as in struct plan; of a booked host the better finding counts. Valid until the tracer
 * is destroyed. O(hosts) for each node set, and the cost of an engine_takes_until(). */
const struct plan_trace *tracer_trace(struct tracer *tracer, const struct engine *engine,
                                      const uint32_t *host_of);
