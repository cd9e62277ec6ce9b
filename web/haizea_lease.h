/* haizea_lease.h: converts leases between Haizea 1.0's XML and the HTTP API's JSON.
 *
 * Times of day are local, as in Haizea. Pure: no input or output.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"

/* Read a document as the body of a lease-request, to be released. The lease has one kind of node;
 * its disk image is the id of an OpenNebula template, its preemptible attribute is required, and a
 * duration of a century or more is unlimited. NULL with err (EINVAL): the fault and its place. */
json_t *haizea_lease_read(const char *document, size_t length, struct error *err);

/* Write a lease of lease-list as a document, to be freed. Its nodes have the mean size of its VMs;
 * a lease with a deadline becomes a best-effort lease. */
char *haizea_lease_write(const json_t *lease);
