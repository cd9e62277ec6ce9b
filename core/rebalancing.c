/* Chooses the VMs that change hosts so that a cluster is balanced or packed. */
#include "core/rebalancing.h"

#include <stdlib.h>

#include "util/memory.h"

enum {
    NONE = UINT32_MAX >> 1,
    SOURCES_TRIED = 8,  /* consecutive sources without a move */
    TARGETS_TRIED = 16, /* targets for a host, or a VM */
    WORTH = 10,         /* see the header */
};

struct ranked {
    int64_t use;
    uint32_t host;
};

struct rebalancing {
    struct rebalance_problem *problem;
    struct ranked *order; /* hosts, ascending by use */
    uint32_t *first;      /* by host: its first VM, or NONE; lists are ascending, as in a second run
                           */
    uint32_t *next;       /* by VM */
    uint32_t *n_on;       /* by host: movable VMs */
    uint32_t n_moved;
};

static int64_t use_of(const struct rebalance_problem *problem, const struct rebalance_host *host,
                      const struct rebalance_vm *vm, int sign)
{
    int64_t use = 0;

    for (int measure = 0; measure < REBALANCE_MEASURES; measure++) {
        int64_t amount = host->amount[measure] + (vm ? sign * vm->amount[measure] : 0);

        if (host->capacity[measure] > 0)
            use += problem->weights[measure] * amount / host->capacity[measure];
    }
    return use;
}

int64_t rebalance_use(const struct rebalance_problem *problem, uint32_t host)
{
    return use_of(problem, &problem->hosts[host], NULL, 0);
}

/* --- state ------------------------------------------------------------------------------------ */

static int by_use(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;

    if (one->use != other->use)
        return one->use < other->use ? -1 : 1;
    return (one->host > other->host) - (one->host < other->host);
}

static void sort_hosts(struct rebalancing *state)
{
    for (uint32_t i = 0; i < state->problem->n_hosts; i++)
        state->order[i] = (struct ranked){rebalance_use(state->problem, i), i};
    qsort(state->order, state->problem->n_hosts, sizeof *state->order, by_use);
}

static void begin(struct rebalancing *state, struct rebalance_problem *problem)
{
    *state = (struct rebalancing){
        .problem = problem,
        .order = memory_new(problem->n_hosts, sizeof *state->order),
        .first = memory_new(problem->n_hosts, sizeof *state->first),
        .next = memory_new(problem->n_vms, sizeof *state->next),
        .n_on = memory_new(problem->n_hosts, sizeof *state->n_on),
    };
    for (uint32_t i = 0; i < problem->n_hosts; i++)
        state->first[i] = NONE;
    for (uint32_t vm = problem->n_vms; vm-- > 0;) {
        uint32_t host = problem->vms[vm].host;

        state->next[vm] = state->first[host];
        state->first[host] = vm;
        state->n_on[host]++;
    }
    sort_hosts(state);
}

static void finish(struct rebalancing *state)
{
    free(state->order);
    free(state->first);
    free(state->next);
    free(state->n_on);
}

static void count(struct rebalance_host *host, const struct rebalance_vm *vm, int sign)
{
    for (int measure = 0; measure < REBALANCE_MEASURES; measure++)
        host->amount[measure] += sign * vm->amount[measure];
    host->cpu -= sign * vm->cpu;
    host->memory -= sign * vm->memory;
}

static void move_vm(struct rebalancing *state, uint32_t number, uint32_t to)
{
    struct rebalance_vm *vm = &state->problem->vms[number];
    uint32_t *link = &state->first[vm->host];

    while (*link != number)
        link = &state->next[*link];
    *link = state->next[number];
    for (link = &state->first[to]; *link < number;) /* NONE is larger than all */
        link = &state->next[*link];
    state->next[number] = *link;
    *link = number;
    state->n_on[vm->host]--;
    state->n_on[to]++;
    count(&state->problem->hosts[vm->host], vm, -1);
    count(&state->problem->hosts[to], vm, 1);
    state->n_moved += (vm->host == vm->home) - (to == vm->home);
    vm->host = to;
}

static bool fits(const struct rebalance_host *host, const struct rebalance_vm *vm)
{
    return vm->cpu <= host->cpu && vm->memory <= host->memory;
}

/* --- balance ---------------------------------------------------------------------------------- */

static int64_t squares(int64_t one, int64_t other)
{
    return one * one + other * other;
}

/* The VM whose move lowers the sum of squares most, or NONE. */
static uint32_t best_vm(const struct rebalancing *state, uint32_t source, uint32_t target)
{
    const struct rebalance_problem *problem = state->problem;
    int64_t use = rebalance_use(problem, source);
    int64_t difference = use - rebalance_use(problem, target);
    int64_t least = squares(use, use - difference);
    uint32_t best = NONE;

    for (uint32_t i = state->first[source]; i != NONE; i = state->next[i]) {
        const struct rebalance_vm *vm = &problem->vms[i];
        int64_t joined = use_of(problem, &problem->hosts[target], vm, 1);
        int64_t left = use_of(problem, &problem->hosts[source], vm, -1);
        int64_t sum = squares(left, joined);

        if (joined + problem->threshold > use || sum >= least ||
            (use - left) * state->n_on[source] * WORTH < difference ||
            !fits(&problem->hosts[target], vm) || !problem->may_use(problem->context, i, target))
            continue;
        least = sum;
        best = i;
    }
    return best;
}

/* Moves one VM off the host at this place in the order. */
static bool relieve(struct rebalancing *state, uint32_t place)
{
    const struct rebalance_problem *problem = state->problem;
    const struct ranked *source = &state->order[place];

    for (uint32_t i = 0, tried = 0; i < place && tried < TARGETS_TRIED; i++) {
        const struct ranked *target = &state->order[i];
        uint32_t vm;

        if (target->use + problem->threshold > source->use)
            return false;
        if (!problem->hosts[target->host].takes)
            continue;
        tried++;
        vm = best_vm(state, source->host, target->host);
        if (vm != NONE) {
            move_vm(state, vm, target->host);
            return true;
        }
    }
    return false;
}

static bool balance_once(struct rebalancing *state)
{
    for (uint32_t place = state->problem->n_hosts, tried = 0; place-- > 0 && tried < SOURCES_TRIED;)
        if (state->first[state->order[place].host] != NONE) {
            if (relieve(state, place))
                return true;
            tried++;
        }
    return false;
}

/* --- pack ------------------------------------------------------------------------------------- */

/* The most used host with VMs on which this VM fits. */
static uint32_t fullest_for(const struct rebalancing *state, uint32_t number)
{
    const struct rebalance_problem *problem = state->problem;
    const struct rebalance_vm *vm = &problem->vms[number];

    for (uint32_t i = problem->n_hosts, tried = 0; i-- > 0 && tried < TARGETS_TRIED;) {
        uint32_t target = state->order[i].host;
        const struct rebalance_host *host = &problem->hosts[target];

        if (target == vm->host || !host->takes || (!state->n_on[target] && !host->is_fixed) ||
            !fits(host, vm) || use_of(problem, host, vm, 1) > USE_WHOLE)
            continue;
        tried++;
        if (problem->may_use(problem->context, number, target))
            return target;
    }
    return NONE;
}

static bool empty(struct rebalancing *state, uint32_t source)
{
    uint32_t n = state->n_on[source], done = 0;
    uint32_t *moved = memory_new(n, sizeof *moved);

    while (state->first[source] != NONE) {
        uint32_t target = fullest_for(state, state->first[source]);

        if (target == NONE)
            break;
        moved[done++] = state->first[source];
        move_vm(state, state->first[source], target);
    }
    if (done < n || state->n_moved > state->problem->most_moves)
        while (done > 0)
            move_vm(state, moved[--done], source);
    free(moved);
    return done > 0;
}

static bool pack_once(struct rebalancing *state)
{
    const struct rebalance_problem *problem = state->problem;

    for (uint32_t i = 0, tried = 0; i < problem->n_hosts && tried < SOURCES_TRIED; i++) {
        uint32_t source = state->order[i].host;

        if (problem->hosts[source].is_fixed || !state->n_on[source])
            continue;
        if (empty(state, source))
            return true;
        tried++;
    }
    return false;
}

uint32_t rebalance(struct rebalance_problem *problem)
{
    struct rebalancing state;
    bool more = true;

    begin(&state, problem);
    while (more && state.n_moved < problem->most_moves) {
        more = problem->policy == REBALANCE_PACK ? pack_once(&state) : balance_once(&state);
        sort_hosts(&state);
    }
    finish(&state);
    return state.n_moved;
}
