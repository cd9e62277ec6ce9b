/* earliest.h: the first time at which n VMs of a size fit on the hosts of a site. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/profile.h"

struct earliest_request {
    struct profile *profiles; /* their summaries are extended */
    size_t n_hosts;
    const bool *allowed; /* per host; NULL: all hosts */
    struct demand vm;    /* one VM */
    uint32_t count;
    int64_t from, duration; /* duration > 0, SPAN_UNLIMITED: forever */
};

/* See slot_table_earliest(), also for costs: O(hosts log n) and one pass over the change points of
 * about twice the time up to the answer, for each VM that a host can hold. */
int64_t earliest_find(const struct earliest_request *request);
