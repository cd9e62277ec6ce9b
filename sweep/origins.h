/* origins.h: counts requested and refused leases by origin; internal. */
#pragma once

#include "core/observer.h"

struct origins {
    int64_t *requested, *rejected; /* by enum lease_origin */
};

/* Counts leases at their end, and unfinished leases at the end of the run. */
struct observer origins_observer(struct origins *origins);
