/* lwf_writer.h: leases out as LWF, that Haizea 1.0 and 1.1 read too.
 *
 * Galerna's own attributes (terms, origin, priority, earliest start) are written only where they
 * differ from what follows without them. Streams: nothing is kept.
 */
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
    /* The types of the requests; NULL: the site's, else the fixed five. Must outlive the writer and
     * may grow in the meantime, as a reader's do. */
    const struct resource_types *types;
};

/* Write the beginning to `file`, which stays the caller's; so does what `description` points to.
 * Errors: EINVAL (text that is not UTF-8), those of fwrite(3). */
struct lwf_writer *lwf_writer_create(FILE *file, const struct lwf_description *description,
                                     struct error *err);

/* Write one request; its duration is the one to be scheduled. Amounts of CPU and memory are always
 * written, others when they are not 0. Errors: EINVAL (an image name that XML cannot hold, a
 * negative time; the file then lacks this request only), those of fwrite(3). */
int lwf_writer_request(struct lwf_writer *writer, const struct lease_request *request,
                       struct error *err);

/* Write the end and flush. Errors: those of fwrite(3); the file is then incomplete. */
int lwf_writer_end(struct lwf_writer *writer, struct error *err);

void lwf_writer_destroy(struct lwf_writer *writer); /* NULL is allowed */
