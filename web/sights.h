/* sights.h: which VMs of others a user could see when the user asked last.
 *
 * Whoever asks for changes of leases only must also hear of those that have come into sight or gone
 * out of it because somebody changed rights in OpenNebula, of which galernad hears nothing. So a
 * user's view has revisions of its own (daemon/control/revisions.h), and what users name in `since`
 * is galernad's revision, a '-', and that of their view. Thread-safe.
 */
#pragma once

#include <jansson.h>

#include "adapters/cloud/objects.h"
#include "daemon/control/revisions.h"

struct sights; /* opaque */

struct sights *sights_create(void);
void sights_destroy(struct sights *sights); /* NULL is allowed */

/* Is this a revision from which a user's view is known? Else the user needs the whole list. */
bool sights_know(struct sights *sights, int32_t user, const char *since);

/* What has changed of a view. */
struct sight {
    json_t *shown, *hidden; /* ids of VMs, to be released */
    char revision[REVISION_TEXT_MAX];
};

/* Notes the VMs that the user sees now, and finds those that were not seen, or were, at `since`
 * (NULL: never). O(VMs). */
void sights_look(struct sights *sights, int32_t user, const struct vm_pool *vms, const char *since,
                 struct sight *sight);
