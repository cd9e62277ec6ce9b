/* Finds the running and planned operations on a host. */
#include "planner/host_operations.h"

#include <stdlib.h>

#include "util/memory.h"

struct lease_on_host {
    uint32_t host;
    size_t order; /* among all entries */
    const struct lease *lease;
};

/* --- leases by host --------------------------------------------------------------------------- */

struct gathering {
    struct operation_index *index;
    const struct plan *plan;
};

static void gather(void *context, const struct lease *lease)
{
    const struct gathering *gathering = context;
    struct operation_index *index = gathering->index;
    size_t first = index->n;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct placement *placement = lease->reservations[i]->placement;

        for (uint32_t k = 0; placement && k < placement->n_hosts; k++) {
            uint32_t host = plan_host_of(gathering->plan, placement->hosts[k]);

            if (index->n > first && index->items[index->n - 1].host == host)
                continue; /* most leases have all operations on one host */
            index->items =
                memory_grow(index->items, &index->allocated, index->n + 1, sizeof *index->items);
            index->items[index->n] = (struct lease_on_host){host, index->n, lease};
            index->n++;
        }
    }
}

static int compare(const void *one, const void *two)
{
    const struct lease_on_host *a = one, *b = two;

    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void learn(struct operation_index *index, const struct plan *plan)
{
    struct gathering gathering = {index, plan};

    index->items = memory_grow(index->items, &index->allocated, 1, sizeof *index->items);
    engine_each_lease(plan->engine, gather, &gathering);
    qsort(index->items, index->n, sizeof *index->items, compare);
}

void operations_forget(struct operation_index *index)
{
    free(index->items);
    *index = (struct operation_index){0};
}

/* The first entry of a host. */
static size_t place_of(const struct operation_index *index, uint32_t host)
{
    size_t low = 0, high = index->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (index->items[middle].host < host)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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

    if (plan->engine && !index->items)
        learn(index, plan);
    for (size_t i = place_of(index, told.host); i < index->n && index->items[i].host == told.host;
         i++) {
        if (index->items[i].lease != last)
            put_operations(&told, index->items[i].lease);
        last = index->items[i].lease;
    }
    if (plan->engine)
        put_held(plan->engine, &told);
    wire_put(reply, (int64_t)told.n);
    wire_put_all(reply, &told.writer);
    wire_writer_finish(&told.writer);
}
