/* Chooses the units of a host's planned VMs again. */
#include "core/rearrangement.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/occupancy.h"
#include "util/memory.h"

/* A VM with a new choice of units; held NULL: a new VM. */
struct choice {
    struct held_units *held, *chosen;
    struct unit_question question;
    int64_t weight;
};

struct choices {
    struct choice *items;
    size_t n;
};

/* VMs with more specific or larger demands choose first. */
static int64_t weight_of(const struct vm_demand *demand)
{
    int64_t weight = 0;

    for (uint32_t i = 0; i < demand->n_devices; i++) {
        const struct pci_demand *device = &demand->devices[i];

        weight += 64 + 512 * (device->address != DEMAND_ANY) +
                  64 * (device->profile != DEMAND_ANY) + (device->vendor != DEMAND_ANY) +
                  8 * (device->device != DEMAND_ANY) + (device->class_id != DEMAND_ANY);
    }
    for (uint32_t i = 0; i < demand->n_nodes; i++)
        weight += demand->nodes[i].cpus * (demand->pin == PIN_CORE ? 4 : 2) + 1;
    return weight;
}

static struct choice *find_or_add(struct choices *choices, const struct stay *stay)
{
    struct choice *choice;

    for (size_t i = 0; i < choices->n; i++)
        if (choices->items[i].held == stay->held)
            return &choices->items[i];
    choice = &choices->items[choices->n++];
    choice->held = stay->held;
    choice->weight = weight_of(stay->held->demand);
    choice->question = (struct unit_question){.demand = stay->held->demand,
                                              .vm = stay->held->vm,
                                              .host = stay->held->host,
                                              .from = stay->from,
                                              .until = stay->until};
    return choice;
}

/* Collects the VMs on the host, each with its whole time, then the new VMs. */
static void gather(struct choices *choices, const struct stay *stays, size_t n_stays,
                   const struct unit_question *questions, size_t n)
{
    choices->items = memory_new(n_stays + n, sizeof *choices->items);
    for (size_t i = 0; i < n_stays; i++) {
        struct choice *choice = find_or_add(choices, &stays[i]);

        if (stays[i].from < choice->question.from)
            choice->question.from = stays[i].from;
        if (stays[i].until > choice->question.until)
            choice->question.until = stays[i].until;
    }
    for (size_t i = 0; i < n; i++)
        choices->items[choices->n++] =
            (struct choice){.question = questions[i], .weight = weight_of(questions[i].demand)};
    for (size_t i = 0; i < choices->n; i++)
        choices->items[i].question.least = choices->items[i].question.until;
}

/* Removes VMs that have begun, which keep their units. */
static void keep_later(struct choices *choices, int64_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < choices->n; i++)
        if (!choices->items[i].held || choices->items[i].question.from > now)
            choices->items[kept++] = choices->items[i];
    choices->n = kept;
}

static bool is_chosen_again(const struct choices *choices, const struct stay *stay)
{
    for (size_t i = 0; i < choices->n; i++)
        if (choices->items[i].held == stay->held)
            return true;
    return false;
}

static int by_weight(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->question.from < y->question.from ? -1 : x->question.from > y->question.from;
}

static struct stay stay_of(const struct choice *choice)
{
    return (struct stay){
        .from = choice->question.from, .until = choice->question.until, .held = choice->chosen};
}

static bool choose_all(struct occupancy *occupancy, struct choices *choices)
{
    size_t n = 0;

    for (; n < choices->n; n++) {
        struct choice *choice = &choices->items[n];
        struct stay stay;

        if (occupancy_units_until(occupancy, &choice->question, &choice->chosen) <
            choice->question.until)
            break;
        stay = stay_of(choice);
        occupancy_book(occupancy, &stay);
    }
    for (size_t i = 0; i < n; i++) {
        struct stay stay = stay_of(&choices->items[i]);

        occupancy_release(occupancy, &stay);
    }
    return n == choices->n;
}

/* Are the demands met without changes? */
static bool are_met(struct occupancy *occupancy, const struct unit_question *questions, size_t n)
{
    struct choices choices = {0};
    bool met;

    gather(&choices, NULL, 0, questions, n);
    met = choose_all(occupancy, &choices);
    for (size_t i = 0; i < choices.n; i++)
        held_units_destroy(choices.items[i].chosen);
    free(choices.items);
    return met;
}

/* Chooses units for the VMs that begin after `now` and for the questions, all on the same host. */
static void rearrange(struct occupancy *occupancy, int64_t now,
                      const struct unit_question *questions, size_t n)
{
    struct choices choices = {0};
    size_t n_stays;
    const struct stay *booked = occupancy_stays(occupancy, questions->host, &n_stays);
    struct stay *stays = memory_copy(booked, n_stays * sizeof *stays);
    bool chosen;

    gather(&choices, stays, n_stays, questions, n);
    keep_later(&choices, now);
    for (size_t i = 0; i < n_stays; i++)
        if (is_chosen_again(&choices, &stays[i])) {
            held_units_share(stays[i].held);
            occupancy_release(occupancy, &stays[i]);
        }
    qsort(choices.items, choices.n, sizeof *choices.items, by_weight);
    chosen = choose_all(occupancy, &choices);
    for (size_t i = 0; i < choices.n; i++) {
        if (chosen && choices.items[i].held)
            held_units_exchange(choices.items[i].held, choices.items[i].chosen);
        held_units_destroy(choices.items[i].chosen);
    }
    for (size_t i = 0; i < n_stays; i++)
        if (is_chosen_again(&choices, &stays[i])) {
            occupancy_book(occupancy, &stays[i]);
            held_units_destroy(stays[i].held);
        }
    free(choices.items);
    free(stays);
}

static bool is_first_on_host(const uint32_t *vm_host, uint32_t vm)
{
    for (uint32_t i = 0; i < vm; i++)
        if (vm_host[i] == vm_host[vm])
            return false;
    return true;
}

void rearrange_for(struct engine *engine, const struct lease *lease, const uint32_t *vm_host,
                   int64_t from, int64_t until)
{
    struct occupancy *occupancy = slot_table_occupancy(engine->table);
    struct unit_question *questions = memory_new(lease->n_vms, sizeof *questions);

    for (uint32_t first = 0; first < lease->n_vms; first++) {
        size_t n = 0;

        if (vm_host[first] == HOST_NONE || !is_first_on_host(vm_host, first))
            continue;
        for (uint32_t vm = first; vm < lease->n_vms; vm++) {
            const struct vm_demand *demand = lease_vm_demand(lease, vm);

            if (demand && vm_host[vm] == vm_host[first])
                questions[n++] = (struct unit_question){
                    .demand = demand, .vm = vm, .host = vm_host[vm], .from = from, .until = until};
        }
        if (n && !are_met(occupancy, questions, n))
            rearrange(occupancy, engine->now, questions, n);
    }
    free(questions);
}
