/* trace_combine.h: traces made of other traces.
 *
 * Each function takes over the traces it is given: they belong to the result and are destroyed with
 * it, or at once when the function fails. Haizea applies them in this order: trace_merge(),
 * trace_with_images(), trace_with_overheads(), trace_with_memory().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lwf/trace.h"

/* Put the leases of `injection` between those of `trace`, stably sorted by submission: at equal
 * times those of the trace come first. Ids stay 1 ... n for the trace's leases and are n+1, ... for
 * the injected ones, so ids do not ascend in the result. The site is the trace's; both must use the
 * same resource types in the same order (lwf_options.types).
 * Streams when both are sorted and short or can be read twice, else loads both. */
struct trace *trace_merge(struct trace *trace, struct trace *injection, struct error *err);

enum trace_order {
    /* By submission; stable for equal times. */
    TRACE_ORDER_SUBMISSION,
    /* As Haizea 1.0 processes an unsorted list: when the clock reaches the first remaining request,
     * it takes all requests submitted by then, in list order. */
    TRACE_ORDER_HAIZEA_1_0,
};

/* The same leases, with their ids, in the requested order. Streams when the trace is sorted and
 * short or can be read twice, else loads it. */
struct trace *trace_ordered(struct trace *trace, enum trace_order order, struct error *err);

/* Give the leases the disk images of an image file (Haizea's [tracefile] imagefile): lines
 * "image size-in-MB", a line that starts with #, then one image name per line, for the leases in
 * turn. Leases behind the last name keep what they have.
 * Errors: EINVAL with file:line (unknown image, no size, ...), those of fopen(3). */
struct trace *trace_with_images(struct trace *trace, const char *path, struct error *err);

enum trace_overhead_leases { OVERHEAD_NONE, OVERHEAD_ALL, OVERHEAD_BEST_EFFORT };

struct trace_overheads {
    enum trace_overhead_leases leases; /* which leases get the overheads */
    double slowdown_percent;           /* 0 or more; time in a VM is longer by this */
    int64_t boot_seconds;              /* added to every requested and real duration */
    /* The slowdown as Haizea 1.0 computes it: the ceiling of an inexact product (3000 s and 10 %
     * give 3301 s), and when the real duration is known, the requested duration becomes the slowed
     * down real one, which stays as it is. False: both are slowed down, and a whole number of
     * seconds is not rounded up. */
    bool haizea_1_0;
};

/* duration_original stays as it is; unlimited durations stay unlimited.
 * Errors: EINVAL (negative overhead). */
struct trace *trace_with_overheads(struct trace *trace, const struct trace_overheads *overheads,
                                   struct error *err);

/* Every VM asks for `megabytes` of memory, whatever the trace says. Errors: EINVAL (negative). */
struct trace *trace_with_memory(struct trace *trace, int64_t megabytes, struct error *err);

/* A trace of existing requests; they and everything they point to are copied. site may be NULL. Ids
 * are kept. */
struct trace *trace_from_requests(const struct lease_request *requests, size_t n,
                                  const struct site *site);
