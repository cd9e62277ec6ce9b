/* Haizea's greedy mapper: hosts by preference, VMs by size. */
#include "core/mapper.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/mapper_restricted.h"
#include "core/units.h"
#include "util/memory.h"

void mapper_create_scratch(struct engine *engine)
{
    engine->mapper.surveys = surveys_create(engine->site.n_hosts);
    engine->mapper.choices = memory_new(engine->site.n_hosts, sizeof *engine->mapper.choices);
    engine->bookings.vms_on = memory_new(engine->site.n_hosts, sizeof *engine->bookings.vms_on);
    for (size_t host = 0; host < engine->site.n_hosts; host++) {
        if (!engine->site.hosts[host].closed)
            continue;
        if (!engine->closed)
            engine->closed = memory_new(engine->site.n_hosts, sizeof *engine->closed);
        engine->closed[host] = true;
    }
}

static void forget_held(struct mapper *mapper)
{
    for (size_t vm = 0; vm < mapper->n_vm_held; vm++)
        held_units_destroy(mapper->vm_held[vm]);
    mapper->n_vm_held = 0;
}

void mapper_destroy_scratch(struct engine *engine)
{
    surveys_destroy(engine->mapper.surveys);
    free(engine->mapper.choices);
    free(engine->bookings.vms_on);
    free(engine->closed);
    free(engine->mapper.loads);
    forget_held(&engine->mapper);
    free(engine->mapper.vm_held);
}

static void prepare_held(struct mapper *mapper, const struct lease *lease)
{
    forget_held(mapper);
    if (!lease->plan->has_demand)
        return;
    MEMORY_GROW(mapper->vm_held, mapper->vm_held_allocated, lease->n_vms);
    memset(mapper->vm_held, 0, lease->n_vms * sizeof *mapper->vm_held);
    mapper->n_vm_held = lease->n_vms;
}

void mapper_prepare(struct engine *engine, const struct lease *lease)
{
    struct mapper *mapper = &engine->mapper;

    if (mapper->vm_host_allocated < lease->n_vms)
        MEMORY_GROW(mapper->vm_host, mapper->vm_host_allocated, lease->n_vms);
    if (mapper->n_vm_held || lease->plan->has_demand)
        prepare_held(mapper, lease);
}

void mapper_assign(struct engine *engine, const struct lease *lease,
                   const struct placement *placement, struct mapping *mapping)
{
    struct mapper *mapper = &engine->mapper;

    mapper_prepare(engine, lease);
    for (uint32_t i = 0; i < placement->n_vms; i++)
        mapper->vm_host[placement->vms[i].vm] = placement->vms[i].host;
    mapping->vm_host = mapper->vm_host;
    mapping->vm_held = lease->plan->has_demand ? mapper->vm_held : NULL;
    for (size_t i = 0; mapping->vm_held && placement->held && i < placement->held->n; i++) {
        struct held_units *held = placement->held->items[i];

        mapper->vm_held[held->vm] = held_units_share(held);
    }
}

bool mapper_fills_gaps(const struct engine *engine)
{
    return !engine->settings.behaviour.mapper_stops_at_first_misfit;
}

void mapping_finish(struct mapping *mapping)
{
    free(mapping->victims.items);
    memset(&mapping->victims, 0, sizeof mapping->victims);
}

/* --- hosts with room -------------------------------------------------------------------------- */

/* Collects the hosts that fit any VM of the lease at the start in batch_hosts and the other batch
 * columns. */
static size_t find_hosts(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    size_t candidates = request->allowed ? request->n_allowed : engine->site.n_hosts;
    size_t n = 0;

    if (lease->n_node_sets == 1) {
        const struct survey *survey =
            mapper_survey(engine, &lease->node_sets[0].amounts, request->from);

        for (size_t i = 0; i < candidates; i++) {
            uint32_t host = request->allowed ? request->allowed[i] : (uint32_t)i;
            const struct host_look *look = &survey->looks[host];

            if (look->fits_until == INSTANT_NONE)
                continue;
            engine->mapper.batch_hosts[n] = host;
            engine->mapper.batch_leases[n] = look->leases;
            engine->mapper.batch_until[n++] = look->unchanged_until;
        }
        return n;
    }
    for (size_t i = 0; i < candidates; i++) {
        uint32_t host = request->allowed ? request->allowed[i] : (uint32_t)i;

        for (size_t set = 0; set < lease->n_node_sets; set++)
            if (slot_table_fits_until(engine->table, host, &lease->node_sets[set].amounts,
                                      request->from) > request->from) {
                engine->mapper.batch_hosts[n++] = host;
                break;
            }
    }
    return n;
}

/* Takes all hosts, including full ones, which victims may free. */
static size_t take_all_hosts(struct engine *engine, const struct map_request *request)
{
    size_t n = request->allowed ? request->n_allowed : engine->site.n_hosts;

    for (size_t i = 0; i < n; i++)
        engine->mapper.batch_hosts[i] = request->allowed ? request->allowed[i] : (uint32_t)i;
    return n;
}

static void fill_columns(struct engine *engine, int64_t at, size_t n)
{
    unsigned columns = engine->hooks->host_columns;

    for (size_t i = 0; i < n; i++) {
        if (columns & HOST_COLUMN_LEASES)
            engine->mapper.batch_leases[i] =
                slot_table_leases(engine->table, engine->mapper.batch_hosts[i], at);
        if (columns & HOST_COLUMN_CHANGE)
            engine->mapper.batch_until[i] =
                slot_table_unchanged_until(engine->table, engine->mapper.batch_hosts[i], at);
    }
}

/* Orders the n hosts of batch_hosts, best first. */
static void order_hosts(struct engine *engine, const struct map_request *request, size_t n,
                        struct host_order *order)
{
    bool ahead = mapper_is_ahead(engine, request);

    mapper_score_hosts(engine, request, n);
    order->choices = engine->mapper.choices;
    order->n = 0;
    for (size_t i = 0; i < n; i++)
        if (engine->mapper.batch_scores[i] != POLICY_VETO)
            order->choices[order->n++] = (struct host_choice){
                ahead ? mapper_rank_ahead(engine, request, engine->mapper.batch_hosts[i]) : 0,
                engine->mapper.batch_scores[i], engine->mapper.batch_hosts[i]};
    host_order_make(order);
}

void mapper_order_all(struct engine *engine, const struct map_request *request,
                      struct host_order *order)
{
    size_t n_hosts = take_all_hosts(engine, request);

    fill_columns(engine, request->from, n_hosts);
    order_hosts(engine, request, n_hosts, order);
}

/* --- the greedy pass -------------------------------------------------------------------------- */

/* Walks the VMs of a lease, largest first. */
struct vm_cursor {
    const struct lease *lease;
    size_t set;      /* place in set_order */
    uint32_t in_set; /* VMs of this set already done */
};

static const struct node_set *cursor_set(const struct vm_cursor *cursor)
{
    return &cursor->lease->request.node_sets[cursor->lease->plan->set_order[cursor->set]];
}

static uint32_t cursor_vm(const struct vm_cursor *cursor)
{
    uint32_t set = cursor->lease->plan->set_order[cursor->set];

    return cursor->lease->plan->set_first_vm[set] + cursor->in_set;
}

/* False after the last VM. */
static bool cursor_next(struct vm_cursor *cursor)
{
    if (++cursor->in_set < cursor_set(cursor)->count)
        return true;
    cursor->in_set = 0;
    return ++cursor->set < cursor->lease->request.n_node_sets;
}

static void add_vm(struct amounts *need, const struct vm_cursor *cursor)
{
    const struct amounts *vm = &cursor_set(cursor)->amounts;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        need->of[type] += vm->of[type];
}

/* Places as many VMs on the host as fit; shortens *until unless the request is strict. True: all
 * VMs have a host. */
static bool fill_host(struct engine *engine, const struct map_request *request, uint32_t host,
                      struct vm_cursor *cursor, int64_t *until)
{
    struct amounts need = {{0}};

    for (;;) {
        int64_t fits_until;

        add_vm(&need, cursor);
        fits_until = slot_table_fits_until(engine->table, host, &need, request->from);
        if (fits_until == request->from || (request->strict && fits_until < *until))
            return false;
        if (fits_until < *until)
            *until = fits_until;
        engine->mapper.vm_host[cursor_vm(cursor)] = host;
        if (!cursor_next(cursor))
            return true;
    }
}

/* For VMs of one size, at most one per host: the survey has the time for which each host is free.
 */
static bool one_for_each(struct engine *engine, const struct map_request *request,
                         struct host_order *order, struct mapping *mapping)
{
    const struct survey *survey =
        mapper_survey(engine, &request->lease->request.node_sets[0].amounts, request->from);

    for (uint32_t vm = 0; host_order_left(order);) {
        uint32_t host = host_order_take(order);
        int64_t fits_until = survey->looks[host].fits_until;

        if (fits_until < mapping->until) {
            if (request->strict || fits_until == INSTANT_NONE)
                continue;
            mapping->until = fits_until;
        }
        engine->mapper.vm_host[vm++] = host;
        if (vm == request->lease->n_vms)
            return mapper_long_enough(request, mapping);
    }
    return false;
}

/* Progress of each set, for VMs of several sizes. */
struct mixed_cursor {
    uint32_t *done; /* per node set: VMs placed */
    uint32_t n_left;
};

/* Like fill_host(), but smaller VMs may use the room left by a larger one. */
static bool fill_host_mixed(struct engine *engine, const struct map_request *request, uint32_t host,
                            struct mixed_cursor *cursor, int64_t *until)
{
    const struct lease *lease = request->lease;
    struct amounts need = {{0}};

    for (size_t i = 0; i < lease->request.n_node_sets; i++) {
        uint32_t set = lease->plan->set_order[i];
        const struct node_set *nodes = &lease->request.node_sets[set];

        while (cursor->done[set] < nodes->count) {
            struct amounts trial = need;
            int64_t fits_until;

            for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
                trial.of[type] += nodes->amounts.of[type];
            fits_until = slot_table_fits_until(engine->table, host, &trial, request->from);
            if (fits_until == request->from || (request->strict && fits_until < *until))
                break;
            if (fits_until < *until)
                *until = fits_until;
            need = trial;
            engine->mapper.vm_host[lease->plan->set_first_vm[set] + cursor->done[set]++] = host;
            cursor->n_left--;
        }
    }
    return cursor->n_left == 0;
}

static bool mixed_pass(struct engine *engine, const struct map_request *request,
                       struct host_order *order, struct mapping *mapping)
{
    struct mixed_cursor cursor = {.n_left = request->lease->n_vms};
    bool mapped = false;

    cursor.done = memory_new(request->lease->request.n_node_sets, sizeof *cursor.done);
    mapping->until = request->until;
    mapping->vm_host = engine->mapper.vm_host;
    while (host_order_left(order) && !mapped)
        mapped = fill_host_mixed(engine, request, host_order_take(order), &cursor, &mapping->until);
    free(cursor.done);
    return mapped && mapper_long_enough(request, mapping);
}

/* Haizea's greedy mapper: hosts by preference, VMs by size; the granted time never grows again
 * within a pass. Removes hosts from order. */
static bool greedy_pass(struct engine *engine, const struct map_request *request,
                        struct host_order *order, struct mapping *mapping)
{
    struct vm_cursor cursor = {.lease = request->lease};

    if (request->lease->request.n_node_sets > 1 && mapper_fills_gaps(engine))
        return mixed_pass(engine, request, order, mapping);
    mapping->until = request->until;
    mapping->vm_host = engine->mapper.vm_host;
    if (request->lease->request.n_node_sets == 1 && !request->allowed &&
        mapper_most_on_a_host(engine, &request->lease->request.node_sets[0].amounts) == 1)
        return one_for_each(engine, request, order, mapping);
    while (host_order_left(order))
        if (fill_host(engine, request, host_order_take(order), &cursor, &mapping->until))
            return mapper_long_enough(request, mapping);
    return false;
}

/* For VMs of one size, on all hosts; by the survey if a host holds at most one of them. */
static bool all_fit(struct engine *engine, const struct node_set *nodes, int64_t from,
                    int64_t until)
{
    const struct survey *survey = mapper_survey(engine, &nodes->amounts, from);
    uint32_t most = mapper_most_on_a_host(engine, &nodes->amounts), fitting;

    if (survey->n_fitting * (uint64_t)most < nodes->count)
        return false;
    fitting = survey_count_until(survey, until);
    if (fitting >= nodes->count)
        return true;
    if (most <= 1 || (uint64_t)fitting * most < nodes->count)
        return false;
    return slot_table_count(engine->table, &nodes->amounts, from, until, nodes->count) >=
           nodes->count;
}

uint32_t mapper_count_now(struct engine *engine, const struct node_set *nodes)
{
    const struct survey *survey;
    uint32_t count;

    if (nodes->hosts || nodes->demand || engine->closed) {
        const struct map_request request = {.from = engine->now};

        return restricted_count(engine, &request, nodes, engine->now + 1, nodes->count);
    }
    survey = mapper_survey(engine, &nodes->amounts, engine->now);
    count = survey->n_fitting;
    /* Counted only if the number of hosts with room does not decide. */
    if (count > 0 && count < nodes->count && mapper_most_on_a_host(engine, &nodes->amounts) > 1)
        count = survey_vms_now(engine->mapper.surveys, engine->table, &nodes->amounts);
    return count < nodes->count ? count : nodes->count;
}

uint32_t mapper_count(struct engine *engine, const struct map_request *request,
                      const struct node_set *nodes)
{
    if (nodes->hosts || nodes->demand || engine->closed)
        return restricted_count(engine, request, nodes, request->until, nodes->count);
    return slot_table_count(engine->table, &nodes->amounts, request->from, request->until,
                            nodes->count);
}

/* Could there be room at all? Counts VMs, regardless of preferences for hosts. */
static bool may_fit(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    int64_t until = mapper_least_until(request);

    if (!mapper_has_enough_cpu(engine, request, until))
        return false;
    for (size_t set = 0; set < lease->n_node_sets; set++) {
        const struct node_set *nodes = &lease->node_sets[set];
        uint32_t count = 0;

        if (!request->allowed) {
            if (!all_fit(engine, nodes, request->from, until))
                return false;
            continue;
        }
        for (size_t i = 0; i < request->n_allowed && count < nodes->count; i++)
            count +=
                slot_table_fit_count(engine->table, request->allowed[i], &nodes->amounts,
                                     (struct interval){request->from, until}, nodes->count - count);
        if (count < nodes->count)
            return false;
    }
    return true;
}

bool mapper_hosts_are_usable(const struct engine *engine, const struct lease *lease,
                             const struct placement *pinned)
{
    uint32_t vm = 0;

    if (!is_restricted(engine, lease))
        return true;
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        for (uint32_t i = 0; i < lease->request.node_sets[set].count; i++, vm++)
            if (!host_is_usable(engine, &lease->request.node_sets[set], pinned->vms[vm].host))
                return false;
    return true;
}

/* Stops at the first host that is not free for long enough. */
static bool map_pinned(struct engine *engine, const struct map_request *request,
                       struct mapping *mapping)
{
    const struct placement *pinned = request->pinned;
    int64_t until;

    if (!mapper_hosts_are_usable(engine, request->lease, pinned))
        return false;
    until = slot_table_placement_fits_until(engine->table, pinned, request->from,
                                            mapper_least_until(request),
                                            &request->lease->plan->blocked);
    if (until == INSTANT_NONE)
        return false;
    mapping->until = until < request->until ? until : request->until;
    mapping->vm_host = engine->mapper.vm_host;
    for (uint32_t i = 0; i < pinned->n_vms; i++)
        engine->mapper.vm_host[pinned->vms[i].vm] = pinned->vms[i].host;
    return !request->lease->plan->has_demand || restricted_meet(engine, request, mapping);
}

/* For counted hosts: there are enough hosts, and any will do. */
static bool map_unbound(const struct engine *engine, const struct map_request *request,
                        struct mapping *mapping)
{
    mapping->until = request->until;
    return mapper_has_enough_cpu(engine, request, request->until);
}

/* Maps without preempting any lease. */
static bool map_in_free_room(struct engine *engine, const struct map_request *request,
                             struct mapping *mapping)
{
    struct host_order order;
    size_t n_hosts;

    if (is_restricted(engine, request->lease))
        return restricted_map(engine, request, mapping);
    if (engine->binding.late && request->from > engine->now)
        return map_unbound(engine, request, mapping);
    if (!may_fit(engine, request))
        return false;
    if (!mapper_order_classes(engine, request, &order)) {
        n_hosts = find_hosts(engine, request);
        if (request->lease->request.n_node_sets > 1)
            fill_columns(engine, request->from, n_hosts);
        order_hosts(engine, request, n_hosts, &order);
    }
    return greedy_pass(engine, request, &order, mapping);
}

/* Has the lease been placed and then made room? It waits for free room; otherwise two leases of
 * equal rank would displace each other forever. */
static bool has_made_room(const struct lease *lease)
{
    return (lease->request.kind == LEASE_IMMEDIATE || lease->request.kind == LEASE_RESERVATION) &&
           (lease->state == LEASE_QUEUED || lease->state == LEASE_SUSPENDED_QUEUED);
}

bool mapper_makes_room(const struct engine *engine, const struct map_request *request)
{
    if (request->pinned && !request->pinned_preempts)
        return false;
    return request->forced ||
           (!request->spare_others && !engine->binding.late && !has_made_room(request->lease) &&
            policy_may_preempt(engine->hooks, request->lease));
}

bool mapper_map(struct engine *engine, const struct map_request *request, struct mapping *mapping)
{
    memset(mapping, 0, sizeof *mapping);
    mapper_prepare(engine, request->lease);
    if (request->pinned ? map_pinned(engine, request, mapping)
                        : map_in_free_room(engine, request, mapping))
        return true;
    return mapper_makes_room(engine, request) && engine->mapper.make_room(engine, request, mapping);
}

bool mapper_map_in_order(struct engine *engine, const struct map_request *request,
                         const struct host_snapshot *snapshot, struct mapping *mapping)
{
    struct host_order order = {
        .choices = engine->mapper.choices, .n = snapshot->n, .in_order = snapshot->in_order};

    mapper_prepare(engine, request->lease);
    if (request->pinned)
        return map_pinned(engine, request, mapping);
    if (is_restricted(engine, request->lease))
        return restricted_map(engine, request, mapping);
    if (!may_fit(engine, request))
        return false;
    memcpy(engine->mapper.choices, snapshot->choices, snapshot->n * sizeof *snapshot->choices);
    return greedy_pass(engine, request, &order, mapping);
}
