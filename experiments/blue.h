/* blue.h: 30 days of the Blue Horizon machine, with advance reservations between its jobs. */
#pragma once

#include <stdint.h>

#include "lwf/trace.h"
#include "util/error.h"

enum { BLUE_NODES = 144 };

struct blue {
    int reservations; /* 0, 10, 20 or 30 percent of the site */
    int64_t memory;   /* MB of every VM */
    int64_t span;     /* only requests before this time; 0: all */
    uint64_t seed;    /* not 0: each job comes up to `shift` seconds later */
    int64_t shift;
};

struct trace *blue_open(const struct blue *blue, struct error *err);
