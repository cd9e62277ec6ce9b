/* old_reader.h: Haizea's trace format from before XML: a lease per line, ten columns.
 *
 *   submit start duration real-duration nodes CPUs memory disk image image-size
 *
 * Times in seconds from the start of the trace, memory, disk and image size in MB. start -1: a
 * best-effort lease, which is preemptible; else a reservation, which is not. Real duration -1, or
 * not less than the duration: as long as the duration. Image "-": none. Lines that start with # and
 * empty lines are skipped. CPUs are whole processors. The disk column is not used: Haizea's
 * converter drops it.
 */
#pragma once

#include "lwf/source.h"
#include "lwf/trace.h"

/* The trace owns the source from then on. Errors: EINVAL with
 * file:line:column from trace_next(). */
struct trace *old_open_source(struct source *source);
