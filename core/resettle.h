/* resettle.h: moves deadline leases to make room for others such that they keep their deadlines. */
#pragma once

#include "core/proposal.h"

struct trial;

/* A lease that needs hosts, and the victims to make room for it. */
struct resettlement {
    struct lease *lease;
    const struct lease_list *victims; /* of all kinds */
    int64_t from, until;              /* the time for which it holds its hosts */
    struct placement *placement;
};

/* Is a deadline lease among the victims? */
bool resettle_has_work(const struct lease_list *victims);

/* Places the deadline leases among the victims again. True: all keep their deadlines, and the trial
 * may be committed. The slot table is unchanged; the caller must end the trial in any case. Costs
 * as much as scheduling each of them. */
bool resettle_try(struct trial *trial, struct engine *engine, const struct resettlement *wanted);

/* Appends the victims that would miss their deadlines to late, without a trial for the caller. Same
 * costs. */
void resettle_find_late(struct engine *engine, const struct resettlement *wanted,
                        struct lease_list *late);
