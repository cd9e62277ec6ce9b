/* host_binding.h: whether places in the future name their hosts.
 *
 * If all hosts are alike and each VM takes a whole host, counting hosts suffices: unless the site
 * is overcommitted, each lease finds hosts when it begins. Leases planned for later then hold a
 * number of hosts (placement->unbound_cpu) and are bound to hosts at their start: backfilling
 * matches the literature, job for job. A lease behind them may take any host now if the site's
 * total leaves enough for all its time (mapper_has_enough_cpu()). If hosts or leases differ, places
 * name their hosts.
 *
 * Costs: expect: O(1), after a change as update; bind: a mapping (mapper.h) and its bookings.
 * update: O(1); when the leases of the site become alike, or cease to be, the cost of binding all
 * leases planned for later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct engine;
struct lease;

struct host_binding {
    bool possible;  /* as far as site and settings say */
    bool late;      /* places in the future have no hosts */
    size_t n_named; /* unfinished leases for which hosts cannot be counted */
};

void host_binding_init(struct engine *engine);
/* Makes places name their hosts from now on: the driver adopts leases on their hosts. */
void host_binding_is_early(struct engine *engine);

/* Called for a new lease, before its admission. */
void binding_expect(struct engine *engine, struct lease *lease);
/* Called when a step begins, and after leases are finished. */
void binding_update(struct engine *engine);

/* Chooses the hosts of a lease's place if it has none. False: no hosts were found despite the count
 * (the host selection policy vetoes them); the lease is back in the queue. */
bool bind_to_hosts(struct engine *engine, struct lease *lease);
/* Gives all places hosts, until the next step; a place whose hosts are vetoed has none until it
 * begins. */
void bind_all(struct engine *engine);
