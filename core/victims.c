/* Makes room: chooses the leases to preempt so that another one fits. */
#include "core/victims.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/leases.h"
#include "core/mapper_restricted.h"
#include "core/resettle.h"
#include "util/memory.h"

/* Number of times that other victims are chosen for a request if some would miss their deadlines;
 * one more attempt excludes all leases with a deadline. */
enum { CHOICES_MOST = 8 };

/* The best candidate not yet taken: highest score, then the larger id. */
static size_t best_candidate(const int64_t *scores, size_t n)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < n; i++)
        if (scores[i] != POLICY_VETO && (best == SIZE_MAX || scores[i] >= scores[best]))
            best = i;
    return best;
}

/* Restores victims that are not needed, last taken first, and maps again. */
static bool spare_needless(struct engine *engine, const struct map_request *request,
                           const struct host_snapshot *snapshot, struct mapping *mapping)
{
    struct lease_list *victims = &mapping->victims;

    for (size_t i = victims->n; i-- > 0;) {
        size_t mark = slot_table_mark(engine->table);
        struct lease *spared = victims->items[i];

        for (size_t k = 0; k < spared->n_reservations; k++)
            if (spared->reservations[k]->state != RESERVATION_DONE)
                slot_table_book(engine->table, spared->reservations[k]);
        if (mapper_map_in_order(engine, request, snapshot, mapping)) {
            slot_table_keep(engine->table, mark);
            lease_list_remove(victims, spared);
        } else {
            slot_table_undo(engine->table, mark);
        }
    }
    return mapper_map_in_order(engine, request, snapshot, mapping);
}

static bool map_by_scores(struct engine *engine, const struct map_request *request,
                          const struct victims *victims, const struct host_snapshot *snapshot,
                          struct mapping *mapping)
{
    const struct policy_hooks *hooks = engine->hooks;
    int64_t *scores = memory_new(victims->n, sizeof *scores);
    bool mapped = false;

    if (!request->forced)
        hooks->score_victims(
            hooks->context,
            &(struct victim_batch){request->lease, request->from, victims->items, victims->n},
            scores);
    while (!mapped) {
        size_t best = best_candidate(scores, victims->n);
        struct lease *victim;

        if (best == SIZE_MAX)
            break;
        scores[best] = POLICY_VETO;
        victim = lease_table_find(engine, victims->items[best].lease->request.id);
        lease_release_booked(engine, victim);
        lease_list_append(&mapping->victims, victim);
        mapped = mapper_map_in_order(engine, request, snapshot, mapping);
    }
    free(scores);
    if (mapped && !engine->settings.behaviour.preempt_needless_victims)
        mapped = spare_needless(engine, request, snapshot, mapping);
    return mapped;
}

/* Finds the victims that would miss their deadlines. All leases are booked in the slot table. */
static void find_late(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping, struct lease_list *late)
{
    struct resettlement wanted = {.lease = request->lease,
                                  .victims = &mapping->victims,
                                  .from = request->from,
                                  .until = mapping->until};
    struct placement *placement;

    late->n = 0;
    if (!resettle_has_work(&mapping->victims))
        return;
    wanted.placement = placement =
        placement_of_vms(engine, request->lease, mapping->vm_host, mapping->vm_held);
    resettle_find_late(engine, &wanted, late);
    mapper_assign(engine, request->lease, placement, mapping);
    placement_destroy(placement);
}

/* Leaves the slot table as it was. */
static bool map_among(struct engine *engine, const struct map_request *request,
                      const struct victims *victims, const struct host_snapshot *snapshot,
                      struct mapping *mapping)
{
    size_t mark = slot_table_mark(engine->table);
    bool mapped = false;

    mapping->victims.n = 0;
    if (victims->n && engine->hooks->choose_victims && !request->forced)
        mapped = victims_by_choice(engine, request, victims, snapshot, mapping);
    else if (victims->n)
        mapped = map_by_scores(engine, request, victims, snapshot, mapping);
    slot_table_undo(engine->table, mark);
    return mapped;
}

/* Spares victims that would miss their deadlines, and searches for others. */
static bool map_in_time(struct engine *engine, const struct map_request *request,
                        struct candidates *candidates, const struct host_snapshot *snapshot,
                        struct mapping *mapping)
{
    struct lease_list late = {0};
    bool mapped;

    for (int round = 1;; round++) {
        mapped = map_among(engine, request, &candidates->may, snapshot, mapping);
        if (!mapped)
            break;
        find_late(engine, request, mapping, &late);
        if (!late.n)
            break;
        candidates_are_late(candidates, round < CHOICES_MOST ? &late : NULL);
    }
    free(late.items);
    return mapped;
}

/* The number of victims that would miss their deadlines; 0: even preempting them would not make
 * enough room. */
static size_t count_late(struct engine *engine, const struct map_request *request,
                         struct candidates *candidates, const struct host_snapshot *snapshot,
                         struct mapping *mapping)
{
    size_t n = 0;

    if (!candidates->late.n)
        return 0;
    candidates_take_late(candidates);
    if (!map_among(engine, request, &candidates->may, snapshot, mapping))
        return 0;
    for (size_t i = 0; i < mapping->victims.n; i++)
        for (size_t k = 0; k < candidates->late.n; k++)
            n += mapping->victims.items[i] == candidates->late.items[k].lease;
    return n;
}

bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping)
{
    struct candidates candidates = {0};
    struct host_order order = {.choices = engine->mapper.choices};
    struct host_snapshot snapshot;
    bool mapped = false;

    candidates_gather(engine, request, &candidates);
    if (candidates.may.n || candidates.late.n) {
        if (!request->pinned && !is_restricted(engine, request->lease))
            mapper_order_all(engine, request, &order);
        snapshot.n = order.n;
        snapshot.in_order = order.in_order;
        snapshot.choices = memory_copy(order.choices, order.n * sizeof *order.choices);
        mapped = map_in_time(engine, request, &candidates, &snapshot, mapping);
        if (!mapped)
            mapping->n_late = count_late(engine, request, &candidates, &snapshot, mapping);
        free(snapshot.choices);
    }
    if (!mapped)
        mapping->victims.n = 0;
    candidates_finish(&candidates);
    return mapped;
}
