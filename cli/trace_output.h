/* trace_output.h: a trace written as LWF, to a file that appears when it is complete. */
#pragma once

#include "lwf/lwf_writer.h"
#include "lwf/trace.h"
#include "util/error.h"

/* Writes the rest of a trace to `path`; NULL or "-": to standard output. A path that is not a
 * regular file (a pipe, a terminal) is written directly; a file is written next to its final name
 * and then renamed. Errors: as trace_next(), lwf_writer_request(), fopen(3) and rename(2); no file
 * is left then. */
int trace_output_write(struct trace *trace, const struct lwf_description *description,
                       const char *path, struct error *err);
