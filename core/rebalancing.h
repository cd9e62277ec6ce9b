/* rebalancing.h: chooses running VMs to move so that the hosts of a cluster are evenly used, or as
 * few of them as possible are in use.
 *
 * The use of a host is the weighted sum of its measures, each relative to the host's capacity, in
 * millionths. Balance moves VMs off the most used hosts as long as a move lowers the sum of the
 * squares of all uses, and only if the use of the source before the move exceeds the use of the
 * target after it by at least the threshold; hence a second run finds no moves. VMs with very
 * little use are not migrated: if all movable VMs of the host were like the VM, they would together
 * have to use at least a tenth of the difference between the two hosts. Pack empties the least used
 * hosts, each completely or not at all; an empty host stays empty.
 *
 * This part books nothing: the plan checks the proposed moves like moves off a drained host.
 *
 * Costs: v = VMs on a host, m = moves: O((m + 1) (hosts log hosts + v)), with constant bounds on
 * the hosts tried before a host is skipped, and on consecutive skips.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum rebalance_policy { REBALANCE_BALANCE, REBALANCE_PACK };

enum rebalance_measure {
    MEASURE_CPU_USAGE, /* measured CPU of the host's VMs */
    MEASURE_CPU,       /* CPU allocated to them */
    MEASURE_MEMORY,    /* memory allocated to them */
    MEASURE_NET,       /* their traffic, relative to the traffic of all hosts */
    MEASURE_DISK,      /* their disk I/O, relative to the I/O of all hosts */
    REBALANCE_MEASURES
};

enum { USE_WHOLE = 1000000 }; /* the use of a host at full capacity */

struct rebalance_host {
    int64_t capacity[REBALANCE_MEASURES]; /* 0: the measure is ignored on this host; 2^42 at most */
    int64_t amount[REBALANCE_MEASURES];   /* of all VMs on the host; updated with the moves */
    int64_t cpu, memory;                  /* room for arrivals; updated with the moves */
    bool takes;                           /* VMs may arrive */
    bool is_fixed;                        /* a VM there cannot move: the host cannot be emptied */
};

struct rebalance_vm {
    uint32_t home; /* its host */
    uint32_t host; /* the result: its new host; initially its home */
    int64_t amount[REBALANCE_MEASURES];
    int64_t cpu, memory; /* the room it needs */
};

struct rebalance_problem {
    enum rebalance_policy policy;
    int64_t weights[REBALANCE_MEASURES]; /* millionths, USE_WHOLE in total */
    int64_t threshold;                   /* balance: millionths of use, 1 or more */
    uint32_t most_moves;
    struct rebalance_host *hosts;
    uint32_t n_hosts;
    struct rebalance_vm *vms; /* the movable VMs */
    uint32_t n_vms;
    /* May this VM run on that host, capacity aside? */
    bool (*may_use)(void *context, uint32_t vm, uint32_t host);
    void *context;
};

/* The use of the host with its present amounts. O(1). */
int64_t rebalance_use(const struct rebalance_problem *problem, uint32_t host);

/* Sets the hosts of the VMs, and the amounts and room of the hosts. Returns the number of VMs that
 * leave their home, at most most_moves. */
uint32_t rebalance(struct rebalance_problem *problem);
