/* host_filter.h: the hosts that the VMs of a node set may use, and the preferred ones among them.
 *
 * A driver evaluates requirements once and passes the results, a bit per place of the site. It
 * passes ranks as arithmetic (core/host_rank.h), which is evaluated when a lease is tried. The
 * driver owns both and must keep them unchanged as long as a lease refers to them.
 *
 * Costs, h = hosts, for each node set with a filter whenever its lease is tried: O(h) to count
 * hosts and make a heap of them, O(log h) for each full host and, with rank_per_vm, for each VM
 * placed.
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
     * being resumed, or start at this instant, and VMs of the lease itself already placed on the
     * host. */
    int64_t rank_per_vm;
};

/* May the host be used? A NULL filter allows all hosts. */
static inline bool host_filter_allows(const struct host_filter *filter, size_t host)
{
    return !filter || !filter->allowed || bitmap_has(filter->allowed, host);
}
