/* host_filter.h: which hosts the VMs of a node set may use, and which of them are preferred.
 *
 * A driver evaluates requirements and rank expressions once and hands the answers over; the columns
 * have one entry per place of the site. They stay the driver's and must not change or go away as
 * long as a lease refers to them.
 *
 * Costs, h = hosts, for each node set with one whenever its lease is tried: O(h) to count hosts and
 * to make a heap of them, O(log h) for each that is full and, with rank_per_vm, for each VM placed.
 */
#ifndef GALERNA_CORE_HOST_FILTER_H
#define GALERNA_CORE_HOST_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct host_filter {
    const bool *allowed; /* NULL: all hosts */
    const int64_t *rank; /* higher is taken first; NULL: all hosts are equal */
    /* Added to a host's rank for each VM on it: +1 packs, -1 stripes. Counts VMs that run, are
     * resumed, or are to start at this instant, and VMs of the lease itself already put on the
     * host. */
    int64_t rank_per_vm;
};

#endif
