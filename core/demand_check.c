/* The demands of the VMs of a lease that is being mapped. */
#include "core/demand_check.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "util/memory.h"

void demand_check_begin(struct demand_check *check, struct engine *engine, int64_t from,
                        int64_t until, int64_t least)
{
    *check = (struct demand_check){.engine = engine, .from = from, .until = until, .least = least};
}

static void forget_rules(struct demand_check *check)
{
    free(check->limits);
    free(check->ranks);
    check->limits = check->ranks = NULL;
}

void demand_check_take_back(struct demand_check *check, size_t n)
{
    while (check->n > n) {
        const struct stay *stay = &check->stays[--check->n];

        occupancy_release(slot_table_occupancy(check->engine->table), stay);
        held_units_destroy(stay->held);
    }
}

void demand_check_end(struct demand_check *check)
{
    demand_check_take_back(check, 0);
    forget_rules(check);
    free(check->stays);
    check->stays = NULL;
}

static void apply_rules(struct demand_check *check)
{
    const struct occupancy *occupancy = slot_table_occupancy(check->engine->table);
    size_t n_hosts = check->engine->site.n_hosts;

    for (uint32_t i = 0; i < check->demand->n_rules; i++) {
        int64_t **column = check->demand->rules[i].weight ? &check->ranks : &check->limits;

        if (!*column)
            *column = memory_new(n_hosts, sizeof **column);
    }
    if (check->limits)
        occupancy_rules_until(occupancy, check->demand, check->from, check->until, check->limits);
    if (check->ranks) {
        memset(check->ranks, 0, n_hosts * sizeof *check->ranks);
        occupancy_preferences(occupancy, check->demand, check->from, check->ranks);
    }
}

void demand_check_of(struct demand_check *check, const struct node_set *nodes)
{
    forget_rules(check);
    check->demand = nodes->demand;
    if (check->demand)
        apply_rules(check);
}

bool demand_check_allows(const struct demand_check *check, uint32_t host)
{
    if (!check->demand)
        return true;
    if (check->limits && check->limits[host] < check->least)
        return false;
    return check->engine->site.hosts[host].units || !demand_has_units(check->demand);
}

int64_t demand_check_rank(const struct demand_check *check, uint32_t host)
{
    return check->ranks ? check->ranks[host] : 0;
}

bool demand_check_refused(const struct demand_check *check, uint32_t host)
{
    const struct unit_question question = {.demand = check->demand,
                                           .host = host,
                                           .from = check->from,
                                           .until = check->until,
                                           .least = check->least};

    return check->demand &&
           occupancy_refused(slot_table_occupancy(check->engine->table), &question);
}

const uint64_t *demand_check_refusing(const struct demand_check *check)
{
    return check->demand ? occupancy_refusing(slot_table_occupancy(check->engine->table),
                                              check->demand, check->from)
                         : NULL;
}

static bool names_own_role(const struct vm_demand *demand)
{
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == demand->role && !demand->rules[i].weight)
            return true;
    return false;
}

struct held_units *demand_check_put(struct demand_check *check, uint32_t vm, uint32_t host,
                                    int64_t *until)
{
    struct occupancy *occupancy = slot_table_occupancy(check->engine->table);
    struct unit_question question = {.demand = check->demand,
                                     .vm = vm,
                                     .host = host,
                                     .from = check->from,
                                     .until = *until,
                                     .least = check->least};
    struct stay stay = {.from = check->from, .until = check->until};
    int64_t met_until;

    if (check->limits && check->limits[host] < question.until)
        question.until = check->limits[host];
    if (question.until < question.least)
        return NULL;
    met_until = occupancy_units_until(occupancy, &question, &stay.held);
    if (!stay.held || met_until < check->least) {
        held_units_destroy(stay.held);
        return NULL;
    }
    *until = met_until;
    MEMORY_GROW(check->stays, check->allocated, check->n + 1);
    check->stays[check->n++] = stay;
    occupancy_book(occupancy, &stay);
    if (names_own_role(check->demand))
        apply_rules(check);
    return stay.held;
}

bool demand_joins(const struct vm_demand *demand, uint32_t role)
{
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == role && !demand->rules[i].apart && !demand->rules[i].weight &&
            demand->rules[i].level == COMPANY_HOST)
            return true;
    return false;
}

bool lease_joins(const struct lease *lease, const struct lease *other)
{
    for (size_t i = 0; i < lease->request.n_node_sets; i++)
        for (size_t k = 0; k < other->request.n_node_sets; k++) {
            const struct vm_demand *demand = lease->request.node_sets[i].demand;
            const struct vm_demand *theirs = other->request.node_sets[k].demand;

            if (demand && theirs && demand_joins(demand, theirs->role))
                return true;
        }
    return false;
}

int64_t demand_own_weight(const struct vm_demand *demand)
{
    int64_t weight = 0;

    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == demand->role && demand->rules[i].level == COMPANY_HOST)
            weight += demand->rules[i].apart ? -demand->rules[i].weight : demand->rules[i].weight;
    return weight;
}
