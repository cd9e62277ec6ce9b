/* Tests for policies that choose a set of victims: would this set make enough room? */
#include <stdlib.h>

#include "core/engine_state.h"
#include "core/leases.h"
#include "core/mapper_restricted.h"
#include "core/victim_room.h"
#include "core/victims.h"
#include "util/memory.h"

struct sets_context {
    struct engine *engine;
    const struct map_request *request;
    const struct victims *victims;
    const struct host_snapshot *snapshot;
    struct victim_room *room; /* NULL: only the mapper decides */
};

/* Tries a mapping in the slot table. */
static bool mapper_has_room(const struct sets_context *context, const size_t *chosen, size_t n)
{
    struct slot_table *table = context->engine->table;
    size_t mark = slot_table_mark(table);
    struct mapping trial = {0};
    bool mapped;

    for (size_t i = 0; i < n; i++)
        lease_release_booked(context->engine, context->victims->items[chosen[i]].lease);
    mapped = mapper_map_in_order(context->engine, context->request, context->snapshot, &trial);
    slot_table_undo(table, mark);
    mapping_finish(&trial);
    return mapped;
}

/* Deadlines are checked once a set has been chosen. */
static bool enough(const struct victim_test *test, const size_t *chosen, size_t n_chosen)
{
    const struct sets_context *context = test->engine;
    enum victim_room_answer answer =
        context->room ? victim_room_without(context->room, chosen, n_chosen) : ROOM_MAYBE;

    return answer == ROOM_YES ||
           (answer == ROOM_MAYBE && mapper_has_room(context, chosen, n_chosen));
}

/* Releases the chosen victims from the slot table, also when the mapping then fails. */
static bool choose(struct sets_context *context, struct mapping *mapping)
{
    const struct victims *victims = context->victims;
    struct engine *engine = context->engine;
    const struct victim_batch batch = {context->request->lease, context->request->from,
                                       victims->items, victims->n};
    struct victim_test test = {enough, context};
    size_t *chosen = memory_new(victims->n, sizeof *chosen);
    size_t n = engine->hooks->choose_victims(engine->hooks->context, &batch, &test, chosen);

    mapping->victims.n = 0;
    for (size_t i = 0; i < n; i++) {
        struct lease *victim =
            lease_table_find(engine, victims->items[chosen[i]].lease->request.id);

        lease_release_booked(engine, victim);
        lease_list_append(&mapping->victims, victim);
    }
    free(chosen);
    return n && mapper_map_in_order(engine, context->request, context->snapshot, mapping);
}

bool victims_by_choice(struct engine *engine, const struct map_request *request,
                       const struct victims *victims, const struct host_snapshot *snapshot,
                       struct mapping *mapping)
{
    struct sets_context context = {engine, request, victims, snapshot, NULL};
    bool restricted = is_restricted(engine, request->lease), mapped, wrong;
    size_t mark = slot_table_mark(engine->table);

    if (!request->pinned)
        context.room = victim_room_create(engine, request, victims, restricted ? NULL : snapshot);
    mapped = choose(&context, mapping);
    wrong = !mapped && mapping->victims.n && context.room;
    victim_room_destroy(context.room);
    context.room = NULL;
    /* Host selection vetoed a host that was counted: use the mapper for every test. */
    if (wrong) {
        slot_table_undo(engine->table, mark);
        mark = slot_table_mark(engine->table);
        mapped = choose(&context, mapping);
    }
    slot_table_keep(engine->table, mark);
    return mapped;
}
