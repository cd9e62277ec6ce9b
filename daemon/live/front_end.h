/* front_end.h: publishes the options and the key of this front-end, for `galerna setup` on any
 * front-end of the zone to compare.
 *
 * Passive front-ends publish as well. One write of a few KB per minute: also shows that galernad
 * runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "configuration/difference.h"

enum { FRONT_END_EVERY = 60 /* seconds */ };

struct front_end {
    struct cloud *cloud;
    char host[65], key[24], configuration[24];
    char options[CONFIGURATION_DIGESTS_MAX];
    int64_t next; /* monotonic milliseconds */
    bool in_flight;
};

/* cloud: NULL: nothing will be published. */
void front_end_init(struct front_end *front_end, struct cloud *cloud, const char *key,
                    const struct configuration *configuration);
/* The configuration was reloaded. */
void front_end_configured(struct front_end *front_end, const struct configuration *configuration);
/* Publishes if that is due. server: Raft's number of our oned; -1: the zone has one front-end, or
 * oned has not told yet. Does not block. */
void front_end_step(struct front_end *front_end, int32_t server);
