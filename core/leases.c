/* The table of leases by id, lists of leases, and their creation and destruction. */
#include "core/leases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/fair_share.h"
#include "util/memory.h"

void lease_list_append(struct lease_list *list, struct lease *lease)
{
    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    list->items[list->n++] = lease;
}

void lease_list_remove(struct lease_list *list, const struct lease *lease)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == lease) {
            memmove(&list->items[i], &list->items[i + 1],
                    (list->n - i - 1) * sizeof(struct lease *));
            list->n--;
            return;
        }
}

struct lease *lease_create(const struct lease_request *request, size_t n_hosts)
{
    struct lease *lease = memory_new(1, sizeof *lease);

    lease->request = *request;
    lease->request.node_sets =
        memory_copy(request->node_sets, request->n_node_sets * sizeof *request->node_sets);
    lease->request.image = memory_text(request->image);
    lease->start_actual = lease->end = INSTANT_NONE;
    lease->duration_actual = SPAN_NONE;
    for (size_t set = 0; set < request->n_node_sets; set++)
        lease->n_vms += request->node_sets[set].count;
    lease_plan_create(lease, n_hosts);
    return lease;
}

void lease_destroy(struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        reservation_destroy(lease->reservations[i]);
    for (size_t i = 0; i < lease->plan->left_behind.n; i++)
        reservation_destroy(lease->plan->left_behind.items[i]);
    lease_plan_destroy(lease);
    free(lease->reservations);
    memory_free(lease->request.node_sets);
    memory_free(lease->request.image);
    memory_free(lease->reason.text);
    memory_free(lease->reason.word);
    free(lease);
}

/* The first place with an id not smaller than `id`. */
static size_t lease_place(const struct engine *engine, int64_t id)
{
    size_t low = 0, high = engine->leases.list.n;

    /* New leases usually have the largest id. */
    if (high && engine->leases.ids[high - 1] < id)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (engine->leases.ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct lease *lease_table_find(const struct engine *engine, int64_t id)
{
    size_t place = lease_place(engine, id);

    return place < engine->leases.list.n && engine->leases.ids[place] == id
               ? engine->leases.list.items[place]
               : NULL;
}

const struct lease *engine_lease(const struct engine *engine, int64_t id)
{
    return lease_table_find(engine, id);
}

void lease_table_insert(struct engine *engine, struct lease *lease)
{
    size_t place = lease_place(engine, lease->request.id), n = engine->leases.list.n;

    if (engine->shares)
        lease->plan->share =
            fair_share_of(engine->shares, lease->request.user, lease->request.group);
    lease_list_append(&engine->leases.list, lease);
    MEMORY_GROW(engine->leases.ids, engine->leases.ids_allocated, n + 1);
    memmove(&engine->leases.list.items[place + 1], &engine->leases.list.items[place],
            (n - place) * sizeof(struct lease *));
    memmove(&engine->leases.ids[place + 1], &engine->leases.ids[place],
            (n - place) * sizeof(int64_t));
    engine->leases.list.items[place] = lease;
    engine->leases.ids[place] = lease->request.id;
}

void engine_each_lease(const struct engine *engine,
                       void (*visit)(void *context, const struct lease *lease), void *context)
{
    for (size_t i = 0; i < engine->leases.list.n; i++)
        if (engine->leases.list.items[i])
            visit(context, engine->leases.list.items[i]);
}

static void compact_leases(struct engine *engine)
{
    size_t kept = 0;

    for (size_t i = 0; i < engine->leases.list.n; i++)
        if (engine->leases.list.items[i]) {
            engine->leases.list.items[kept] = engine->leases.list.items[i];
            engine->leases.ids[kept++] = engine->leases.ids[i];
        }
    engine->leases.list.n = kept;
    engine->leases.n_forgotten = 0;
}

/* Is a migration of the finished lease still under way? */
static bool outlived_by_migration(const struct lease *lease)
{
    for (size_t i = 0; i < lease->plan->left_behind.n; i++)
        if (lease->plan->left_behind.items[i]->state != RESERVATION_DONE)
            return true;
    return false;
}

int engine_forget(struct engine *engine, int64_t id, struct error *err)
{
    size_t place = lease_place(engine, id);

    if (!engine_lease(engine, id))
        return error_set(err, EINVAL, "lease %lld is unknown", (long long)id);
    if (!lease_state_is_final(engine->leases.list.items[place]->state))
        return error_set(err, EINVAL, "lease %lld is not finished", (long long)id);
    if (outlived_by_migration(engine->leases.list.items[place]))
        return 0;
    lease_destroy(engine->leases.list.items[place]);
    engine->leases.list.items[place] = NULL;
    if (++engine->leases.n_forgotten > 64 && engine->leases.n_forgotten > engine->leases.list.n / 2)
        compact_leases(engine);
    return 0;
}
