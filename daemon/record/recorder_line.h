/* recorder_line.h: a lease as one line of a trace. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/site.h"
#include "daemon/store/store.h"
#include "util/error.h"

#define RECORD_NAME   "galernad-"
#define RECORD_FOOTER "</lease-requests>\n</lease-workload>\n"

/* Inputs of a line, required again to rewrite it. */
struct record_line {
    int64_t id;
    int64_t arrival;    /* seconds since the record's start */
    int64_t ran_before; /* seconds the lease ran before `arrival`, omitted from the trace */
};

struct recorded_lease {
    const struct lease_record *lease;
    const struct vm_record *const *vms;
    size_t n_vms;
};

/* The trace up to its first request. To be freed; NULL with err. */
char *record_header(const struct site *site, int64_t start, struct error *err);

/* The line, without its newline, to be freed; NULL with err. A lease that ended without running
 * becomes a comment, and so does an invalid lease (malformed attribute, no VMs). */
char *record_line(const struct recorded_lease *facts, const struct record_line *line, int64_t start,
                  struct error *err);

/* Read the inputs back from a line; -1: the text is not a lease's line. */
int record_line_parse(const char *text, struct record_line *line);
