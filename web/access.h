/* access.h: may a caller do this? OpenNebula answers, asked with the caller's own session.
 *
 * Rules of route_right: USE of a lease is USE of its first VM, whose id is the lease's (the lowest
 * id of its VMs); MANAGE of a lease is MANAGE of each
 * of its VMs. Lists are reduced to the VMs and hosts that OpenNebula shows to the caller
 * (adapters/opennebula/session.h). Operators may do everything, so OpenNebula is not asked.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"
#include "web/caller.h"
#include "web/route.h"
#include "web/sights.h"

/* Asks galernad: an answer, to be released, or NULL with err. Takes the request. */
typedef json_t *access_ask(void *context, json_t *request, struct error *err);

struct access {
    const struct callers *callers;
    struct sights *sights;
    const struct caller *caller;
    access_ask *ask;
    void *context;
};

/* To be called before the request is sent: may the caller make it? A request for usage is limited
 * to the caller's own, and one for changes of leases becomes one for all of them if it is not known
 * what the caller could see then. -1 with err: EPERM (no), ENOENT (no such lease), EAGAIN
 * (OpenNebula or galernad does not answer). RIGHT_USE makes one call to OpenNebula, RIGHT_MANAGE
 * one more for each of the lease's VMs, and asks galernad for those. */
int access_check(const struct access *access, const struct route *route, json_t *asked,
                 struct error *err);

/* Does the answer have parts that the caller may not see? Else it is passed on as it is. */
bool access_reduces(const struct access *access, const struct route *route);
/* Removes the parts of the answer that the caller may not see. Changes of leases get those that
 * have come into the caller's sight or gone out of it. -1 with err, as above. */
int access_reduce(const struct access *access, const struct route *route, const json_t *asked,
                  json_t *answer, struct error *err);
