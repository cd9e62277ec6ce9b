/* origins.h: leases requested and refused, by origin; for the sweep only. */
#pragma once

#include "core/observer.h"

struct origins {
    int64_t *requested, *rejected; /* by enum lease_origin */
};

/* Counts leases as they end, and unfinished ones at the end of the run. */
struct observer origins_observer(struct origins *origins);
