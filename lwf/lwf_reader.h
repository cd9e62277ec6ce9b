/* lwf_reader.h: Haizea's lease workload format, read as a stream.
 *
 * The grammar is that of Haizea 1.0, with the additions of 1.1 (user, deadline, extra attributes,
 * instances of a resource, attributes of the workload) and Galerna's own: on <lease> the attributes
 * terms (cancelable, suspendable, migratable, restartable, non-preemptable), origin (local,
 * external) and priority (a number), <start earliest="DELTA"/> for a best-effort lease that must
 * not start earlier, and <duration time="unlimited"/>. Haizea ignores the attributes and reads the
 * duration as 0. Extra attributes are skipped.
 *
 * Only the open lease and the finished ones of the last 16 KB are in memory. A DOCTYPE is
 * refused, which leaves only XML's five predefined entities.
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
    const char *text; /* the finding and the expected input; valid during the call */
};

/* How Haizea 1.0 reads (core/behaviour.h); all false: Galerna's own way. In both cases, a resource
 * type that the site lacks, a missing element or attribute, and a malformed number are errors;
 * Haizea raises an exception. */
struct lwf_quirks {
    bool no_extensions;      /* <deadline> and Galerna's own attributes are ignored */
    bool unreadable_times;   /* have the value that Haizea reads, mostly 0; false: an error */
    bool misplaced_elements; /* and all but the first of repeated ones are ignored, and a duration
                                may be 0; false: an error */
    bool longer_runs; /* an actual duration may exceed the requested one; false: it is reduced
                         to that (1.1 ignores it, with the same effect) */
};

#define LWF_QUIRKS_OF_HAIZEA_1_0 ((struct lwf_quirks){true, true, true, true})

struct lwf_options {
    struct lwf_quirks quirks;

    /* The resource types that leases may request, in the order of the amounts. NULL: the types of
     * the trace's own site; without a site, types are added as they occur. */
    const struct resource_types *types;

    /* Reports each error and warning, and continues after the affected lease until report returns
     * false; trace_next() then returns only sound requests. NULL: trace_next() fails at the first
     * error. */
    bool (*report)(void *context, const struct lwf_finding *finding);
    void *report_context;
};

/* Opens a trace. If the file has a site, anywhere, it is known afterwards. Takes over the source,
 * even on failure. options may be NULL (all zero). Errors: EINVAL with file:line:column. */
struct trace *lwf_open_source(struct source *source, const struct lwf_options *options,
                              struct error *err);

/* The resource types of a trace made by lwf_open_source(), in the order of the amounts in its
 * requests. Grows during reading if neither the caller nor the trace specifies the types. */
const struct resource_types *lwf_types(const struct trace *trace);

/* The position of the <lease-request> that trace_next() returned last, for a trace made by
 * lwf_open_source(). */
struct lwf_place lwf_request_place(const struct trace *trace);
