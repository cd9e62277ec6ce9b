/* preparation.h: sends disk images to hosts before leases start there (Haizea's image transfer).
 *
 * One repository sends one image at a time; hosts may keep images for later leases. Costs: h =
 * hosts, t = unfinished transfers. Earliest times: O(h t); planning and committing: O(VMs t).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/proposal.h"

struct image_transfers; /* opaque; one per engine */

void image_transfers_create(struct engine *engine);
void image_transfers_destroy(struct engine *engine);

/* Fills earliest (one entry per host) with the times at which hosts can have the lease's image and
 * returns true; false if no preparation is needed. */
bool preparation_earliest(struct engine *engine, const struct lease *lease, int64_t *earliest);
/* Adds to the proposal the transfers that it needs, or the planned transfer that its VMs share
 * (neither: it may start at once). False: the image cannot arrive in time, as lease->reason states.
 * Changes nothing else. */
bool plan_preparation(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* Called after the proposal has been taken over: records copies from caches and shares of planned
 * transfers. True: the lease is ready at once. */
bool commit_preparation(struct engine *engine, struct lease *lease,
                        const struct proposal *proposal);
/* For a trial: releases the room of the transfers that only these leases need, and leaves them out.
 * Returns the list of all, for preparation_put_back(); the caller undoes the slot table. O(leases t
 * VMs). */
struct reservation_list preparation_leave_out(struct engine *engine,
                                              const struct lease_list *leases);
void preparation_put_back(struct engine *engine, const struct reservation_list *all);
/* Called when the lease is placed again: cancels its transfers, removes its VMs from shared
 * transfers, and releases its images, except those that no VM has used yet. */
void cancel_preparation(struct engine *engine, struct lease *lease);

/* The switch rides_if_sooner: leases without a transfer of their own do not become ready. */
bool image_riders_stay_scheduled(const struct engine *engine);
/* Called when a transfer begins or is over. */
void transfer_started(struct engine *engine, struct reservation *r);
void transfer_ended(struct engine *engine, struct reservation *r);
/* Called when a migration of the lease is over and its images are on the new hosts. */
void images_migrated(struct engine *engine, const struct reservation *r);
/* Releases the images of a lease that is over. */
void images_release(struct engine *engine, struct lease *lease);
