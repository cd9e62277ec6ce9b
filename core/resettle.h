/* resettle.h: deadline leases that make room for others and keep their deadlines. */
#pragma once

#include "core/proposal.h"

struct trial;

/* A lease that needs hosts, and the victims that are to make room for it. */
struct resettlement {
    struct lease *lease;
    const struct lease_list *victims; /* of all kinds */
    int64_t from, until;              /* how long it holds its hosts */
    struct placement *placement;
};

/* Is a deadline lease among the victims? */
bool resettle_has_work(const struct lease_list *victims);

/* Places the deadline leases among the victims again. True: all keep their deadlines, and the trial
 * may be committed. The slot table is as before; the trial must be ended in any case. Costs as much
 * as scheduling each of them. */
bool resettle_try(struct trial *trial, struct engine *engine, const struct resettlement *wish);

/* Only finds the victims that would miss their deadlines, and appends them to late. Same costs. */
void resettle_find_late(struct engine *engine, const struct resettlement *wish,
                        struct lease_list *late);
