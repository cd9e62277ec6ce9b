/* recorder_line.h: a lease as one line of a trace. */
#ifndef GALERNA_DAEMON_RECORDER_LINE_H
#define GALERNA_DAEMON_RECORDER_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/site.h"
#include "daemon/store/store.h"
#include "util/error.h"

#define RECORD_NAME   "galernad-"
#define RECORD_FOOTER "</lease-requests>\n</lease-workload>\n"

/* What a line was made with, and is made with again when more is known. */
struct record_line {
    int64_t id;
    int64_t arrival;    /* seconds since the record's start */
    int64_t ran_before; /* seconds it ran before that; they are no part of the trace */
};

struct recorded_lease {
    const struct lease_record *lease;
    const struct vm_record *const *vms;
    size_t n_vms;
};

/* The trace up to its first request. To be freed; NULL with err. */
char *record_header(const struct site *site, int64_t start, struct error *err);

/* The line, without its end, to be freed; NULL with err. A lease that ended without having run
 * gives a comment; one that cannot be a lease (its attribute was malformed, no VMs) too. */
char *record_line(const struct recorded_lease *facts, const struct record_line *line, int64_t start,
                  struct error *err);

/* Read back what a line was made with; -1: the text is no line of a lease. */
int record_line_parse(const char *text, struct record_line *line);

/* Seconds a lease has run until `now`. */
int64_t record_ran(const struct lease_record *lease, int64_t now);

#endif
