/* preparation.h: disk images are sent to hosts before leases start there (Haizea's image transfer).
 *
 * One repository sends one image at a time; hosts may keep images for later leases. Costs: h =
 * hosts, t = transfers that are not over. Earliest times: O(h t); planning and committing: O(VMs
 * t).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/proposal.h"

struct image_transfers; /* opaque; one per engine */

void image_transfers_create(struct engine *engine);
void image_transfers_destroy(struct engine *engine);

/* When each host can have the lease's image: fills earliest (one entry per host) and returns true,
 * or false when nothing needs preparing. */
bool preparation_earliest(struct engine *engine, const struct lease *lease, int64_t *earliest);
/* Adds the transfers the proposal needs to proposal->preparation, or the planned transfer that its
 * VMs share (neither: it may start at once). False: the image cannot arrive in time (lease->reason
 * says so). Changes nothing else. */
bool plan_preparation(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* The proposal has been taken over: records copies from caches and rides on planned transfers.
 * True: the lease is ready at once. */
bool commit_preparation(struct engine *engine, struct lease *lease,
                        const struct proposal *proposal);
/* The lease is placed again: its transfers are cancelled, it leaves those that it shares, and its
 * images are released. */
void cancel_preparation(struct engine *engine, struct lease *lease);

/* A transfer begins, or is over. */
void transfer_started(struct engine *engine, struct reservation *r);
void transfer_ended(struct engine *engine, struct reservation *r);
/* A migration of the lease is over: its images are on the new hosts. */
void images_migrated(struct engine *engine, const struct reservation *r);
/* The lease is over: its images are released. */
void images_release(struct engine *engine, struct lease *lease);
