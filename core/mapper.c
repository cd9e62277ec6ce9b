#include <stdlib.h>
#include <string.h>

#include "core/scheduler.h"
#include "util/memory.h"

/* A host under consideration, in the order of preference. */
struct host_choice {
    int64_t score;
    uint32_t host;
};

struct host_order {
    struct host_choice *choices; /* a heap, best first; or just in order, when they are in order */
    size_t n;
    bool in_order;
    size_t next; /* in order: the best one left */
};

enum { SURVEY_STEPS = 12 };

struct survey_step {
    int64_t until;
    uint32_t hosts;
};

/* The last survey and what it is good for. */
struct host_survey {
    struct survey_step steps[SURVEY_STEPS];
    uint32_t n_steps;
    uint32_t vms_now; /* VMs that fit at this instant; UINT32_MAX: not counted yet */
    const struct slot_table *table;
    uint64_t version;
    int64_t from;
    struct amounts vm;
    struct amounts most_vm; /* what most_on_a_host was counted for */
    uint32_t most_on_a_host;
    struct slot_survey survey;
};

void mapper_create_scratch(struct engine *engine)
{
    size_t n_hosts = engine->site.n_hosts;
    struct host_survey *cache = memory_new(1, sizeof *cache);

    cache->vm.of[0] = cache->most_vm.of[0] = -1;
    cache->survey.hosts = memory_new(n_hosts, sizeof *cache->survey.hosts);
    cache->survey.fits_until = memory_new(n_hosts, sizeof *cache->survey.fits_until);
    cache->survey.unchanged_until = memory_new(n_hosts, sizeof *cache->survey.unchanged_until);
    cache->survey.leases = memory_new(n_hosts, sizeof *cache->survey.leases);
    engine->survey = cache;
    engine->choices = memory_new(n_hosts, sizeof *engine->choices);
}

void mapper_destroy_scratch(struct engine *engine)
{
    free(engine->survey->survey.hosts);
    free(engine->survey->survey.fits_until);
    free(engine->survey->survey.unchanged_until);
    free(engine->survey->survey.leases);
    free(engine->survey);
    free(engine->choices);
}

void mapping_finish(struct mapping *mapping)
{
    free(mapping->victims.items);
    memset(&mapping->victims, 0, sizeof mapping->victims);
}

/* --- hosts in the order of preference --------------------------------------------------------- */

/* Higher score first, then the host that stands first on the site. */
static bool is_better(const struct host_choice *a, const struct host_choice *b)
{
    return a->score != b->score ? a->score > b->score : a->host < b->host;
}

static void sift_down(struct host_order *order, size_t i)
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

/* Hosts often have equal scores: then there is nothing to sort. */
static void make_order(struct host_order *order)
{
    order->next = 0;
    order->in_order = is_in_order(order);
    if (!order->in_order)
        for (size_t i = order->n / 2; i-- > 0;)
            sift_down(order, i);
}

static size_t hosts_left(const struct host_order *order)
{
    return order->n - order->next;
}

static uint32_t take_best(struct host_order *order)
{
    uint32_t host = order->choices[0].host;

    if (order->in_order)
        return order->choices[order->next++].host;
    order->choices[0] = order->choices[--order->n];
    if (order->n)
        sift_down(order, 0);
    return host;
}

/* --- hosts with room ---------------------------------------------------------------------------- */

static void summarise(struct host_survey *cache);

/* A survey for one VM size and instant is good until the table changes: the leases of a queue that
 * ask for VMs of the same size share it. */
static const struct slot_survey *survey_for(struct engine *engine, const struct amounts *vm,
                                            int64_t from)
{
    struct host_survey *cache = engine->survey;
    uint64_t version = slot_table_version(engine->table);

    if (cache->table == engine->table && cache->version == version && cache->from == from &&
        memcmp(&cache->vm, vm, sizeof *vm) == 0)
        return &cache->survey;
    slot_table_survey(engine->table, vm, from, &cache->survey);
    summarise(cache);
    cache->vms_now = UINT32_MAX;
    cache->vm = *vm;
    cache->table = engine->table;
    cache->version = version;
    cache->from = from;
    return &cache->survey;
}

uint32_t mapper_most_on_a_host(struct engine *engine, const struct amounts *vm)
{
    struct host_survey *cache = engine->survey;

    if (memcmp(&cache->most_vm, vm, sizeof *vm) != 0) {
        cache->most_vm = *vm;
        cache->most_on_a_host = slot_table_most_on_a_host(engine->table, vm, UINT32_MAX);
    }
    return cache->most_on_a_host;
}

/* How many hosts fit a VM until each time. The times are few: most hosts are free for ever or until
 * the same reservation. More than there is room for: n_steps is 0 and the hosts are counted. */
static void summarise(struct host_survey *cache)
{
    const struct slot_survey *survey = &cache->survey;

    cache->n_steps = 0;
    for (size_t i = 0; i < survey->n; i++) {
        uint32_t step = 0;

        while (step < cache->n_steps && cache->steps[step].until != survey->fits_until[i])
            step++;
        if (step == SURVEY_STEPS) {
            cache->n_steps = 0;
            return;
        }
        if (step == cache->n_steps)
            cache->steps[cache->n_steps++] = (struct survey_step){survey->fits_until[i], 0};
        cache->steps[step].hosts++;
    }
}

/* Hosts that fit a VM until then. */
static uint32_t count_until(const struct host_survey *cache, int64_t until)
{
    const struct slot_survey *survey = &cache->survey;
    uint32_t count = 0;

    for (uint32_t step = 0; step < cache->n_steps; step++)
        if (cache->steps[step].until >= until)
            count += cache->steps[step].hosts;
    for (size_t i = 0; !cache->n_steps && i < survey->n; i++)
        count += survey->fits_until[i] >= until;
    return count;
}

/* How long all of it must be free, at the least. */
static int64_t least_until(const struct map_request *request)
{
    int64_t least = instant_add(request->from, request->shortest > 0 ? request->shortest : 1);

    return request->strict || request->until < least ? request->until : least;
}

/* Hosts that any VM of the lease fits on at the start go to batch_hosts and the batch columns. */
static size_t find_hosts(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    size_t n = 0, next = 0;

    if (lease->n_node_sets == 1) {
        const struct slot_survey *survey = survey_for(engine, &lease->node_sets[0].amounts,
                                                      request->from);

        for (size_t i = 0; i < survey->n; i++) {
            while (request->allowed && next < request->n_allowed &&
                   request->allowed[next] < survey->hosts[i])
                next++;
            if (request->allowed &&
                (next == request->n_allowed || request->allowed[next] != survey->hosts[i]))
                continue;
            engine->batch_hosts[n] = survey->hosts[i];
            engine->batch_leases[n] = survey->leases[i];
            engine->batch_until[n++] = survey->unchanged_until[i];
        }
        return n;
    }
    for (size_t i = 0; i < (request->allowed ? request->n_allowed : engine->site.n_hosts); i++) {
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

static void score_hosts(struct engine *engine, const struct map_request *request, size_t n)
{
    const struct lease *lease = request->lease;
    size_t n_types = (size_t)engine->site.types.count;
    struct host_batch batch = {
        .lease = lease, .site = &engine->site, .at = request->from, .n_hosts = n,
        .hosts = engine->batch_hosts, .leases_present = engine->batch_leases,
        .unchanged_until = engine->batch_until, .free = engine->batch_free,
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
                engine->batch_free[i * n_types + type] =
                    slot_table_free(engine->table, engine->batch_hosts[i], (int)type,
                                    request->from);
    engine->hooks->score_hosts(engine->hooks->context, &batch, engine->batch_scores);
}

/* The n hosts of batch_hosts, best first. */
static void order_hosts(struct engine *engine, const struct map_request *request, size_t n,
                        struct host_order *order)
{
    score_hosts(engine, request, n);
    order->choices = engine->choices;
    order->n = 0;
    for (size_t i = 0; i < n; i++)
        if (engine->batch_scores[i] != POLICY_VETO)
            order->choices[order->n++] =
                (struct host_choice){engine->batch_scores[i], engine->batch_hosts[i]};
    make_order(order);
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
static bool fill_host_mixed(struct engine *engine, const struct map_request *request,
                            uint32_t host, struct mixed_cursor *cursor, int64_t *until)
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

static bool long_enough(const struct map_request *request, const struct mapping *mapping)
{
    return mapping->until == request->until ||
           mapping->until - request->from >= request->shortest;
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
        mapped = fill_host_mixed(engine, request, take_best(order), &cursor, &mapping->until);
    free(cursor.done);
    return mapped && long_enough(request, mapping);
}

/* Haizea's greedy mapper (haizea.md 9.7): hosts by preference, VMs by size; the granted time never
 * grows back within a pass. Takes hosts out of order. */
static bool greedy_pass(struct engine *engine, const struct map_request *request,
                        struct host_order *order, struct mapping *mapping)
{
    struct vm_cursor cursor = {.lease = request->lease};

    if (request->lease->request.n_node_sets > 1 &&
        !engine->settings.behaviour.mapper_stops_at_first_misfit)
        return mixed_pass(engine, request, order, mapping);
    mapping->until = request->until;
    mapping->vm_host = engine->vm_host;
    while (hosts_left(order))
        if (fill_host(engine, request, take_best(order), &cursor, &mapping->until))
            return long_enough(request, mapping);
    return false;
}

static bool has_enough_cpu(const struct engine *engine, const struct map_request *request,
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
    const struct slot_survey *survey = survey_for(engine, &nodes->amounts, from);
    uint32_t most = mapper_most_on_a_host(engine, &nodes->amounts), fitting;

    if (survey->n * (uint64_t)most < nodes->count)
        return false;
    fitting = count_until(engine->survey, until);

    if (fitting >= nodes->count)
        return true;
    if (most <= 1 || (uint64_t)fitting * most < nodes->count)
        return false;
    return slot_table_count(engine->table, &nodes->amounts, from, until, nodes->count) >=
           nodes->count;
}

uint32_t mapper_count_now(struct engine *engine, const struct node_set *nodes)
{
    const struct slot_survey *survey = survey_for(engine, &nodes->amounts, engine->now);
    struct host_survey *cache = engine->survey;

    if (cache->vms_now == UINT32_MAX)
        cache->vms_now = mapper_most_on_a_host(engine, &nodes->amounts) <= 1
                             ? (uint32_t)survey->n
                             : slot_table_count(engine->table, &nodes->amounts, engine->now,
                                                engine->now + 1, UINT32_MAX - 1);
    return cache->vms_now < nodes->count ? cache->vms_now : nodes->count;
}

/* Could there be room at all? Counts VMs, whatever hosts are preferred. */
static bool may_fit(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    int64_t until = least_until(request);

    if (!has_enough_cpu(engine, request, until))
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

/* --- with victims ----------------------------------------------------------------------------- */

struct candidates {
    struct victim *victims; /* ascending lease id */
    int64_t *scores;
    size_t n, allocated;
};

static int by_lease_id(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;

    return x->lease->request.id < y->lease->request.id ? -1
                                                       : x->lease->request.id > y->lease->request.id;
}

static int64_t overhead_of(struct engine *engine, const struct lease *lease, int64_t at)
{
    const struct vm_plan *current = lease_plan_current(lease);
    int64_t run = at > current->vm->from ? at - current->vm->from : 0;

    switch (lease->request.terms) {
    case TERMS_CANCELABLE:
        return shutdown_span(engine, lease);
    case TERMS_RESTARTABLE:
        return run * (int64_t)lease->n_vms;
    default:
        return suspend_estimate(engine, lease) + resume_estimate(engine, lease);
    }
}

/* Leases that hold something during [from, until), by ascending id (golden/README.md, order 2). */
static void gather(struct engine *engine, const struct map_request *request,
                   struct candidates *candidates)
{
    size_t i = reservation_index_after(&engine->by_end, request->from);

    for (; i < engine->by_end.n; i++) {
        const struct reservation *r = reservation_index_at(&engine->by_end, i)->reservation;
        struct lease *lease = r->lease;
        const struct vm_plan *current;

        if (r->from >= request->until || r->from >= r->until || lease == request->lease ||
            lease->request.kind == LEASE_DEADLINE ||
            !is_preemptable_at(engine, lease, request->from))
            continue;
        current = lease_plan_current(lease);
        candidates->victims = memory_grow(candidates->victims, &candidates->allocated,
                                          candidates->n + 1, sizeof *candidates->victims);
        candidates->victims[candidates->n++] = (struct victim){
            .lease = lease, .overhead = overhead_of(engine, lease, request->from),
            .started = current->vm->from < request->from, .runs_since = current->vm->from};
    }
    if (!candidates->n)
        return;
    qsort(candidates->victims, candidates->n, sizeof *candidates->victims, by_lease_id);
    i = 1;
    for (size_t k = 1; k < candidates->n; k++)
        if (candidates->victims[k].lease != candidates->victims[i - 1].lease)
            candidates->victims[i++] = candidates->victims[k];
    candidates->n = i;
}

static void release_all(struct engine *engine, const struct lease *lease)
{
    while (lease->booked)
        slot_table_release(engine->table, lease->booked);
}

/* The best candidate not yet taken: highest score, then the larger id. */
static size_t best_candidate(const struct candidates *candidates)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < candidates->n; i++)
        if (candidates->scores[i] != POLICY_VETO &&
            (best == SIZE_MAX || candidates->scores[i] >= candidates->scores[best]))
            best = i;
    return best;
}

struct host_snapshot {
    struct host_choice *choices;
    size_t n;
    bool in_order;
};

static bool pass_in_order(struct engine *engine, const struct map_request *request,
                          const struct host_snapshot *snapshot, struct mapping *mapping)
{
    struct host_order order = {.choices = engine->choices, .n = snapshot->n,
                               .in_order = snapshot->in_order};

    if (!may_fit(engine, request))
        return false;
    memcpy(engine->choices, snapshot->choices, snapshot->n * sizeof *snapshot->choices);
    return greedy_pass(engine, request, &order, mapping);
}

/* Give needless victims their place back, the last taken first, and map again. */
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
        if (pass_in_order(engine, request, snapshot, mapping)) {
            slot_table_keep(engine->table, mark);
            lease_list_remove(victims, spared);
        } else {
            slot_table_undo(engine->table, mark);
        }
    }
    return pass_in_order(engine, request, snapshot, mapping);
}

static bool map_by_scores(struct engine *engine, const struct map_request *request,
                          struct candidates *candidates, const struct host_snapshot *snapshot,
                          struct mapping *mapping)
{
    const struct policy_hooks *hooks = engine->hooks;

    candidates->scores = memory_new(candidates->n, sizeof *candidates->scores);
    hooks->score_victims(hooks->context, request->lease, request->from, candidates->victims,
                         candidates->n, candidates->scores);
    for (;;) {
        size_t best = best_candidate(candidates);
        struct lease *victim;

        if (best == SIZE_MAX)
            return false;
        candidates->scores[best] = POLICY_VETO;
        victim = (struct lease *)candidates->victims[best].lease;
        release_all(engine, victim);
        lease_list_append(&mapping->victims, victim);
        if (pass_in_order(engine, request, snapshot, mapping))
            return engine->settings.behaviour.preempt_needless_victims ||
                   spare_needless(engine, request, snapshot, mapping);
    }
}

struct enough_context {
    struct engine *engine;
    const struct map_request *request;
    const struct candidates *candidates;
    const struct host_snapshot *snapshot;
};

static bool enough(const struct victim_test *test, const size_t *chosen, size_t n_chosen)
{
    const struct enough_context *context = test->engine;
    struct slot_table *table = context->engine->table;
    size_t mark = slot_table_mark(table);
    struct mapping trial = {0};
    bool answer;

    for (size_t i = 0; i < n_chosen; i++)
        release_all(context->engine, context->candidates->victims[chosen[i]].lease);
    answer = pass_in_order(context->engine, context->request, context->snapshot, &trial);
    slot_table_undo(table, mark);
    return answer;
}

static bool map_by_choice(struct engine *engine, const struct map_request *request,
                          struct candidates *candidates, const struct host_snapshot *snapshot,
                          struct mapping *mapping)
{
    struct enough_context context = {engine, request, candidates, snapshot};
    struct victim_test test = {enough, &context};
    size_t *chosen = memory_new(candidates->n, sizeof *chosen);
    size_t n = engine->hooks->choose_victims(engine->hooks->context, request->lease,
                                             request->from, candidates->victims, candidates->n,
                                             &test, chosen);

    for (size_t i = 0; i < n; i++) {
        struct lease *victim = (struct lease *)candidates->victims[chosen[i]].lease;

        release_all(engine, victim);
        lease_list_append(&mapping->victims, victim);
    }
    free(chosen);
    return n && pass_in_order(engine, request, snapshot, mapping);
}

static bool map_with_victims(struct engine *engine, const struct map_request *request,
                             struct mapping *mapping)
{
    struct candidates candidates = {0};
    struct host_order order;
    struct host_snapshot snapshot;
    bool mapped = false;
    size_t mark, n_hosts;

    gather(engine, request, &candidates);
    if (!candidates.n)
        return false;
    n_hosts = take_all_hosts(engine, request);
    fill_columns(engine, request->from, n_hosts);
    order_hosts(engine, request, n_hosts, &order);
    snapshot.n = order.n;
    snapshot.in_order = order.in_order;
    snapshot.choices = memory_copy(order.choices, order.n * sizeof *order.choices);
    mark = slot_table_mark(engine->table);
    if (engine->hooks->choose_victims)
        mapped = map_by_choice(engine, request, &candidates, &snapshot, mapping);
    else
        mapped = map_by_scores(engine, request, &candidates, &snapshot, mapping);
    slot_table_undo(engine->table, mark);
    if (!mapped)
        mapping->victims.n = 0;
    free(snapshot.choices);
    free(candidates.victims);
    free(candidates.scores);
    return mapped;
}

/* Every VM on its own host: how long are they all free? The first host that is not free long enough
 * ends the search. */
static bool map_pinned(struct engine *engine, const struct map_request *request,
                       struct mapping *mapping)
{
    const struct placement *pinned = request->pinned;
    int64_t least = least_until(request);
    struct amounts need = {{0}};

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

bool mapper_map(struct engine *engine, const struct map_request *request, struct mapping *mapping)
{
    const struct policy_hooks *hooks = engine->hooks;
    struct host_order order;

    memset(mapping, 0, sizeof *mapping);
    engine->vm_host = memory_grow(engine->vm_host, &engine->vm_host_allocated,
                                  request->lease->n_vms, sizeof *engine->vm_host);
    if (request->pinned)
        return map_pinned(engine, request, mapping);
    if (may_fit(engine, request)) {
        size_t n_hosts = find_hosts(engine, request);

        if (request->lease->request.n_node_sets > 1)
            fill_columns(engine, request->from, n_hosts);
        order_hosts(engine, request, n_hosts, &order);
        if (greedy_pass(engine, request, &order, mapping))
            return true;
    }
    if (request->spare_others || (!hooks->score_victims && !hooks->choose_victims))
        return false;
    if (hooks->may_preempt && !hooks->may_preempt(hooks->context, request->lease))
        return false;
    return map_with_victims(engine, request, mapping);
}
