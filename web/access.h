/* access.h: whether a caller may make a request; OpenNebula decides, called with the caller's own
 * session.
 *
 * Rules of route_right: USE of a lease is USE of its first VM, whose id is the lease's (the lowest
 * id of its VMs); MANAGE of a lease is MANAGE of each of its VMs. Lists are reduced to the VMs and
 * hosts that OpenNebula shows to the caller (adapters/opennebula/session.h). Operators may do
 * everything, without a call to OpenNebula.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"
#include "web/caller.h"
#include "web/route.h"
#include "web/views.h"

/* Sends a request to galernad; takes the reference. Returns an answer, to be released, or NULL with
 * err. */
typedef json_t *access_ask(const void *context, json_t *request, struct error *err);

struct access {
    const struct callers *callers;
    struct views *views;
    const struct caller *caller;
    access_ask *ask;
    const void *context;
};

/* May the caller make the request? Call this before sending it. A request for usage is limited to
 * the caller's own; a request for changes of leases becomes one for all leases if it is unknown
 * which the caller could see before. -1 with err: EPERM (no), ENOENT (no such lease), EAGAIN
 * (OpenNebula or galernad does not answer). RIGHT_USE makes one call to OpenNebula; RIGHT_MANAGE
 * makes one more for each of the lease's VMs, which it gets from galernad. */
int access_check(const struct access *access, const struct route *route, json_t *asked,
                 struct error *err);

/* Could the answer have parts that the caller may not see? Otherwise it is passed on unchanged. */
bool access_reduces(const struct access *access, const struct route *route);
/* Remove the parts of the answer that the caller may not see. Changes of leases also list the
 * leases that have become visible to the caller, or invisible. -1 with err, as access_check(). */
int access_reduce(const struct access *access, const struct route *route, const json_t *asked,
                  json_t *answer, struct error *err);
