/* trace_check.h: finds all errors in a trace, and requests that look like mistakes.
 *
 * Errors make a lease unreadable; warnings are about valid but suspicious input: requests not
 * sorted by arrival, reservations that start before their submission, deadlines that cannot be met,
 * leases larger than the site, unknown elements and attributes.
 */
#pragma once

#include "lwf/trace_open.h"

struct trace_finding {
    enum lwf_severity severity;
    struct lwf_place place; /* line 0: the whole file */
    char *text;
};

struct trace_check {
    enum trace_format format;
    int64_t n_errors, n_warnings;   /* found, including those above the limit */
    struct trace_finding *findings; /* the first `limit`, by line and column */
    size_t n_findings;
    bool stopped;               /* at the limit; the rest of the file was not checked */
    struct trace_census census; /* of the sound leases */
    struct swf_counts jobs;     /* of a log in SWF */
};

/* Checks a file, up to `limit` findings. options as for trace_open(). Fails only if the file cannot
 * be checked at all (unreadable, not a trace). */
int trace_check_file(struct trace_check *check, const char *path,
                     const struct trace_options *options, size_t limit, struct error *err);

/* Checks a source, and closes it. */
int trace_check_source(struct trace_check *check, struct source *source,
                       const struct trace_options *options, size_t limit, struct error *err);

void trace_check_finish(struct trace_check *check);
