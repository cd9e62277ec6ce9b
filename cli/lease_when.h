/* lease_when.h: when a reservation could start, in several choices, for galerna lease request
 * --when. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "cli/client.h"

/* Tries starts by dry runs, from `earliest` (seconds since 1970; 0: now) on: where other leases
 * end. Prints the choices. The exit code: EXIT_REFUSED if there is none. O(leases) questions, a few
 * dozen at most. */
int lease_when(const struct client *client, const json_t *request, int64_t earliest);
