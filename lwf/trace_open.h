/* trace_open.h: opens traces of any format. */
#pragma once

#include "lwf/lwf_reader.h"
#include "lwf/swf_reader.h"

enum trace_format {
    TRACE_FORMAT_LWF,
    TRACE_FORMAT_SWF,
    TRACE_FORMAT_OLD, /* Haizea's ten columns */
};

struct trace_options {
    struct lwf_options lwf;
    struct swf_options swf;
};

/* All zero for LWF, swf_options_init() for SWF. */
void trace_options_init(struct trace_options *options);

/* The format of a source by its first bytes: "<" begins LWF, ";" or a line of 18 numbers SWF, a
 * line of ten columns or a "#" the old format. -1 with EINVAL for other contents. Consumes no bytes
 * of the source. */
int trace_format_of(struct source *source, struct error *err);

/* "LWF", "SWF", "ten columns". */
const char *trace_format_name(enum trace_format format);

/* Opens a file of any format. options may be NULL. Errors: errors of the reader, EINVAL for an
 * unknown format. */
struct trace *trace_open(const char *path, const struct trace_options *options, struct error *err);

/* Opens a source of any format, and takes it over, also on failure. */
struct trace *trace_open_source(struct source *source, const struct trace_options *options,
                                struct error *err);
