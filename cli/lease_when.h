/* lease_when.h: possible starts of a reservation, for galerna lease request --when. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "cli/client.h"

/* Tries starts at the ends of other leases by dry runs, from `earliest` (seconds since 1970; 0:
 * now) on, and prints the choices. Returns the exit code; EXIT_REFUSED: none. O(leases) queries, at
 * most a few dozen. */
int lease_when(const struct client *client, const json_t *request, int64_t earliest);
