#include <stdlib.h>
#include <string.h>

#include "core/mapper.h"
#include "util/memory.h"

void mapper_create_scratch(struct engine *engine)
{
    engine->surveys = surveys_create(engine->site.n_hosts);
    engine->choices = memory_new(engine->site.n_hosts, sizeof *engine->choices);
    engine->vms_on = memory_new(engine->site.n_hosts, sizeof *engine->vms_on);
    for (size_t host = 0; host < engine->site.n_hosts; host++) {
        if (!engine->site.hosts[host].closed)
            continue;
        if (!engine->closed)
            engine->closed = memory_new(engine->site.n_hosts, sizeof *engine->closed);
        engine->closed[host] = true;
    }
}

void mapper_destroy_scratch(struct engine *engine)
{
    surveys_destroy(engine->surveys);
    free(engine->choices);
    free(engine->vms_on);
    free(engine->closed);
    free(engine->loads);
}

void mapping_finish(struct mapping *mapping)
{
    free(mapping->victims.items);
    memset(&mapping->victims, 0, sizeof mapping->victims);
}

/* --- hosts in the order of preference --------------------------------------------------------- */

/* Larger rank first, then higher score, then the host that stands first on the site. */
static bool is_better(const struct host_choice *a, const struct host_choice *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank;
    return a->score != b->score ? a->score > b->score : a->host < b->host;
}

void host_order_sift_down(struct host_order *order, size_t i)
{
    struct host_choice moved = order->choices[i];

    for (size_t child = 2 * i + 1; child < order->n; child = 2 * i + 1) {
        if (child + 1 < order->n && is_better(&order->choices[child + 1], &order->choices[child]))
            child++;
        if (!is_better(&order->choices[child], &moved))
            break;
        order->choices[i] = order->choices[child];
        i = child;
    }
    order->choices[i] = moved;
}

static bool is_in_order(const struct host_order *order)
{
    for (size_t i = 1; i < order->n; i++)
        if (is_better(&order->choices[i], &order->choices[i - 1]))
            return false;
    return true;
}

void host_order_make_heap(struct host_order *order)
{
    order->in_order = false;
    for (size_t i = order->n / 2; i-- > 0;)
        host_order_sift_down(order, i);
}

/* Hosts often have equal scores: then there is nothing to sort. */
static void make_order(struct host_order *order)
{
    order->next = 0;
    order->in_order = is_in_order(order);
    if (!order->in_order)
        host_order_make_heap(order);
}

static size_t hosts_left(const struct host_order *order)
{
    return order->n - order->next;
}

uint32_t host_order_take(struct host_order *order)
{
    uint32_t host = order->choices[0].host;

    if (order->in_order)
        return order->choices[order->next++].host;
    order->choices[0] = order->choices[--order->n];
    if (order->n)
        host_order_sift_down(order, 0);
    return host;
}

/* --- hosts with room -------------------------------------------------------------------------- */

const struct survey *mapper_survey(struct engine *engine, const struct amounts *vm, int64_t from)
{
    return from == engine->now ? survey_now(engine->surveys, engine->table, vm)
                               : survey_at(engine->surveys, engine->table, vm, from);
}

uint32_t mapper_most_on_a_host(struct engine *engine, const struct amounts *vm)
{
    return survey_most_on_a_host(engine->surveys, engine->table, vm);
}

/* How long all of it must be free, at the least. */
int64_t mapper_least_until(const struct map_request *request)
{
    int64_t least = instant_add(request->from, request->shortest > 0 ? request->shortest : 1);

    return request->strict || request->until < least ? request->until : least;
}

/* Hosts that any VM of the lease fits on at the start go to batch_hosts and the batch columns. */
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
            engine->batch_hosts[n] = host;
            engine->batch_leases[n] = look->leases;
            engine->batch_until[n++] = look->unchanged_until;
        }
        return n;
    }
    for (size_t i = 0; i < candidates; i++) {
        uint32_t host = request->allowed ? request->allowed[i] : (uint32_t)i;

        for (size_t set = 0; set < lease->n_node_sets; set++)
            if (slot_table_fits_until(engine->table, host, &lease->node_sets[set].amounts,
                                      request->from) > request->from) {
                engine->batch_hosts[n++] = host;
                break;
            }
    }
    return n;
}

/* All hosts, also those that are full now: victims may leave them. */
static size_t take_all_hosts(struct engine *engine, const struct map_request *request)
{
    size_t n = request->allowed ? request->n_allowed : engine->site.n_hosts;

    for (size_t i = 0; i < n; i++)
        engine->batch_hosts[i] = request->allowed ? request->allowed[i] : (uint32_t)i;
    return n;
}

static void fill_columns(struct engine *engine, int64_t at, size_t n)
{
    unsigned columns = engine->hooks->host_columns;

    for (size_t i = 0; i < n; i++) {
        if (columns & HOST_COLUMN_LEASES)
            engine->batch_leases[i] = slot_table_leases(engine->table, engine->batch_hosts[i], at);
        if (columns & HOST_COLUMN_CHANGE)
            engine->batch_until[i] =
                slot_table_unchanged_until(engine->table, engine->batch_hosts[i], at);
    }
}

void mapper_score_hosts(struct engine *engine, const struct map_request *request, size_t n)
{
    const struct lease *lease = request->lease;
    size_t n_types = (size_t)engine->site.types.count;
    struct host_batch batch = {
        .lease = lease,
        .site = &engine->site,
        .at = request->from,
        .n_hosts = n,
        .hosts = engine->batch_hosts,
        .leases_present = engine->batch_leases,
        .unchanged_until = engine->batch_until,
        .free = engine->batch_free,
        .duration = engine->settings.behaviour.score_by_whole_duration ? lease->request.duration
                                                                       : remaining_span(lease),
    };

    if (!engine->hooks->score_hosts) {
        memset(engine->batch_scores, 0, n * sizeof *engine->batch_scores);
        return;
    }
    if (engine->hooks->host_columns & HOST_COLUMN_FREE)
        for (size_t i = 0; i < n; i++)
            for (size_t type = 0; type < n_types; type++)
                engine->batch_free[i * n_types + type] = slot_table_free(
                    engine->table, engine->batch_hosts[i], (int)type, request->from);
    engine->hooks->score_hosts(engine->hooks->context, &batch, engine->batch_scores);
}

/* The n hosts of batch_hosts, best first. */
static void order_hosts(struct engine *engine, const struct map_request *request, size_t n,
                        struct host_order *order)
{
    mapper_score_hosts(engine, request, n);
    order->choices = engine->choices;
    order->n = 0;
    for (size_t i = 0; i < n; i++)
        if (engine->batch_scores[i] != POLICY_VETO)
            order->choices[order->n++] =
                (struct host_choice){0, engine->batch_scores[i], engine->batch_hosts[i]};
    make_order(order);
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
    uint32_t in_set; /* how many of it are done */
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

/* Put as many VMs on the host as fit; shortens *until when the request is not strict.
 * True: all VMs have a host. */
static bool fill_host(struct engine *engine, const struct map_request *request, uint32_t host,
                      struct vm_cursor *cursor, int64_t *until)
{
    struct amounts need = {{0}};

    for (;;) {
        int64_t fits_until;

        add_vm(&need, cursor);
        fits_until = slot_table_fits_until(engine->table, host, &need, request->from);
        if (fits_until < *until) {
            if (request->strict || fits_until == request->from)
                return false;
            *until = fits_until;
        }
        engine->vm_host[cursor_vm(cursor)] = host;
        if (!cursor_next(cursor))
            return true;
    }
}

/* VMs of several sizes: which set is how far. */
struct mixed_cursor {
    uint32_t *done; /* per node set */
    uint32_t n_left;
};

/* As fill_host(), but smaller VMs may use what a larger one leaves. */
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
            if (fits_until < *until && (request->strict || fits_until == request->from))
                break;
            if (fits_until < *until)
                *until = fits_until;
            need = trial;
            engine->vm_host[lease->plan->set_first_vm[set] + cursor->done[set]++] = host;
            cursor->n_left--;
        }
    }
    return cursor->n_left == 0;
}

bool mapper_long_enough(const struct map_request *request, const struct mapping *mapping)
{
    return mapping->until == request->until || mapping->until - request->from >= request->shortest;
}

static bool mixed_pass(struct engine *engine, const struct map_request *request,
                       struct host_order *order, struct mapping *mapping)
{
    struct mixed_cursor cursor = {.n_left = request->lease->n_vms};
    bool mapped = false;

    cursor.done = memory_new(request->lease->request.n_node_sets, sizeof *cursor.done);
    mapping->until = request->until;
    mapping->vm_host = engine->vm_host;
    while (hosts_left(order) && !mapped)
        mapped = fill_host_mixed(engine, request, host_order_take(order), &cursor, &mapping->until);
    free(cursor.done);
    return mapped && mapper_long_enough(request, mapping);
}

/* Haizea's greedy mapper: hosts by preference, VMs by size; the granted time never
 * grows back within a pass. Takes hosts out of order. */
bool mapper_pass(struct engine *engine, const struct map_request *request, struct host_order *order,
                 struct mapping *mapping)
{
    struct vm_cursor cursor = {.lease = request->lease};

    if (request->lease->request.n_node_sets > 1 &&
        !engine->settings.behaviour.mapper_stops_at_first_misfit)
        return mixed_pass(engine, request, order, mapping);
    mapping->until = request->until;
    mapping->vm_host = engine->vm_host;
    while (hosts_left(order))
        if (fill_host(engine, request, host_order_take(order), &cursor, &mapping->until))
            return mapper_long_enough(request, mapping);
    return false;
}

bool mapper_has_enough_cpu(const struct engine *engine, const struct map_request *request,
                           int64_t until)
{
    const struct lease_request *lease = &request->lease->request;
    int64_t cpu = 0;

    for (size_t set = 0; set < lease->n_node_sets; set++)
        cpu += lease->node_sets[set].amounts.of[RESOURCE_CPU] * lease->node_sets[set].count;
    if (request->from == engine->now)
        return slot_table_free_cpu_now(engine->table) >= cpu;
    return slot_table_least_free_cpu(engine->table, request->from, until) >= cpu;
}

/* VMs of one size, on all hosts: by the survey where a host holds one of them at most. */
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

    if (nodes->hosts || engine->closed) {
        const struct map_request request = {.from = engine->now};

        return restricted_count(engine, &request, nodes, engine->now + 1, nodes->count);
    }
    survey = mapper_survey(engine, &nodes->amounts, engine->now);
    count = survey->n_fitting;
    if (mapper_most_on_a_host(engine, &nodes->amounts) > 1)
        count = survey_vms_now(engine->surveys, engine->table, &nodes->amounts);
    return count < nodes->count ? count : nodes->count;
}

uint32_t mapper_count(struct engine *engine, const struct map_request *request,
                      const struct node_set *nodes)
{
    if (nodes->hosts || engine->closed)
        return restricted_count(engine, request, nodes, request->until, nodes->count);
    return slot_table_count(engine->table, &nodes->amounts, request->from, request->until,
                            nodes->count);
}

/* Could there be room at all? Counts VMs, whatever hosts are preferred. */
bool mapper_may_fit(struct engine *engine, const struct map_request *request)
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
            count += slot_table_fit_count(engine->table, request->allowed[i], &nodes->amounts,
                                          request->from, until, nodes->count - count);
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

/* The first host that is not free long enough ends the search. */
bool mapper_pinned(struct engine *engine, const struct map_request *request,
                   struct mapping *mapping)
{
    const struct placement *pinned = request->pinned;
    int64_t least = mapper_least_until(request);
    struct amounts need = {{0}};

    if (!mapper_hosts_are_usable(engine, request->lease, pinned))
        return false;
    mapping->until = request->until;
    for (uint32_t i = 0; i < pinned->n_hosts; i++) {
        int64_t fits_until;

        for (uint32_t type = 0; type < pinned->n_types; type++)
            need.of[type] = pinned->amounts[(size_t)i * pinned->n_types + type];
        fits_until = slot_table_fits_until(engine->table, pinned->hosts[i], &need, request->from);
        if (fits_until < least)
            return false;
        if (fits_until < mapping->until)
            mapping->until = fits_until;
    }
    mapping->vm_host = engine->vm_host;
    for (uint32_t i = 0; i < pinned->n_vms; i++)
        engine->vm_host[pinned->vms[i].vm] = pinned->vms[i].host;
    return true;
}

/* Without anybody being preempted. */
static bool map_in_free_room(struct engine *engine, const struct map_request *request,
                             struct mapping *mapping)
{
    struct host_order order;
    size_t n_hosts;

    if (is_restricted(engine, request->lease))
        return restricted_map(engine, request, mapping);
    if (!mapper_may_fit(engine, request))
        return false;
    n_hosts = find_hosts(engine, request);
    if (request->lease->request.n_node_sets > 1)
        fill_columns(engine, request->from, n_hosts);
    order_hosts(engine, request, n_hosts, &order);
    return mapper_pass(engine, request, &order, mapping);
}

/* One that had its place and made room waits for free room: else two of equal right would displace
 * each other for ever. */
static bool has_made_room(const struct engine *engine, const struct lease *lease)
{
    return !engine->settings.behaviour.lease_kinds_of_haizea_1_0 &&
           (lease->request.kind == LEASE_IMMEDIATE || lease->request.kind == LEASE_RESERVATION) &&
           (lease->state == LEASE_QUEUED || lease->state == LEASE_SUSPENDED_QUEUED);
}

bool mapper_map(struct engine *engine, const struct map_request *request, struct mapping *mapping)
{
    const struct policy_hooks *hooks = engine->hooks;

    memset(mapping, 0, sizeof *mapping);
    engine->vm_host = memory_grow(engine->vm_host, &engine->vm_host_allocated,
                                  request->lease->n_vms, sizeof *engine->vm_host);
    if (request->pinned) {
        if (mapper_pinned(engine, request, mapping))
            return true;
        if (!request->pinned_preempts)
            return false;
    } else if (map_in_free_room(engine, request, mapping)) {
        return true;
    }
    if (request->forced)
        return map_with_victims(engine, request, mapping);
    if (request->spare_others || has_made_room(engine, request->lease) ||
        (!hooks->score_victims && !hooks->choose_victims))
        return false;
    if (hooks->may_preempt && !hooks->may_preempt(hooks->context, request->lease))
        return false;
    return map_with_victims(engine, request, mapping);
}
