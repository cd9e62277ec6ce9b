/* trace_open.h: open a trace of any format. */
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
 * line of ten columns, or a "#", the old format. -1 with EINVAL when it is none of them. Nothing is
 * taken from the source. */
int trace_format_of(struct source *source, struct error *err);

/* "LWF", "SWF", "ten columns". */
const char *trace_format_name(enum trace_format format);

/* Open a file in the format that its content has. options may be NULL.
 * Errors: those of the reader, EINVAL for none of the formats. */
struct trace *trace_open(const char *path, const struct trace_options *options, struct error *err);

/* The same from a source, which the trace owns from then on, also when opening fails. */
struct trace *trace_open_source(struct source *source, const struct trace_options *options,
                                struct error *err);
