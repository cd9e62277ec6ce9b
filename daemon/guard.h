/* guard.h: one daemon acts on an OpenNebula, not two.
 *
 * On one machine an abstract Unix socket named after the endpoint is held; it goes away with the
 * process. Between machines the daemon keeps an attribute GALERNA=[INSTANCE, MACHINE, SEEN] up to
 * date in the template of the user it acts as; another instance on another machine whose SEEN is
 * fresh is respected.
 */
#ifndef GALERNA_DAEMON_GUARD_H
#define GALERNA_DAEMON_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/rpc.h"
#include "util/error.h"

struct guard; /* opaque */

enum { GUARD_INTERVAL = 20, GUARD_FRESH = 90 /* seconds */ };

/* Take the place. Errors: EBUSY (who has it and how to end that), else what the calls answered.
 * Waits for the answers. instance: this daemon's name for itself; look: ask
 * OpenNebula for others too. */
struct guard *guard_create(struct rpc *rpc, const char *endpoint, const char *instance,
                           bool look, struct error *err);
/* Gives the place up. NULL is allowed. */
void guard_destroy(struct guard *guard);

/* Say that we are still there, when it is time to. */
void guard_refresh(struct guard *guard, int64_t now);

#endif
