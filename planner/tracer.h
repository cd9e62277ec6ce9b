/* tracer.h: policy hooks that record the questions about one lease and their answers.
 *
 * The tracer's hooks pass each question on to the hooks that they wrap. Engines without a tracer
 * are unaffected. Costs: one clock reading per question, a second one if the question is about the
 * lease; hosts are scored one by one, not by classes of equal ones.
 */
#pragma once

#include "core/engine.h"
#include "planner/decision_trace.h"

struct tracer; /* opaque */

/* hooks: NULL, or must outlive the tracer. */
struct tracer *tracer_create(int64_t lease, const struct policy_hooks *hooks);
void tracer_destroy(struct tracer *tracer); /* NULL is allowed */

/* For the engine, which must not outlive the tracer. */
const struct policy_hooks *tracer_hooks(const struct tracer *tracer);

/* All questions so far, and the finding about each host in the engine's plan. host_of: by place, as
 * in struct plan; for a booked host, the better finding counts. Valid until the tracer is
 * destroyed. O(hosts) for each node set, plus an engine_takes_until(). */
const struct plan_trace *tracer_trace(struct tracer *tracer, const struct engine *engine,
                                      const uint32_t *host_of);
