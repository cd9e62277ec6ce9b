/* Determines the units that VMs hold while they change hosts. */
#include "core/unit_move.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/occupancy.h"
#include "core/units.h"
#include "util/memory.h"

struct choice {
    const struct unit_move *move;
    struct occupancy *occupancy;
    struct stay *stays; /* booked; the first n_vms: the present units of each VM, held NULL for none
                         */
    size_t n;
    int64_t *limits; /* per host */
};

static void book(struct choice *choice, uint32_t place, const struct stay *stay)
{
    choice->stays[place] = *stay;
    occupancy_book(choice->occupancy, stay);
}

static bool stays(const struct unit_move *move, uint32_t vm)
{
    return move->to[vm] == move->from->vms[vm].host;
}

static void book_present(struct choice *choice, struct held_units **held)
{
    const struct unit_move *move = choice->move;
    const struct held_list *list = move->from->held;

    for (size_t i = 0; list && i < list->n; i++) {
        uint32_t vm = list->items[i]->vm;
        struct stay stay = {.from = move->begins, .until = move->at, .held = list->items[i]};

        if (stays(move, vm)) {
            stay.until = move->end;
            held[vm] = held_units_share(list->items[i]);
        }
        book(choice, vm, &stay);
    }
}

/* Is the VM's new host, during the copy, without VMs that it must be apart from? Rules to be
 * together apply only once it runs there. */
static bool keeps_apart(const struct choice *choice, uint32_t vm, const struct vm_demand *demand)
{
    const struct unit_move *move = choice->move;
    const struct stay *own = &choice->stays[vm];
    struct company_rule rules[VM_RULES_MOST];
    struct vm_demand apart = *demand;

    apart.rules = rules;
    apart.n_rules = 0;
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].apart)
            rules[apart.n_rules++] = demand->rules[i];
    if (apart.n_rules == 0)
        return true;
    if (own->held)
        occupancy_release(choice->occupancy, own);
    occupancy_rules_until(choice->occupancy, &apart, move->begins, move->at, choice->limits);
    if (own->held)
        occupancy_book(choice->occupancy, own);
    return choice->limits[move->to[vm]] >= move->at;
}

static bool arrives(struct choice *choice, uint32_t vm, struct held_units **held)
{
    const struct unit_move *move = choice->move;
    const struct vm_demand *demand = lease_vm_demand(move->lease, vm);
    const struct unit_question question = {.demand = demand,
                                           .vm = vm,
                                           .host = move->to[vm],
                                           .from = move->begins,
                                           .until = move->end,
                                           .least = move->end};
    struct stay stay = {.from = move->begins, .until = move->end};

    if (!demand)
        return true;
    if (!keeps_apart(choice, vm, demand) ||
        occupancy_units_until(choice->occupancy, &question, &stay.held) < move->end)
        return false;
    held[vm] = stay.held;
    book(choice, (uint32_t)choice->n++, &stay);
    return true;
}

bool unit_move_choose(struct engine *engine, const struct unit_move *move, struct held_units **held)
{
    uint32_t n_vms = move->lease->n_vms;
    struct choice choice = {.move = move,
                            .occupancy = slot_table_occupancy(engine->table),
                            .stays = memory_new((size_t)2 * n_vms, sizeof *choice.stays),
                            .n = n_vms,
                            .limits = memory_new(engine->site.n_hosts, sizeof *choice.limits)};
    bool chosen = true;

    book_present(&choice, held);
    for (uint32_t vm = 0; vm < n_vms && chosen; vm++)
        chosen = stays(move, vm) || arrives(&choice, vm, held);
    for (size_t i = 0; i < choice.n; i++)
        if (choice.stays[i].held)
            occupancy_release(choice.occupancy, &choice.stays[i]);
    free(choice.stays);
    free(choice.limits);
    return chosen;
}
