/* lwf_writer.h: writes leases as LWF, readable by Haizea 1.0 and 1.1.
 *
 * Galerna's own attributes (terms, origin, priority, earliest start) are written only if they
 * differ from the defaults. Streams: requests are not kept in memory. */
#pragma once

#include <stdio.h>

#include "core/lease.h"
#include "core/site.h"
#include "util/error.h"

struct lwf_writer; /* opaque */

struct lwf_description {
    const char *name;        /* of the workload; NULL: none */
    const char *text;        /* free text; NULL: none */
    const struct site *site; /* NULL: no <site> */
    /* The types of the requests; NULL: the site's or, without a site, the fixed five. Must outlive
     * the writer and may grow meanwhile, like a reader's types. */
    const struct resource_types *types;
};

/* Writes the beginning to `file`. The caller keeps `file` and the data of `description`. Errors:
 * EINVAL (text that is not UTF-8), errors of fwrite(3). */
struct lwf_writer *lwf_writer_create(FILE *file, const struct lwf_description *description,
                                     struct error *err);

/* Writes one request, with the duration to be scheduled. Amounts of CPU and memory are always
 * written, others only if not 0. Errors: EINVAL (an image name that XML cannot represent, a
 * negative time; the file then lacks only this request), errors of fwrite(3). */
int lwf_writer_request(struct lwf_writer *writer, const struct lease_request *request,
                       struct error *err);

/* Writes the end and flushes. Errors: errors of fwrite(3); the file is then incomplete. */
int lwf_writer_end(struct lwf_writer *writer, struct error *err);

void lwf_writer_destroy(struct lwf_writer *writer); /* NULL is allowed */
