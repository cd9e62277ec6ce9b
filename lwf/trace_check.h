/* trace_check.h: finds all errors in a trace, and requests that look like mistakes.
 *
 * Errors make a lease unreadable; warnings are for input that is valid but hardly intended:
 * requests not sorted by arrival, reservations that start before their submission, deadlines that
 * cannot be met, leases larger than the site, elements and attributes that are not known.
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
    int64_t n_errors, n_warnings;   /* found, also those above the limit */
    struct trace_finding *findings; /* the first `limit`, by line and column */
    size_t n_findings;
    bool stopped;               /* at the limit; the rest of the file was not looked at */
    struct trace_census census; /* of the sound leases */
};

/* Reads the whole file, but stops after `limit` findings. options as for trace_open(). Fails only
 * if the file cannot be checked at all (unreadable, not a trace). */
int trace_check_file(struct trace_check *check, const char *path,
                     const struct trace_options *options, size_t limit, struct error *err);

/* The same from a source, which is closed. */
int trace_check_source(struct trace_check *check, struct source *source,
                       const struct trace_options *options, size_t limit, struct error *err);

void trace_check_finish(struct trace_check *check);
