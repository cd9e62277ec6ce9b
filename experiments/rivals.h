/* rivals.h: preemption policies that get the same calls as the deciding one, with their answers
 * only counted: policies are compared in equal situations, not over whole runs in which each choice
 * changes the later ones. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/policy.h"

enum { RIVALS_MAX = 4 };

/* The leases a policy would have preempted, or has; and in how many of the choices it took fewer or
 * more than the decider. */
struct rival_count {
    int64_t leases, vms, overhead; /* overhead: VM-seconds, by the leases' terms */
    int64_t fewer_leases, more_leases, less_overhead, more_overhead;
};

/* Holds no pointers. The decider comes first, then its rivals in their order. */
struct rivals_count {
    int64_t choices;   /* requests for which leases had to go, and could */
    int64_t in_common; /* of these: all policies named as many leases with as much overhead */
    struct rival_count of[RIVALS_MAX + 1];
};

/* The hooks given to the engine in place of the decider's. */
struct rivals {
    struct policy_hooks hooks;
    const struct policy_hooks *decider, *others[RIVALS_MAX];
    size_t n_others;
    struct rivals_count *count;
};

/* The pointers must outlive the rivals; n_others is at most RIVALS_MAX. */
void rivals_init(struct rivals *rivals, const struct policy_hooks *decider,
                 const struct policy_hooks *const *others, size_t n_others,
                 struct rivals_count *count);
