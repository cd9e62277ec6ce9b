/* views.h: which VMs of others a user could see at the user's last request.
 *
 * A user who requests only the changes of leases also needs the leases that have become visible or
 * invisible through changed rights in OpenNebula, which galernad does not read. Each user's view
 * therefore has revisions of its own (daemon/control/revisions.h); `since` in a user's request is
 * galernad's revision, a '-', and the revision of the view. Thread-safe.
 */
#pragma once

#include <jansson.h>

#include "adapters/cloud/objects.h"
#include "daemon/control/revisions.h"

struct views; /* opaque */

struct views *views_create(void);
void views_destroy(struct views *views); /* NULL is allowed */

/* Is the user's view known at this revision? Otherwise the user needs the whole list. */
bool views_know(struct views *views, int32_t user, const char *since);

/* The changes of a view. */
struct view_changes {
    json_t *shown, *hidden; /* ids of VMs, to be released */
    char revision[REVISION_TEXT_MAX];
};

/* Note the VMs that the user sees now, and find those that have become visible or invisible since
 * `since` (NULL: never). O(VMs). */
void views_look(struct views *views, int32_t user, const struct vm_pool *vms, const char *since,
                struct view_changes *changes);
