/* gantt.h: a picture of a run as SVG: hosts over time, one color per lease.
 *
 * A lease has the same color (derived from its id) on all hosts. Suspensions, resumptions and
 * shutdowns are hatched, migrations and image transfers are thin bars, preemptions have red marks;
 * tooltips show the lease, hosts and times of a box. Boxes smaller than a pixel, or too many for
 * one picture, become shades per host and time, darker for higher use. For runs of any length, the
 * file stays below 2 MB and memory below 5 MB.
 */
#pragma once

#include <stdint.h>

#include "core/observer.h"

struct gantt; /* opaque */

struct gantt_options {
    const char *path;    /* "-": standard output */
    const char *title;   /* copied; NULL: "Schedule" */
    int64_t start_epoch; /* the date of instant 0 in seconds since 1970 (shown in UTC);
                            INSTANT_NONE: the axis begins at 0 */
};

/* Errors: errors of open(), with the path. */
struct gantt *gantt_create(const struct gantt_options *options, struct error *err);

/* The observer draws the picture and closes the file at the end of the run. */
struct observer gantt_observer(struct gantt *gantt);

void gantt_destroy(struct gantt *gantt); /* NULL is allowed */
