/* gantt.h: a picture of a run as SVG: hosts over time, one color per lease.
 *
 * A lease keeps its color (made from its id) wherever it runs. Suspensions, resumptions and
 * shutdowns are hatched, migrations and image transfers are thin bars, preemptions have red marks;
 * boxes tell their lease, hosts and times when pointed at. Boxes smaller than a pixel, or too many
 * for one picture, are shown as a shade per host and time: the darker, the busier. The file stays
 * below 2 MB and memory below 5 MB, however long the run is.
 */
#pragma once

#include <stdint.h>

#include "core/observer.h"

struct gantt; /* opaque */

struct gantt_options {
    const char *path;    /* "-": standard output */
    const char *title;   /* copied; NULL: "Schedule" */
    int64_t start_epoch; /* the date of instant 0, seconds since 1970 (shown as UTC), or
                            INSTANT_NONE: the axis counts from 0 */
};

/* Errors: those of open(), with the path. */
struct gantt *gantt_create(const struct gantt_options *options, struct error *err);

/* The observer's end draws the picture and closes the file. */
struct observer gantt_observer(struct gantt *gantt);

void gantt_destroy(struct gantt *gantt); /* NULL is allowed */
