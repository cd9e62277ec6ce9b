/* old_reader.h: Haizea's trace format before XML: a lease per line, ten columns.
 *
 *   submit start duration real-duration nodes CPUs memory disk image image-size
 *
 * Times in seconds from the start of the trace, memory, disk and image size in MB. A
 * start of -1 makes a preemptable best-effort lease; others are non-preemptable reservations. A
 * real duration of -1, or not less than the duration, equals the duration. Image "-": none. Lines
 * that start with # and empty lines are skipped. CPUs are whole processors. The disk column is
 * ignored, as by Haizea's converter.
 */
#pragma once

#include "lwf/source.h"

/* Takes over the source. Errors come from trace_next(): EINVAL with file:line:column. */
struct trace *old_open_source(struct source *source);

/* The line of the last request. */
long old_line(const struct trace *trace);
