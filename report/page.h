/* page.h: writes databases of results as one self-contained HTML page.
 *
 * The page is web/files/report.html with its scripts and style sheet, and with the data of the runs
 * as JSON in its element `data`:
 *
 *   title, details (as PAGE_DETAILS), left_out (runs), runs: [{
 *     name, file, status, figures {column: number},
 *     for the first PAGE_DETAILS runs with more data than figures also:
 *     hosts [[id, cpu]], waiting and slowdown [101 percentiles], utilization and queue [PAGE_STEPS
 *     means of equal parts of the run], bars [[lease, kind, from, until, "0-3 7"]] (time on hosts),
 *     bars_left_out, leases [[id, kind, user, vms, submit, start, end, waiting, bounded slowdown,
 *     state, reason]] (those that have bars)}]
 *
 * Times are seconds since the start of a run. For runs of any length, the page stays below 16 MB
 * (unless sites have more than 100,000 hosts): PAGE_BARS_BYTES are divided among the runs for bars
 * and their leases, largest first, and curves, which include all leases, have a fixed number of
 * points.
 */
#pragma once

#include <stddef.h>

#include "util/error.h"

enum {
    PAGE_DETAILS = 8,
    PAGE_RUNS = 1000,
    PAGE_STEPS = 500,
    PAGE_BARS_BYTES = 12 << 20,
};

struct page_options {
    const char *path; /* "-": standard output */
    const char *title;
    const char *const *inputs; /* databases of galerna replay --results or galerna sweep */
    size_t n_inputs;
};

/* Errors: EINVAL (an input without results, or with results of another version), EIO with SQLite's
 * text, errors of open(), with the path. Takes a few passes over the inputs. */
int page_write(const struct page_options *options, struct error *err);
