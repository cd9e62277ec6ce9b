/* host_binding.h: whether a place in the future names its hosts.
 *
 * Where all hosts are alike and each VM takes a whole one, places are a matter of counting: as long
 * as no more hosts are taken than there are, each lease finds some when it begins, whichever they
 * are. Leases planned for later then hold a number of hosts (placement->unbound_cpu), and are bound
 * to hosts at their start: backfilling is that of the literature, job for job. A lease behind them
 * may take any host now if the site's total leaves enough for all its time
 * (mapper_has_enough_cpu()). Where hosts or leases differ, places name their hosts.
 *
 * Costs: expect: O(1), after a change as update; bind: a mapping (mapper.h) and its bookings.
 * update: O(1); when the leases of the site become alike, or no longer are, the same as binding all
 * leases that are planned for later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct engine;
struct lease;

struct host_binding {
    bool possible;  /* as far as site and settings say */
    bool late;      /* places in the future have no hosts */
    size_t n_named; /* unfinished leases that hosts cannot be counted for */
};

void host_binding_init(struct engine *engine);
/* From now on places name their hosts: the driver adopts leases as they are. */
void host_binding_is_early(struct engine *engine);

/* A new lease: before it is admitted. */
void binding_expect(struct engine *engine, struct lease *lease);
/* When a step begins, and after leases are finished. */
void binding_update(struct engine *engine);

/* Chooses the hosts of a lease's place if it has none. False: none are free, against all counting
 * (the host selection policy vetoes them): the lease is back in the queue. */
bool bind_to_hosts(struct engine *engine, struct lease *lease);
/* All places get hosts, until the next step; one whose hosts are vetoed has none until it begins.
 */
void bind_all(struct engine *engine);
