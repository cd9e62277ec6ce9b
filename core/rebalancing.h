/* rebalancing.h: which running VMs should change hosts so that the hosts of a cluster are evenly
 * used, or as few of them as possible are used.
 *
 * The use of a host is the weighted sum of its measures, each relative to the host's capacity, in
 * millionths. Balance moves VMs off the most used hosts while that lowers the sum of the squares of
 * all uses, and only where a difference of at least the threshold remains between the host that is
 * left, before the move, and the one that is joined, after it: so a second run finds nothing. A VM
 * that uses next to nothing is not worth a migration: if all VMs of its host that may move were
 * like it, together they would use at least a tenth of the difference between the two hosts. Pack
 * empties the least used hosts, each completely or not at all; an empty host stays empty.
 *
 * Nothing here is booked: the moves are wishes, which the plan checks like those off a drained
 * host.
 *
 * Costs: v = VMs on a host, m = moves: O((m + 1) (hosts log hosts + v)), with a constant that
 * bounds how many hosts are tried before a host is given up, and how many in a row.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum rebalance_policy { REBALANCE_BALANCE, REBALANCE_PACK };

enum rebalance_measure {
    MEASURE_CPU_USAGE, /* what the VMs of a host really use of its CPU */
    MEASURE_CPU,       /* the CPU that is allocated to them */
    MEASURE_MEMORY,    /* the memory that is allocated to them */
    MEASURE_NET,       /* their traffic, relative to that of all hosts */
    MEASURE_DISK,      /* what they read and write, relative to that of all hosts */
    REBALANCE_MEASURES
};

enum { USE_WHOLE = 1000000 }; /* the use of a host whose capacity is used up */

struct rebalance_host {
    int64_t capacity[REBALANCE_MEASURES]; /* 0: the measure does not count here; 2^42 at most */
    int64_t amount[REBALANCE_MEASURES];   /* of all VMs there; changed with the moves */
    int64_t cpu, memory;                  /* room for arrivals; changed with the moves */
    bool takes;                           /* VMs may arrive */
    bool is_fixed; /* something there cannot move: the host cannot be emptied */
};

struct rebalance_vm {
    uint32_t home; /* its host */
    uint32_t host; /* where it should be: the result; at first its home */
    int64_t amount[REBALANCE_MEASURES];
    int64_t cpu, memory; /* the room that it needs */
};

struct rebalance_problem {
    enum rebalance_policy policy;
    int64_t weights[REBALANCE_MEASURES]; /* millionths; USE_WHOLE in all */
    int64_t threshold;                   /* balance: millionths of use, 1 or more */
    uint32_t most_moves;
    struct rebalance_host *hosts;
    uint32_t n_hosts;
    struct rebalance_vm *vms; /* those that may move */
    uint32_t n_vms;
    /* May this VM run on that host? Capacity is not asked about. */
    bool (*may_use)(void *context, uint32_t vm, uint32_t host);
    void *context;
};

/* The host's use with its present amounts. O(1). */
int64_t rebalance_use(const struct rebalance_problem *problem, uint32_t host);

/* Sets the hosts of the VMs, and the amounts and room of the hosts. Returns how many VMs have
 * another host than their home, most_moves at most. */
uint32_t rebalance(struct rebalance_problem *problem);
