/* world.h: random leases on a small site, run by one engine after the other.
 *
 * The world plays a driver whose engine is created again at random instants from what the last one
 * shows: leases that run, are being suspended, are promised, or wait. It keeps its own log of what
 * was carried out, which the checker gets as a schedule.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct world_wishes {
    uint64_t seed;
    int n_leases;
    bool rebuilds; /* else one engine plays all */
    bool demands;  /* hosts have units, and VMs demand them */
};

/* True when every promise was kept; else what went wrong is in text. *rebuilds counts the engines
 * that were begun in the middle. */
bool world_play(const struct world_wishes *wishes, char *text, int64_t size, int *rebuilds);
