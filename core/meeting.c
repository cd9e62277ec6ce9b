/* The demands of the VMs of a lease that is being mapped. */
#include "core/meeting.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "util/memory.h"

void meeting_begin(struct meeting *meeting, struct engine *engine, int64_t from, int64_t until,
                   int64_t least)
{
    *meeting = (struct meeting){.engine = engine, .from = from, .until = until, .least = least};
}

static void forget_rules(struct meeting *meeting)
{
    free(meeting->limits);
    free(meeting->ranks);
    meeting->limits = meeting->ranks = NULL;
}

void meeting_take_back(struct meeting *meeting, size_t n)
{
    while (meeting->n > n) {
        const struct stay *stay = &meeting->stays[--meeting->n];

        occupancy_release(slot_table_occupancy(meeting->engine->table), stay);
        held_units_destroy(stay->held);
    }
}

void meeting_end(struct meeting *meeting)
{
    meeting_take_back(meeting, 0);
    forget_rules(meeting);
    free(meeting->stays);
    meeting->stays = NULL;
}

static void apply_rules(struct meeting *meeting)
{
    const struct occupancy *occupancy = slot_table_occupancy(meeting->engine->table);
    size_t n_hosts = meeting->engine->site.n_hosts;

    for (uint32_t i = 0; i < meeting->demand->n_rules; i++) {
        int64_t **column = meeting->demand->rules[i].weight ? &meeting->ranks : &meeting->limits;

        if (!*column)
            *column = memory_new(n_hosts, sizeof **column);
    }
    if (meeting->limits)
        occupancy_rules_until(occupancy, meeting->demand, meeting->from, meeting->until,
                              meeting->limits);
    if (meeting->ranks) {
        memset(meeting->ranks, 0, n_hosts * sizeof *meeting->ranks);
        occupancy_preferences(occupancy, meeting->demand, meeting->from, meeting->ranks);
    }
}

void meeting_of(struct meeting *meeting, const struct node_set *nodes)
{
    forget_rules(meeting);
    meeting->demand = nodes->demand;
    if (meeting->demand)
        apply_rules(meeting);
}

bool meeting_allows(const struct meeting *meeting, uint32_t host)
{
    if (!meeting->demand)
        return true;
    if (meeting->limits && meeting->limits[host] < meeting->least)
        return false;
    return meeting->engine->site.hosts[host].units || !demand_has_units(meeting->demand);
}

int64_t meeting_rank(const struct meeting *meeting, uint32_t host)
{
    return meeting->ranks ? meeting->ranks[host] : 0;
}

bool meeting_refused(const struct meeting *meeting, uint32_t host)
{
    const struct unit_question question = {.demand = meeting->demand,
                                           .host = host,
                                           .from = meeting->from,
                                           .until = meeting->until,
                                           .least = meeting->least};

    return meeting->demand &&
           occupancy_refused(slot_table_occupancy(meeting->engine->table), &question);
}

static bool names_own_role(const struct vm_demand *demand)
{
    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (demand->rules[i].role == demand->role && !demand->rules[i].weight)
            return true;
    return false;
}

struct held_units *meeting_put(struct meeting *meeting, uint32_t vm, uint32_t host, int64_t *until)
{
    struct occupancy *occupancy = slot_table_occupancy(meeting->engine->table);
    struct unit_question question = {.demand = meeting->demand,
                                     .vm = vm,
                                     .host = host,
                                     .from = meeting->from,
                                     .until = *until,
                                     .least = meeting->least};
    struct stay stay = {.from = meeting->from, .until = meeting->until};
    int64_t met_until;

    if (meeting->limits && meeting->limits[host] < question.until)
        question.until = meeting->limits[host];
    if (question.until < question.least)
        return NULL;
    met_until = occupancy_units_until(occupancy, &question, &stay.held);
    if (!stay.held || met_until < meeting->least) {
        held_units_destroy(stay.held);
        return NULL;
    }
    *until = met_until;
    meeting->stays =
        memory_grow(meeting->stays, &meeting->allocated, meeting->n + 1, sizeof *meeting->stays);
    meeting->stays[meeting->n++] = stay;
    occupancy_book(occupancy, &stay);
    if (names_own_role(meeting->demand))
        apply_rules(meeting);
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
