/* Names of kinds, states and terms of leases. */
#include "core/lease.h"

const char *const lease_kind_words[LEASE_KINDS] = {
    [LEASE_BEST_EFFORT] = "best-effort",
    [LEASE_IMMEDIATE] = "immediate",
    [LEASE_RESERVATION] = "reservation",
    [LEASE_DEADLINE] = "deadline",
};

const char *lease_kind_name(enum lease_kind kind)
{
    static const char *const names[] = {"Best-effort", "Immediate", "AR", "Deadline"};

    return names[kind];
}

const char *lease_state_name(enum lease_state state)
{
    static const char *const names[LEASE_STATES] = {
        "New",
        "Pending",
        "Rejected",
        "Scheduled",
        "Queued",
        "Cancelled",
        "Preparing",
        "Ready",
        "Active",
        "Suspending",
        "Suspended-Pending",
        "Suspended-Queued",
        "Suspended-Scheduled",
        "Migrating",
        "Resuming",
        "Resumed-Ready",
        "Done",
        "Fail",
    };

    return names[state];
}

bool lease_state_is_final(enum lease_state state)
{
    return state == LEASE_REJECTED || state == LEASE_CANCELLED || state == LEASE_DONE ||
           state == LEASE_FAILED;
}

int64_t lease_cpu(const struct lease *lease)
{
    int64_t cpu = 0;

    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        cpu += lease->request.node_sets[set].amounts.of[RESOURCE_CPU] *
               lease->request.node_sets[set].count;
    return cpu;
}

const struct node_set *lease_vm_set(const struct lease *lease, uint32_t vm)
{
    const struct node_set *set = lease->request.node_sets;

    while (vm >= set->count) {
        vm -= set->count;
        set++;
    }
    return set;
}

const struct amounts *lease_vm_amounts(const struct lease *lease, uint32_t vm)
{
    return &lease_vm_set(lease, vm)->amounts;
}

int64_t lease_vm_memory(const struct lease *lease, uint32_t vm)
{
    return lease_vm_amounts(lease, vm)->of[RESOURCE_MEMORY];
}

const struct vm_demand *lease_vm_demand(const struct lease *lease, uint32_t vm)
{
    return lease_vm_set(lease, vm)->demand;
}
