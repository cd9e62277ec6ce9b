/* resettle.h: deadline leases that make room for others and keep their deadlines. */
#ifndef GALERNA_CORE_RESETTLE_H
#define GALERNA_CORE_RESETTLE_H

#include "core/proposal.h"

struct trial;

/* A lease that wants hosts, and the leases that are to make room for it. */
struct resettlement {
    struct lease *lease;
    const struct lease_list *victims; /* of all kinds */
    int64_t from, until;              /* how long it holds its hosts */
    struct placement *placement;
};

/* Is a deadline lease among the victims? */
bool resettle_has_work(const struct lease_list *victims);

/* Place the deadline leases among the victims again. True: all keep their deadlines, the trial may
 * be committed. The slot table is as before; end the trial in any case. As much as scheduling each
 * of them. */
bool resettle_try(struct trial *trial, struct engine *engine, const struct resettlement *wish);

/* Only who among the victims would miss its deadline: appended to late. Costs the same. */
void resettle_find_late(struct engine *engine, const struct resettlement *wish,
                        struct lease_list *late);

#endif
