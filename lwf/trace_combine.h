/* trace_combine.h: traces derived from other traces.
 *
 * Each function takes over its input traces: they are destroyed with the result, or at once if the
 * function fails. Haizea applies the functions in this order: trace_merge(),
 * trace_with_images(), trace_with_overheads(), trace_with_memory(), trace_ordered().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lwf/trace.h"

/* Merges the leases of `injection` into `trace`, stably sorted by submission; at equal times,
 * leases of the trace come first. Leases of the trace keep ids 1 ... n, injected ones get n+1, ...:
 * ids do not ascend in the result. The site is the trace's; both must use the same resource types
 * in the same order (lwf_options.types). Streams if both are sorted, and short or readable twice;
 * otherwise loads both into memory. */
struct trace *trace_merge(struct trace *trace, struct trace *injection, struct error *err);

/* The leases, with their ids, stably sorted by submission. The clock stops (trace_stop()) as that
 * of Haizea 1.0 with an unsorted list: only for the first remaining request of the list, though it
 * takes all requests submitted by then. Streams if the trace is sorted, and short or readable
 * twice; otherwise loads it into memory. */
struct trace *trace_ordered(struct trace *trace, struct error *err);

/* Gives the leases the disk images of an image file (Haizea's [tracefile] imagefile). Leases after
 * the last name keep their images. Errors: EINVAL with file:line (unknown image, no size, ...),
 * errors of fopen(3). */
struct trace *trace_with_images(struct trace *trace, const char *path, struct error *err);

enum trace_overhead_leases { OVERHEAD_NONE, OVERHEAD_ALL, OVERHEAD_BEST_EFFORT };

struct trace_overheads {
    enum trace_overhead_leases leases; /* the leases that get the overheads */
    double slowdown_percent;           /* 0 or more; additional run time in a VM */
    int64_t boot_seconds;              /* added to every requested and actual duration */
    /* Haizea 1.0 (core/behaviour.h). Both false: both durations are slowed down, and whole seconds
     * are not rounded up. */
    bool rounded_up;
    bool of_actual_durations;
};

/* duration_original and unlimited durations stay unchanged. Errors: EINVAL (negative overhead). */
struct trace *trace_with_overheads(struct trace *trace, const struct trace_overheads *overheads,
                                   struct error *err);

/* Sets the memory of every VM to `megabytes`. Errors: EINVAL (negative). */
struct trace *trace_with_memory(struct trace *trace, int64_t megabytes, struct error *err);

/* A trace of existing requests, which keep their ids and are copied with all their data. site may
 * be NULL. */
struct trace *trace_from_requests(const struct lease_request *requests, size_t n,
                                  const struct site *site);
