/* trace.h: a stream of lease requests, independent of the file format.
 *
 * A reader holds one request at a time: its memory does not depend on the length of the trace.
 * Times of a request are seconds from the start of the trace. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/site.h"
#include "util/error.h"

struct trace; /* opaque; made by trace_open(), lwf_open_source(), ... */

/* Totals of a whole trace, known after a pass over it. */
struct trace_census {
    int64_t leases[LEASE_KINDS]; /* by enum lease_kind */
    int64_t total;
    bool sorted; /* by submission */
    int64_t last_submit;
};

/* The next request: 1 with *request (valid until the next call; ids are 1, 2, ... in order), 0 at
 * the end, -1 on an error with file:line:column. */
int trace_next(struct trace *trace, struct lease_request *request, struct error *err);

/* The time at which a clock that jumps from event to event stops for the request that trace_next()
 * has just returned: that of its submission or, in a trace of trace_ordered(), a later one. */
int64_t trace_stop(const struct trace *trace, const struct lease_request *request);

/* The fraction of the input read so far, 0 ... 1, for progress bars. */
double trace_progress(const struct trace *trace);

void trace_destroy(struct trace *trace); /* NULL is allowed */

/* The site in the trace itself, known once the trace is open, or NULL. Valid until trace_destroy().
 */
const struct site *trace_site(const struct trace *trace);

/* Totals of the whole trace, from a separate pass, which does not affect trace_next(). Costs: one
 * pass over the input. Errors: as trace_next(); ESPIPE if the input cannot be read twice. */
int trace_take_census(const struct trace *trace, struct trace_census *census, struct error *err);
