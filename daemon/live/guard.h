/* guard.h: one daemon acts on an OpenNebula, not two.
 *
 * On one machine a file named after the endpoint is locked, in a directory that only trusted users
 * may write to; the lock goes with the process. Between machines (and endpoints, and users) the
 * cloud keeps a mark. claim.h decides what it means.
 */
#ifndef GALERNA_DAEMON_GUARD_H
#define GALERNA_DAEMON_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "util/error.h"

struct guard; /* opaque */

struct guard_settings {
    struct cloud *cloud;
    const char *endpoint;
    const char *instance; /* this daemon's name for itself */
    const char
        *directory; /* of the lock; NULL: none is needed. One that cannot be used is logged */
    bool marked;    /* keep the mark, too */
};

/* Take the place on this machine. NULL: EBUSY (who has it). */
struct guard *guard_create(const struct guard_settings *settings, struct error *err);
/* Gives the place up; the mark stays. NULL is allowed. */
void guard_destroy(struct guard *guard);

/* Our oned does not lead its zone: what another one's galernad does there is its business. From the
 * next step on the claim is repeated. */
void guard_rest(struct guard *guard);
/* Read or write the mark when it is time to; returns at once. */
void guard_step(struct guard *guard);
/* When there is something to do again: monotonic milliseconds. */
int64_t guard_next_time(const struct guard *guard);
/* OpenNebula has been asked, and no other galernad is being watched. */
bool guard_is_settled(const struct guard *guard);
/* May this daemon act? */
bool guard_holds(const struct guard *guard);
/* Another one acts: EBUSY and who it is. 0 otherwise. */
int guard_check(const struct guard *guard, struct error *err);

/* Release the mark, so that no other galernad waits for it. Takes 2 seconds at most. */
void guard_release(struct guard *guard);

#endif
