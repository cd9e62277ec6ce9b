/* Scores and orders candidate hosts. */
#include "core/host_choice.h"

#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"

static void sift_down(struct host_order *order, size_t i)
{
    struct host_choice moved = order->choices[i];

    for (size_t child = 2 * i + 1; child < order->n; child = 2 * i + 1) {
        if (child + 1 < order->n &&
            host_is_better(&order->choices[child + 1], &order->choices[child]))
            child++;
        if (!host_is_better(&order->choices[child], &moved))
            break;
        order->choices[i] = order->choices[child];
        i = child;
    }
    order->choices[i] = moved;
}

static bool is_in_order(const struct host_order *order)
{
    for (size_t i = 1; i < order->n; i++)
        if (host_is_better(&order->choices[i], &order->choices[i - 1]))
            return false;
    return true;
}

static void make_heap(struct host_order *order)
{
    order->in_order = false;
    for (size_t i = order->n / 2; i-- > 0;)
        sift_down(order, i);
}

static struct host_choice ranked_choice(const struct ranked_hosts *ranked, size_t i)
{
    return (struct host_choice){ranked->ranks[i], ranked->scores[i], ranked->hosts[i]};
}

void host_order_begin(struct host_order *order, const struct ranked_hosts *ranked)
{
    struct host_choice best, other;
    size_t place = 0;

    order->ranked = ranked;
    order->n = ranked->n;
    if (!ranked->n)
        return;
    best = ranked_choice(ranked, 0);
    for (size_t i = 1; i < ranked->n; i++) {
        if (ranked->ranks[i] < best.rank)
            continue;
        other = ranked_choice(ranked, i);
        if (host_is_better(&other, &best)) {
            best = other;
            place = i;
        }
    }
    other = ranked_choice(ranked, 0);
    ranked->hosts[place] = other.host;
    ranked->ranks[place] = other.rank;
    ranked->scores[place] = other.score;
    order->choices[0] = best;
}

static void take_ranked(struct host_order *order)
{
    for (size_t i = 1; i < order->n; i++)
        order->choices[i] = ranked_choice(order->ranked, i);
    order->ranked = NULL;
    make_heap(order);
}

void host_order_settle(struct host_order *order)
{
    if (order->ranked)
        take_ranked(order);
    else if (order->n)
        sift_down(order, 0);
}

void host_order_drop(struct host_order *order)
{
    if (order->ranked)
        take_ranked(order);
    order->choices[0] = order->choices[--order->n];
    host_order_settle(order);
}

/* Hosts often have equal scores and need no sorting. */
void host_order_make(struct host_order *order)
{
    order->next = 0;
    order->classes = NULL;
    order->in_order = is_in_order(order);
    if (!order->in_order)
        make_heap(order);
}

size_t host_order_left(const struct host_order *order)
{
    return order->n - order->next;
}

uint32_t host_order_take(struct host_order *order)
{
    uint32_t host = order->choices[0].host;

    uint32_t next = order->classes ? host_classes_next(order->classes, host) : HOST_NONE;

    if (order->in_order)
        return order->choices[order->next++].host;
    if (next != HOST_NONE)
        order->choices[0].host = next;
    else
        order->choices[0] = order->choices[--order->n];
    if (order->n)
        sift_down(order, 0);
    return host;
}

const struct survey *mapper_survey(struct engine *engine, const struct amounts *vm, int64_t from)
{
    return from == engine->now ? survey_now(engine->mapper.surveys, engine->table, vm)
                               : survey_at(engine->mapper.surveys, engine->table, vm, from);
}

uint32_t mapper_most_on_a_host(struct engine *engine, const struct amounts *vm)
{
    return survey_most_on_a_host(engine->mapper.surveys, engine->table, vm);
}

int64_t mapper_least_until(const struct map_request *request)
{
    int64_t least = instant_add(request->from, request->shortest > 0 ? request->shortest : 1);

    return request->strict || request->until < least ? request->until : least;
}

bool mapper_long_enough(const struct map_request *request, const struct mapping *mapping)
{
    return mapping->until == request->until || mapping->until - request->from >= request->shortest;
}

bool mapper_has_enough_cpu(const struct engine *engine, const struct map_request *request,
                           int64_t until)
{
    const int64_t cpu = lease_cpu(request->lease);

    if (request->from == engine->now && slot_table_free_cpu_now(engine->table) < cpu)
        return false;
    if (request->from == engine->now && !engine->binding.late)
        return true;
    return slot_table_least_free_cpu(engine->table, request->from, until) >= cpu;
}

bool mapper_has_enough_cpu_now(const struct engine *engine, struct lease *lease)
{
    const struct map_request request = {.lease = lease, .from = engine->now};

    return mapper_has_enough_cpu(
        engine, &request,
        instant_add(instant_add(engine->now, remaining_span(lease)), shutdown_span(engine, lease)));
}

bool mapper_is_ahead(const struct engine *engine, const struct map_request *request)
{
    return request->from > engine->now && request->lease->request.kind == LEASE_RESERVATION &&
           !engine->settings.behaviour.reservations_cut_into_idle_hosts;
}

int64_t mapper_rank_ahead(const struct engine *engine, const struct map_request *request,
                          uint32_t host)
{
    return -slot_table_free(engine->table, host, RESOURCE_CPU, request->from);
}

void mapper_score_hosts(struct engine *engine, const struct map_request *request, size_t n)
{
    const struct lease *lease = request->lease;
    size_t n_types = (size_t)engine->site.types.count;
    unsigned columns = engine->hooks->host_columns;
    struct host_batch batch = {
        .lease = lease,
        .site = &engine->site,
        .at = request->from,
        .n_hosts = n,
        .hosts = engine->mapper.batch_hosts,
        .leases_present = columns & HOST_COLUMN_LEASES ? engine->mapper.batch_leases : NULL,
        .unchanged_until = columns & HOST_COLUMN_CHANGE ? engine->mapper.batch_until : NULL,
        .free = columns & HOST_COLUMN_FREE ? engine->mapper.batch_free : NULL,
        .duration = engine->settings.behaviour.score_by_whole_duration ? lease->request.duration
                                                                       : remaining_span(lease),
    };

    if (!engine->hooks->score_hosts) {
        memset(engine->mapper.batch_scores, 0, n * sizeof *engine->mapper.batch_scores);
        return;
    }
    if (columns & HOST_COLUMN_FREE)
        for (size_t i = 0; i < n; i++)
            for (size_t type = 0; type < n_types; type++)
                engine->mapper.batch_free[i * n_types + type] = slot_table_free(
                    engine->table, engine->mapper.batch_hosts[i], (int)type, request->from);
    engine->hooks->score_hosts(engine->hooks->context, &batch, engine->mapper.batch_scores);
}

/* Collects the classes; for strict requests, only those free for the whole time. */
static size_t find_classes(struct engine *engine, const struct map_request *request,
                           const struct host_classes *classes)
{
    struct mapper *mapper = &engine->mapper;
    size_t n = 0;

    for (size_t i = 0; i < host_classes_count(classes); i++) {
        const struct host_state *state = host_classes_state(classes, i);

        if (request->strict && state->fits_until < request->until)
            continue;
        mapper->batch_hosts[n] = host_classes_first(classes, i);
        mapper->batch_leases[n] = state->leases;
        mapper->batch_until[n++] = state->unchanged_until;
    }
    return n;
}

const struct host_classes *mapper_classes_now(struct engine *engine, const struct amounts *vm)
{
    return survey_classes(engine->mapper.surveys, engine->table, vm,
                          (engine->hooks->host_columns & HOST_COLUMN_FREE) != 0);
}

const struct host_classes *mapper_classes(struct engine *engine, const struct map_request *request,
                                          const struct amounts *vm)
{
    const struct policy_hooks *hooks = engine->hooks;

    if (request->from != engine->now || request->allowed ||
        (hooks->score_hosts && !(hooks->host_columns & HOST_COLUMNS_SUFFICE)))
        return NULL;
    return mapper_classes_now(engine, vm);
}

bool mapper_order_classes(struct engine *engine, const struct map_request *request,
                          struct host_order *order)
{
    const struct lease_request *lease = &request->lease->request;
    const struct host_classes *classes =
        lease->n_node_sets == 1 ? mapper_classes(engine, request, &lease->node_sets[0].amounts)
                                : NULL;
    size_t n;

    if (!classes)
        return false;
    n = find_classes(engine, request, classes);
    if (n)
        mapper_score_hosts(engine, request, n);
    *order = (struct host_order){.choices = engine->mapper.choices, .classes = classes};
    for (size_t i = 0; i < n; i++)
        if (engine->mapper.batch_scores[i] != POLICY_VETO)
            order->choices[order->n++] = (struct host_choice){0, engine->mapper.batch_scores[i],
                                                              engine->mapper.batch_hosts[i]};
    make_heap(order);
    return true;
}
