/* host_filter.h: which hosts the VMs of a node set may use, and which of them are preferred.
 *
 * A driver evaluates requirements once and hands the answers over, a bit per place of the site;
 * ranks it hands over as arithmetic (core/host_rank.h), evaluated when a lease is tried. Both stay
 * the driver's and must not change or go away as long as a lease refers to them.
 *
 * Costs, h = hosts, for each node set with one whenever its lease is tried: O(h) to count hosts and
 * to make a heap of them, O(log h) for each that is full and, with rank_per_vm, for each VM placed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host_rank.h"
#include "util/bitmap.h"

struct host_filter {
    const uint64_t *allowed;      /* bitmap; NULL: all hosts */
    const struct host_rank *rank; /* higher is taken first; NULL: all hosts are equal */
    /* Added to a host's rank for each VM on it: +1 packs, -1 stripes. Counts VMs that run, are
     * resumed, or are to start at this instant, and VMs of the lease itself already put on the
     * host. */
    int64_t rank_per_vm;
};

/* May the host be used? filter may be NULL: all may. */
static inline bool host_filter_allows(const struct host_filter *filter, size_t host)
{
    return !filter || !filter->allowed || bitmap_has(filter->allowed, host);
}
