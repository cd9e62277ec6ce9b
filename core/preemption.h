/* preemption.h: a lease makes room for another by its terms: suspended, stopped or cancelled.
 *
 * Costs: as laying out its suspension and booking it again.
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
    bool suspend; /* whatever the victim's terms are */
};

void preempt(struct engine *engine, const struct preemption *preemption);
