/* Facts for a plan: the room on hosts that belongs to no lease of the plan. VMs hold it, or the
 * host is drained or booked. */
#include <string.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "util/memory.h"

enum { ON_ITS_WAY = 5 /* seconds until a VM that is leaving its host is checked again */ };

/* Room on one host that belongs to no lease of the plan: held by a VM, or by the closing of the
 * host (observed: NULL). */
struct block {
    int64_t id;
    struct adoption adoption;
    const struct vm_observation *observed;
    int64_t cpu, memory;
    uint32_t place;
    int32_t filter; /* hosts to which the VM may leave; -1: it stays */
};

/* Is the VM's capacity counted with its lease in the engine, or will the VM be gone soon? */
static bool covered(const struct facts *facts, const struct vm_record *vm)
{
    const struct lease_record *lease = vm ? store_lease(facts->store, vm->lease) : NULL;
    const struct planned *planned = lease ? planned_of(facts->planned, lease->id) : NULL;

    if (!lease)
        return false;
    if (lease_holds_hosts(lease))
        return (planned && planned->in_engine) || facts_leaves_for_promise(facts, lease);
    /* After a restart, only the time of the next attempt reveals a refusal. */
    if (vm->refusals > 0 || (vm->next_try != INSTANT_NONE && vm->next_try > facts->now + SETTLING))
        return false;
    return vm->attempts == 0 &&
           (lease->phase == PHASE_ENDING || (lease->phase == PHASE_FAILED && vm->goal == GOAL_END));
}

static void adopt_block(struct facts *facts, const struct block *block)
{
    const struct vm_observation *observed = block->observed;
    bool has_units = observed && facts_has_units(facts, observed, block->place);
    const struct fact_adoption fact = {.adoption = block->adoption, .has_places = true};
    const struct set_numbers numbers = {
        .filter = block->filter, .demand = observed ? facts_demand(facts, NULL, observed) : -1};
    struct node_set nodes = {.count = 1};
    const struct lease_request request = block_request(block->id, facts->now, &nodes);

    nodes.amounts.of[RESOURCE_CPU] = block->cpu;
    nodes.amounts.of[RESOURCE_MEMORY] = block->memory;
    wire_put_fields(&facts->adoption_section, fact_adoption_fields, n_fact_adoption_fields, &fact);
    wire_put_request(&facts->adoption_section, &request, &numbers);
    wire_put(&facts->adoption_section, 1);
    wire_put(&facts->adoption_section, has_units ? PLACE_HAS_UNITS : 0);
    wire_put(&facts->adoption_section, block->place);
    if (has_units)
        facts_put_vm_units(facts, observed, block->place, &facts->adoption_section);
    facts->n_adoptions++;
}

/* --- hosts that are closed for a time ----------------------------------------------------------
 */

/* Adopts a lease that takes all room of a place from `from` until `until`. */
static void close_place(struct facts *facts, uint32_t place, int64_t from, int64_t until)
{
    const struct host *host = snapshot_host(facts->snapshot, place);
    const struct block block = {.id = DRAIN_BASE + facts->n_drains++,
                                .adoption = {.as = ADOPTED_CLOSING,
                                             .since = from,
                                             .until = until,
                                             .not_before = INSTANT_NONE},
                                .cpu = host->cpu,
                                .memory = host->memory,
                                .place = place,
                                .filter = -1};

    if (host->cpu <= 0 || host->memory <= 0 || until <= facts->now || from >= until)
        return;
    adopt_block(facts, &block);
}

static void close_inside(struct facts *facts, const struct inside *inside, uint32_t place)
{
    int32_t host = snapshot_host(facts->snapshot, place)->id;
    int64_t from = facts->now;

    for (size_t i = 0; i < facts->drains->n; i++) { /* ascending */
        const struct drain *drain = &facts->drains->items[i];

        if (drain->host != host || strcmp(drain->booking, inside->booking) != 0 ||
            drain->until <= from)
            continue;
        close_place(facts, place, from, drain->from);
        from = drain->until;
    }
    close_place(facts, place, from, INSTANT_NEVER);
}

void facts_put_drains(struct facts *facts)
{
    const struct snapshot *snapshot = facts->snapshot;

    if (!facts->drains)
        return;
    for (size_t i = 0; i < facts->drains->n; i++) {
        const struct drain *drain = &facts->drains->items[i];
        uint32_t place = snapshot_place(snapshot, drain->host);

        if (place != HOST_NONE)
            close_place(facts, place, drain->from, drain->until);
    }
    for (size_t i = 0; i < snapshot->n_insides; i++)
        close_inside(facts, &snapshot->insides[i], (uint32_t)(snapshot->hosts->pool.n + i));
}

/* --- VMs on the other side of a booking --------------------------------------------------------
 */

/* When the VM stops holding room that is already given to others; INSTANT_NONE: it leaves in
 * time. */
static int64_t stays_until(const struct facts *facts, const struct vm_record *vm)
{
    const struct lease_record *lease = vm ? store_lease(facts->store, vm->lease) : NULL;
    struct drain ahead;
    int64_t end;

    if (!lease)
        return INSTANT_NEVER;
    end = lease_end_from(lease, facts->now);
    if (!drains_ahead(facts->drains, lease, vm->host, facts->now, &ahead) || end <= ahead.from)
        return INSTANT_NONE;
    if (lease->reason_id == REASON_CANNOT_LEAVE || lease->reason_id == REASON_NO_OTHER_HOST)
        return end;
    return ahead.from <= facts->now ? facts->now + ON_ITS_WAY : INSTANT_NONE;
}

static void put_stay(struct facts *facts, const struct vm_observation *observed, uint32_t place,
                     int64_t until)
{
    adopt_block(facts, &(struct block){.id = DRAIN_BASE + facts->n_drains++,
                                       .adoption = {.as = ADOPTED_RUNNING,
                                                    .since = facts->now,
                                                    .until = until,
                                                    .not_before = INSTANT_NONE},
                                       .observed = observed,
                                       .cpu = observed->cpu,
                                       .memory = observed->memory,
                                       .place = place,
                                       .filter = -1});
}

/* A VM at one place of a host may still hold room when the host's other places are open. vm: NULL:
 * the VM has no record. */
static void put_stays(struct facts *facts, const struct vm_observation *observed,
                      const struct vm_record *vm, uint32_t place)
{
    const struct snapshot *snapshot = facts->snapshot;
    uint32_t host = place == HOST_NONE ? HOST_NONE : snapshot_host_place(snapshot, place);
    struct planned *planned = vm ? planned_of(facts->planned, vm->lease) : NULL;
    int64_t until = INSTANT_NONE;

    if (place == HOST_NONE || snapshot->n_insides == 0)
        return;
    until = stays_until(facts, vm);
    if (until == INSTANT_NONE)
        return;
    if (planned)
        planned->stays = true;
    if (host != place)
        put_stay(facts, observed, host, until);
    for (size_t i = 0; i < snapshot->n_insides; i++)
        if (snapshot->insides[i].host == host && snapshot->hosts->pool.n + i != place)
            put_stay(facts, observed, (uint32_t)(snapshot->hosts->pool.n + i), until);
}

/* --- VMs of no lease ---------------------------------------------------------------------------
 */

/* A VM that is powered off or suspended on a host that it must leave moves like a running one. */
static int64_t block_leaves_by(struct facts *facts, const struct vm_record *vm,
                               const struct vm_observation *observed, int32_t *filter)
{
    int64_t by = INSTANT_NONE;
    struct planned *planned;

    if (vm && vm->goal == GOAL_NONE &&
        (observed->state == VM_POWEROFF || observed->state == VM_SUSPENDED))
        by = vm_leaves_by(facts->planner, facts->drains, vm, facts->now);
    if (by == INSTANT_NONE || !facts_leave_filter(facts, vm, observed->history.host, filter))
        return INSTANT_NONE;
    planned = planned_add(facts, BLOCK_BASE + vm->id);
    planned->vms = memory_copy(&vm->id, sizeof vm->id);
    planned->n_vms = 1;
    return by;
}

/* vm: NULL: the VM has no record. */
static void put_block(struct facts *facts, const struct vm_observation *observed,
                      const struct vm_record *vm, uint32_t place)
{
    struct block block = {.id = BLOCK_BASE + observed->id,
                          .adoption = {.as = ADOPTED_RUNNING,
                                       .since = facts->now,
                                       .until = INSTANT_NEVER,
                                       .not_before = INSTANT_NONE},
                          .observed = observed,
                          .cpu = observed->cpu,
                          .memory = observed->memory,
                          .place = place,
                          .filter = -1};

    block.adoption.leave_by = block_leaves_by(facts, vm, observed, &block.filter);
    adopt_block(facts, &block);
}

/* The capacity of VMs that could never be read is known only from their hosts' usage. */
static void gather_unread(struct facts *facts)
{
    const struct host_pool *pool = &facts->snapshot->hosts->pool;

    for (size_t i = 0; i < pool->n; i++) {
        struct vm_observation unread = {0};
        struct unread_room room;

        if (!world_unread(facts->planner->world, &pool->items[i], &room))
            continue;
        unread.id = room.vm;
        unread.cpu = room.cpu;
        unread.memory = room.memory;
        put_block(facts, &unread, NULL, (uint32_t)i);
        put_stays(facts, &unread, NULL, (uint32_t)i);
    }
}

void facts_gather_blocks(struct facts *facts, bool of_leases)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(facts->planner->world, &cursor))) {
        const struct vm_record *vm = store_vm(facts->store, observed->id);
        const struct lease_record *lease = vm ? store_lease(facts->store, vm->lease) : NULL;
        uint32_t place;

        if (!observed_holds_host(observed) || (vm && vm->suspended_by_us) ||
            (lease && lease_holds_hosts(lease)) != of_leases)
            continue;
        place = facts_place(facts, lease, observed->history.host);
        put_stays(facts, observed, vm, place);
        if (place != HOST_NONE && !covered(facts, vm))
            put_block(facts, observed, vm, place);
    }
    if (!of_leases)
        gather_unread(facts);
}
