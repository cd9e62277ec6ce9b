/* haizea_lease.h: leases as Haizea 1.0 writes them in XML, and as the HTTP API does in JSON.
 *
 * Times of day are local, as Haizea's are. Pure: no input or output.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"

/* The body of a lease-request, to be released. The document's lease has one kind of node; its disk
 * image is the id of an OpenNebula template, its preemptible attribute is required, and a duration
 * of a century or more has no end. NULL with err (EINVAL): what is wrong, and where. */
json_t *haizea_lease_read(const char *document, size_t length, struct error *err);

/* A lease of lease-list as a document, to be freed. Its nodes have the mean size of its VMs; a
 * lease with a deadline is one of best effort. */
char *haizea_lease_write(const json_t *lease);
