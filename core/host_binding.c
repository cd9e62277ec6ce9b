/* Manages places in the future that hold a number of hosts and get hosts when they begin. */
#include "core/host_binding.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/outputs.h"
#include "core/stretches.h"
#include "util/memory.h"

/* --- conditions for counting hosts ------------------------------------------------------------ */

static bool hosts_are_alike(const struct site *site)
{
    const struct site_host *first = &site->hosts[0];

    for (size_t i = 0; i < site->n_hosts; i++) {
        const struct site_host *host = &site->hosts[i];

        if (host->closed || host->units)
            return false;
        for (int type = 0; type < site->types.count; type++)
            if (host->capacity.of[type] != first->capacity.of[type])
                return false;
    }
    return first->capacity.of[RESOURCE_CPU] > 0;
}

void host_binding_init(struct engine *engine)
{
    const struct engine_settings *settings = &engine->settings;

    engine->binding.possible = !settings->behaviour.future_places_keep_their_hosts &&
                               settings->backfilling != BACKFILLING_OFF &&
                               settings->migration_interval == 0 && hosts_are_alike(&engine->site);
    engine->binding.late = engine->binding.possible;
}

void host_binding_is_early(struct engine *engine)
{
    engine->binding.possible = engine->binding.late = false;
}

static bool takes_whole_hosts(const struct engine *engine, const struct lease *lease)
{
    const struct amounts *capacity = &engine->site.hosts[0].capacity;
    const struct amounts *vm = &lease->request.node_sets[0].amounts;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (vm->of[type] > capacity->of[type])
            return false;
    return lease->request.n_node_sets == 1 && vm->of[RESOURCE_CPU] == capacity->of[RESOURCE_CPU];
}

/* Does the lease wait in the queue, run on any hosts, and keep them until its end? */
static bool is_counted(const struct engine *engine, const struct lease *lease)
{
    const struct lease_request *request = &lease->request;

    return request->kind == LEASE_BEST_EFFORT && request->priority == 0 && !request->image &&
           !lease->plan->has_filter && takes_whole_hosts(engine, lease) &&
           !may_be_suspended(engine, lease) && !policy_may_preempt(engine->hooks, lease);
}

/* --- binding ---------------------------------------------------------------------------------- */

static void set_placement(struct engine *engine, struct reservation *r, struct placement *placement)
{
    slot_table_release(engine->table, r);
    placement_destroy(r->placement);
    r->placement = placement_share(placement);
    slot_table_book(engine->table, r);
}

/* Takes over the reference to the placement. */
static void move_to(struct engine *engine, struct vm_plan *place, struct placement *placement)
{
    set_placement(engine, place->vm, placement);
    for (size_t i = 0; i < place->after.n; i++)
        set_placement(engine, place->after.items[i], placement);
    placement_destroy(placement);
}

/* Hosts that are free for the lease's whole time, or NULL; the slot table is unchanged. */
static struct placement *find_hosts(struct engine *engine, struct lease *lease)
{
    const struct vm_plan *place = lease_plan_current(lease);
    const struct map_request request = {.lease = lease,
                                        .from = place->vm->from,
                                        .until = vm_plan_end(place),
                                        .strict = true,
                                        .spare_others = true};
    size_t mark = slot_table_mark(engine->table);
    struct placement *placement = NULL;
    struct mapping mapping;

    lease_release_booked(engine, lease);
    if (mapper_map(engine, &request, &mapping))
        placement = placement_of_vms(engine, lease, mapping.vm_host, mapping.vm_held);
    mapping_finish(&mapping);
    slot_table_undo(engine->table, mark);
    return placement;
}

/* False: no hosts are free despite the count; nothing has changed. */
static bool give_hosts(struct engine *engine, struct lease *lease)
{
    struct vm_plan *place = lease_plan_current(lease);
    struct placement *placement;

    if (!place || !place->vm->placement->unbound_cpu)
        return true;
    placement = find_hosts(engine, lease);
    if (!placement)
        return false;
    move_to(engine, place, placement);
    return true;
}

bool bind_to_hosts(struct engine *engine, struct lease *lease)
{
    if (give_hosts(engine, lease))
        return true;
    unschedule_lease(engine, lease);
    lease_set_state(engine, lease, LEASE_QUEUED);
    queue_insert(engine, lease);
    return false;
}

static int by_start(const void *one, const void *other)
{
    const struct lease *a = *(struct lease *const *)one, *b = *(struct lease *const *)other;
    int64_t x = lease_plan_current(a)->vm->from, y = lease_plan_current(b)->vm->from;

    if (x != y)
        return x < y ? -1 : 1;
    return a->request.id < b->request.id ? -1 : a->request.id > b->request.id;
}

/* Leases are bound by ascending start: each may take any host free at its start, and there are
 * enough. */
void bind_all(struct engine *engine)
{
    size_t n = engine->queues.future.n;
    struct lease **leases = memory_copy(engine->queues.future.items, n * sizeof(struct lease *));

    engine->binding.late = false;
    if (n)
        qsort(leases, n, sizeof *leases, by_start);
    for (size_t i = 0; i < n; i++)
        (void)give_hosts(engine, leases[i]);
    memory_free(leases);
}

static void unbind_all(struct engine *engine)
{
    engine->binding.late = true;
    for (size_t i = 0; i < engine->queues.future.n; i++) {
        struct lease *lease = engine->queues.future.items[i];

        move_to(engine, lease_plan_current(lease), placement_of_vms(engine, lease, NULL, NULL));
    }
}

void binding_expect(struct engine *engine, struct lease *lease)
{
    if (!engine->binding.possible || is_counted(engine, lease))
        return;
    lease->plan->needs_named_hosts = true;
    engine->binding.n_named++;
    if (engine->binding.late)
        bind_all(engine);
}

void binding_update(struct engine *engine)
{
    if (engine->binding.possible && !engine->binding.late && engine->binding.n_named == 0)
        unbind_all(engine);
}
