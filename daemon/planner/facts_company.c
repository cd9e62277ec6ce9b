/* Adds to VMs' demands which other VMs must share their host or be apart from it. */
#include <string.h>

#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

bool facts_has_too_many_rules(const struct facts *facts, int32_t vm)
{
    struct company *company = facts->snapshot->company;
    struct vm_demand demand;

    return company && company_of(company, vm, &demand) == COMPANY_TOO_MANY;
}

/* Does the VM wait for a host, or must it leave its host? */
static bool needs_host(const struct facts *facts, const struct lease_record *lease,
                       const struct vm_record *vm)
{
    if (!lease || vm->gone)
        return false;
    return lease->phase == PHASE_WAITING ||
           (facts_may_leave(facts, lease) &&
            vm_leaves_by(facts->planner, facts->drains, vm, facts->now) != INSTANT_NONE);
}

static void add(struct amounts *sum, const struct vm_record *vm, int sign)
{
    sum->of[RESOURCE_CPU] += sign * vm->cpu;
    sum->of[RESOURCE_MEMORY] += sign * vm->memory;
}

/* By role, the total needs of all VMs without a host that must share one. To be freed. */
static struct amounts *needs_together(const struct facts *facts)
{
    struct company *company = facts->snapshot->company;
    const struct vmgroup_pool *pool = &facts->snapshot->vmgroups->pool;
    struct amounts *sums = memory_new(company_roles(company), sizeof *sums);

    for (size_t i = 0; i < pool->n_members; i++) {
        const struct vm_record *vm = store_vm(facts->store, pool->members[i].vm);
        bool again = i > 0 && pool->members[i - 1].vm == pool->members[i].vm;
        struct vm_demand demand = {.role = DEMAND_ANY};

        if (!again && vm && needs_host(facts, store_lease(facts->store, vm->lease), vm) &&
            company_of(company, vm->id, &demand) != COMPANY_NONE && company_is_on_one_host(&demand))
            add(&sums[demand.role], vm, 1);
    }
    return sums;
}

/* The needs of such VMs in other leases. False: there are none. */
static bool needs_of_others(struct facts *facts, const struct lease_record *lease, uint32_t role,
                            struct amounts *rest)
{
    static const struct amounts none;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);

    if (!facts->together)
        facts->together = needs_together(facts);
    *rest = facts->together[role];
    for (size_t i = 0; i < n; i++) {
        struct vm_demand demand = {.role = DEMAND_ANY};

        if (needs_host(facts, lease, vms[i]) &&
            company_of(facts->snapshot->company, vms[i]->id, &demand) != COMPANY_NONE &&
            demand.role == role)
            add(rest, vms[i], -1);
    }
    return memcmp(rest, &none, sizeof none) != 0;
}

void facts_add_company(struct facts *facts, const struct lease_record *lease, int32_t vm,
                       struct vm_demand *demand, struct amounts *rest)
{
    struct company *company = facts->snapshot->company;

    if (!company || company_of(company, vm, demand) == COMPANY_NONE)
        return;
    if (lease && (lease->phase == PHASE_RUNNING || lease->kind != LEASE_RESERVATION) &&
        needs_host(facts, lease, store_vm(facts->store, vm)) && company_is_on_one_host(demand) &&
        needs_of_others(facts, lease, demand->role, rest))
        demand->rest = rest;
}
