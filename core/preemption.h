/* preemption.h: suspends, stops or cancels a lease, by its terms, to make room for another.
 *
 * Costs: those of laying out the suspension and booking the lease again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"

struct engine;

struct preemption {
    struct lease *victim;
    int64_t at; /* the victim's hosts are free from then on */
    const struct lease *by;
    bool suspend; /* regardless of the victim's terms */
};

void preempt(struct engine *engine, const struct preemption *preemption);
