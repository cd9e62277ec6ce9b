/* Finds the running and planned operations on a host. */
#include "planner/host_operations.h"

#include <stdlib.h>

#include "util/memory.h"

struct lease_on_host {
    uint32_t host;
    const struct lease *lease;
};

/* --- leases by host --------------------------------------------------------------------------- */

struct gathering {
    const struct plan *plan;
    struct lease_on_host *items; /* in the order of the plan's leases */
    size_t n, allocated;
};

static void gather(void *context, const struct lease *lease)
{
    struct gathering *all = context;
    size_t first = all->n;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct placement *placement = lease->reservations[i]->placement;

        for (uint32_t k = 0; placement && k < placement->n_hosts; k++) {
            uint32_t host = plan_host_of(all->plan, placement->hosts[k]);

            if (host >= all->plan->n_hosts || /* the repository of images */
                (all->n > first && all->items[all->n - 1].host == host))
                continue; /* most leases have all operations on one host */
            MEMORY_GROW(all->items, all->allocated, all->n + 1);
            all->items[all->n++] = (struct lease_on_host){host, lease};
        }
    }
}

/* Sorts by host, by counting. */
static void learn(struct operation_index *index, const struct plan *plan)
{
    struct gathering all = {.plan = plan};
    size_t *next = memory_new(plan->n_hosts + 2, sizeof *next);

    engine_each_lease(plan->engine, gather, &all);
    for (size_t i = 0; i < all.n; i++)
        next[all.items[i].host + 2]++;
    for (size_t host = 2; host < plan->n_hosts + 2; host++)
        next[host] += next[host - 1];
    index->leases = memory_new(all.n + 1, sizeof *index->leases);
    for (size_t i = 0; i < all.n; i++)
        index->leases[next[all.items[i].host + 1]++] = all.items[i].lease;
    index->first = next; /* the place after a host's last lease is that of the next host's first */
    index->n_hosts = plan->n_hosts;
    index->bookings = engine_bookings(plan->engine);
    free(all.items);
}

void operations_forget(struct operation_index *index)
{
    free(index->leases);
    free(index->first);
    index->leases = NULL;
    index->first = NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

struct told {
    const struct plan *plan;
    uint32_t host;
    struct wire_writer writer;
    size_t n;
};

static void put_operations(struct told *told, const struct lease *lease)
{
    bool is_block = lease->request.id >= BLOCK_BASE;
    int64_t vm = is_block ? lease->request.id - BLOCK_BASE : -1;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        for (uint32_t host = 0; r->placement && host < r->placement->n_hosts; host++) {
            const int64_t *amounts = &r->placement->amounts[(size_t)host * r->placement->n_types];

            if (plan_host_of(told->plan, r->placement->hosts[host]) != told->host ||
                r->state == RESERVATION_DONE || r->closes)
                continue;
            wire_put_operation(&told->writer, &(struct planned_operation){
                                                  .lease = is_block ? -1 : lease->request.id,
                                                  .vm = vm <= INT32_MAX ? (int32_t)vm : -1,
                                                  .kind = r->kind,
                                                  .from = r->from,
                                                  .until = r->until,
                                                  .planned = r->state == RESERVATION_SCHEDULED,
                                                  .cpu = amounts[RESOURCE_CPU],
                                                  .memory = amounts[RESOURCE_MEMORY]});
            told->n++;
        }
    }
}

/* Writes the room that is held for waiting leases. */
static void put_held(const struct engine *engine, struct told *told)
{
    size_t n;
    const struct held_part *held = engine_held(engine, &n);

    for (size_t i = 0; i < n; i++) {
        if (plan_host_of(told->plan, held[i].host) != told->host)
            continue;
        wire_put_operation(&told->writer, &(struct planned_operation){
                                              .lease = held[i].lease,
                                              .vm = -1,
                                              .kind = RESERVATION_VM,
                                              .from = engine_now(engine),
                                              .until = INSTANT_NONE,
                                              .held = true,
                                              .cpu = held[i].amounts.of[RESOURCE_CPU],
                                              .memory = held[i].amounts.of[RESOURCE_MEMORY]});
        told->n++;
    }
}

void operations_tell(struct operation_index *index, const struct plan *plan,
                     struct wire_reader *reader, struct wire_writer *reply)
{
    struct told told = {.plan = plan, .host = (uint32_t)wire_get(reader, 0, UINT32_MAX)};
    const struct lease *last = NULL;
    size_t i = 0, end = 0;

    if (index->first && engine_bookings(plan->engine) != index->bookings)
        operations_forget(index);
    if (plan->engine && !index->first)
        learn(index, plan);
    if (index->first && told.host < index->n_hosts) {
        i = index->first[told.host];
        end = index->first[told.host + 1];
    }
    for (; i < end; i++) {
        if (index->leases[i] != last)
            put_operations(&told, index->leases[i]);
        last = index->leases[i];
    }
    if (plan->engine)
        put_held(plan->engine, &told);
    wire_put(reply, (int64_t)told.n);
    wire_put_all(reply, &told.writer);
    wire_writer_finish(&told.writer);
}
