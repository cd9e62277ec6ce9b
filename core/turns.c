/* After a lease has been placed, leases that must share a host with it come next. */
#include "core/turns.h"

#include <stdlib.h>

#include "core/demand_check.h"
#include "core/lease.h"
#include "core/lease_plan.h"
#include "util/memory.h"
#include "util/search.h"

struct turn_role {
    uint32_t role, place;
};

static int by_role(const void *one, const void *other)
{
    const struct turn_role *a = one, *b = other;

    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

void turns_begin(struct turns *turns, const struct lease_list *waiting)
{
    size_t allocated = 0;

    *turns = (struct turns){.waiting = waiting};
    for (size_t i = 0; i < waiting->n; i++) {
        const struct lease_request *request = &waiting->items[i]->request;

        for (size_t set = 0; waiting->items[i]->plan->has_demand && set < request->n_node_sets;
             set++) {
            const struct vm_demand *demand = request->node_sets[set].demand;

            if (!demand || demand->role == DEMAND_ANY)
                continue;
            MEMORY_GROW(turns->roles, allocated, turns->n_roles + 1);
            turns->roles[turns->n_roles++] = (struct turn_role){demand->role, (uint32_t)i};
        }
    }
    if (!turns->n_roles)
        return;
    qsort(turns->roles, turns->n_roles, sizeof *turns->roles, by_role);
    turns->over = memory_new(waiting->n, sizeof *turns->over);
}

void turns_end(struct turns *turns)
{
    free(turns->over);
    free(turns->roles);
    free(turns->front);
}

/* The place of the next lease; waiting->n: none. */
static size_t next_place(struct turns *turns)
{
    if (turns->n_front)
        return turns->front[turns->n_front - 1];
    while (turns->over && turns->next < turns->waiting->n && turns->over[turns->next])
        turns->next++;
    return turns->next;
}

struct lease *turns_next(struct turns *turns)
{
    size_t place = next_place(turns);

    if (place == turns->waiting->n)
        return NULL;
    if (turns->n_front)
        turns->n_front--;
    else
        turns->next++;
    if (turns->over)
        turns->over[place] = true;
    return turns->waiting->items[place];
}

/* --- companions ------------------------------------------------------------------------------- */

static bool is_companion(const struct lease *lease, const struct lease *other)
{
    return other->request.priority == lease->request.priority && lease_joins(lease, other);
}

static void bring(struct turns *turns, uint32_t place)
{
    turns->over[place] = true;
    MEMORY_GROW(turns->front, turns->front_allocated, turns->n_front + 1);
    turns->front[turns->n_front++] = place;
}

static void bring_role(struct turns *turns, const struct lease *lease, uint32_t role)
{
    size_t i = search_place(&(struct turn_role){.role = role}, turns->roles, turns->n_roles,
                            sizeof *turns->roles, by_role);

    for (; i < turns->n_roles && turns->roles[i].role == role; i++) {
        uint32_t place = turns->roles[i].place;

        if (!turns->over[place] &&
            turns->waiting->items[place]->request.priority == lease->request.priority)
            bring(turns, place);
    }
}

static int last_first(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

    return (a < b) - (a > b);
}

void turns_placed(struct turns *turns, const struct lease *lease)
{
    size_t next = next_place(turns), first = turns->n_front;

    if (!turns->n_roles || !lease_joins(lease, lease) || next == turns->waiting->n ||
        is_companion(lease, turns->waiting->items[next]))
        return; /* later companions follow when the next one is placed */
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct vm_demand *demand = lease->request.node_sets[set].demand;

        for (uint32_t i = 0; demand && i < demand->n_rules; i++)
            if (demand_joins(demand, demand->rules[i].role))
                bring_role(turns, lease, demand->rules[i].role);
    }
    if (turns->n_front > first)
        qsort(turns->front + first, turns->n_front - first, sizeof *turns->front, last_first);
}
