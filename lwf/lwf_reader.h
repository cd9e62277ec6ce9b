/* lwf_reader.h: Haizea's lease workload format, read as a stream.
 *
 * The grammar is that of Haizea 1.0, with the additions of 1.1 (user, deadline, extra attributes,
 * instances of a resource, attributes of the workload) and Galerna's own: on <lease> the attributes
 * terms (cancelable, suspendable, migratable, restartable, non-preemptable), origin (local,
 * external) and priority (an integer), <start earliest="DELTA"/> for a best-effort lease that must
 * not start earlier, and <duration time="unlimited"/>. Haizea ignores the attributes and takes the
 * duration for 0. Extra attributes are skipped.
 *
 * Only the lease being read and the finished ones of the last 16 KB are in memory. A DOCTYPE is
 * refused, so there are no entities but XML's own five.
 */
#pragma once

#include <stdbool.h>

#include "lwf/source.h"
#include "lwf/trace.h"

enum lwf_severity { LWF_ERROR, LWF_WARNING };

/* Both start at 1. */
struct lwf_place {
    long line, column;
};

struct lwf_finding {
    enum lwf_severity severity;
    struct lwf_place place;
    const char *text; /* what was found and what was expected; valid during the call */
};

struct lwf_options {
    /* Read as Haizea 1.0 does: <deadline> and Galerna's own attributes are ignored, a time that
     * does not parse gets the value that Haizea reads (mostly 0), the first of repeated elements
     * counts, misplaced ones are skipped, a real duration may exceed the requested one. False: such
     * a time, repetition or place is an error, and a real duration that exceeds the requested one
     * is cut there (1.1 ignores it, with the same effect). In both: a resource type that the site
     * does not have, a missing element or attribute, and a malformed number are errors; Haizea ends
     * with an exception there. */
    bool haizea_1_0;

    /* The resource types that leases may ask for, in the order their amounts are to have. NULL:
     * those of the trace's own site; when it has none, types are added as they are met. */
    const struct resource_types *types;

    /* Do not stop at the first error: report each, and warnings too, and continue after the
     * affected lease, until report returns false. trace_next() then gives only the sound requests.
     * NULL: trace_next() fails at the first error. */
    bool (*report)(void *context, const struct lwf_finding *finding);
    void *report_context;
};

/* Opens a trace. The site, if the file has one, is known afterwards wherever it is in the file. The
 * trace owns the source from then on, even if opening fails. options may be NULL (all zero).
 * Errors: EINVAL with file:line:column. */
struct trace *lwf_open_source(struct source *source, const struct lwf_options *options,
                              struct error *err);

/* The resource types of a trace made by lwf_open_source(): order of the amounts in its requests.
 * Grows while reading when neither the caller nor the trace names the types. */
const struct resource_types *lwf_types(const struct trace *trace);

/* The position of the <lease-request> that trace_next() returned last, for a trace made by
 * lwf_open_source(). */
struct lwf_place lwf_request_place(const struct trace *trace);
