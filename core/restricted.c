/* Mapping of leases that may use only some hosts, or prefer some. */
#include "core/restricted.h"

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "util/memory.h"

/* Resources that the lease being mapped has taken on a host so far. */
struct host_load {
    uint32_t host;
    uint32_t n_vms;
    struct amounts amounts;
};

struct pass {
    struct engine *engine;
    const struct map_request *request;
    struct mapping *mapping;
    size_t n_loads;
};

static size_t n_candidates(const struct engine *engine, const struct map_request *request)
{
    return request->allowed ? request->n_allowed : engine->site.n_hosts;
}

static uint32_t candidate(const struct map_request *request, size_t i)
{
    return request->allowed ? request->allowed[i] : (uint32_t)i;
}

uint32_t restricted_count(struct engine *engine, const struct map_request *request,
                          const struct node_set *nodes, int64_t until, uint32_t limit)
{
    const struct survey *survey = mapper_survey(engine, &nodes->amounts, request->from);
    bool one_each = mapper_most_on_a_host(engine, &nodes->amounts) <= 1;
    size_t n = n_candidates(engine, request);
    uint32_t count = 0;

    for (size_t i = 0; i < n && count < limit; i++) {
        uint32_t host = candidate(request, i);

        if (survey->looks[host].fits_until < until || !host_is_usable(engine, nodes, host))
            continue;
        count += one_each || limit - count == 1
                     ? 1
                     : slot_table_fit_count(engine->table, host, &nodes->amounts, request->from,
                                            until, limit - count);
    }
    return count;
}

static bool may_fit(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    int64_t until = mapper_least_until(request);

    if (!mapper_has_enough_cpu(engine, request, until))
        return false;
    for (size_t set = 0; set < lease->n_node_sets; set++) {
        const struct node_set *nodes = &lease->node_sets[set];

        if (restricted_count(engine, request, nodes, until, nodes->count) < nodes->count)
            return false;
    }
    return true;
}

/* --- hosts of one node set, best first -------------------------------------------------------- */

static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t times_clamped(int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

static const struct host_load *load_of(const struct pass *pass, uint32_t host)
{
    uint32_t slot = pass->engine->host_slot[host];

    return slot == HOST_NONE ? NULL : &pass->engine->mapper.loads[slot];
}

/* Ranks based on current load say nothing about a start in the future. */
static bool is_ranked_ahead(const struct pass *pass, const struct host_filter *filter)
{
    return (!filter || !filter->rank || filter->rank_per_vm) &&
           mapper_is_ahead(pass->engine, pass->request);
}

static int64_t rank_of(const struct pass *pass, const struct host_filter *filter, uint32_t host)
{
    const struct host_load *load = load_of(pass, host);
    int64_t rank = 0, vms;

    if (is_ranked_ahead(pass, filter))
        return mapper_rank_ahead(pass->engine, pass->request, host);
    if (!filter)
        return 0;
    if (filter->rank)
        rank = filter->rank[host];
    if (!filter->rank_per_vm)
        return rank;
    vms = (int64_t)pass->engine->bookings.vms_on[host] + (load ? load->n_vms : 0);
    return add_clamped(rank, times_clamped(filter->rank_per_vm, vms));
}

/* Hosts that the set may use and that hold one of its VMs long enough, in batch_hosts. */
static size_t find_hosts(const struct pass *pass, const struct node_set *nodes)
{
    struct engine *engine = pass->engine;
    const struct map_request *request = pass->request;
    const struct survey *survey = mapper_survey(engine, &nodes->amounts, request->from);
    int64_t least = mapper_least_until(request);
    size_t n_hosts = n_candidates(engine, request), n = 0;

    for (size_t i = 0; i < n_hosts; i++) {
        uint32_t host = candidate(request, i);
        const struct host_look *look = &survey->looks[host];

        if (look->fits_until < least || !host_is_usable(engine, nodes, host))
            continue;
        engine->mapper.batch_hosts[n] = host;
        engine->mapper.batch_leases[n] = look->leases;
        engine->mapper.batch_until[n++] = look->unchanged_until;
    }
    return n;
}

static void order_hosts(const struct pass *pass, const struct node_set *nodes,
                        struct host_order *order)
{
    struct engine *engine = pass->engine;
    size_t n = find_hosts(pass, nodes);

    mapper_score_hosts(engine, pass->request, n);
    *order = (struct host_order){.choices = engine->mapper.choices};
    for (size_t i = 0; i < n; i++)
        if (engine->mapper.batch_scores[i] != POLICY_VETO)
            order->choices[order->n++] =
                (struct host_choice){rank_of(pass, nodes->hosts, engine->mapper.batch_hosts[i]),
                                     engine->mapper.batch_scores[i], engine->mapper.batch_hosts[i]};
    host_order_make_heap(order);
}

/* --- the pass --------------------------------------------------------------------------------- */

static void add_load(struct pass *pass, uint32_t host, const struct amounts *vm)
{
    struct engine *engine = pass->engine;
    uint32_t *slot = &engine->host_slot[host];

    if (*slot == HOST_NONE) {
        engine->mapper.loads = memory_grow(engine->mapper.loads, &engine->mapper.loads_allocated,
                                           pass->n_loads + 1, sizeof *engine->mapper.loads);
        *slot = (uint32_t)pass->n_loads++;
        engine->mapper.loads[*slot] = (struct host_load){.host = host};
    }
    engine->mapper.loads[*slot].n_vms++;
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        engine->mapper.loads[*slot].amounts.of[type] += vm->of[type];
}

/* Puts one more VM on the host if it is free long enough; shortens the mapping where that is
 * allowed. */
static bool put_vm(struct pass *pass, const struct node_set *nodes, uint32_t host)
{
    const struct map_request *request = pass->request;
    const struct host_load *load = load_of(pass, host);
    struct amounts need = nodes->amounts;
    int64_t fits_until;

    for (int type = 0; load && type < RESOURCE_TYPES_MAX; type++)
        need.of[type] += load->amounts.of[type];
    fits_until = slot_table_fits_until(pass->engine->table, host, &need, request->from);
    if (fits_until < mapper_least_until(request))
        return false;
    if (fits_until < pass->mapping->until)
        pass->mapping->until = fits_until;
    add_load(pass, host, &nodes->amounts);
    return true;
}

static void drop_best(struct host_order *order)
{
    order->choices[0] = order->choices[--order->n];
    if (order->n)
        host_order_sift_down(order, 0);
}

static bool map_set(struct pass *pass, uint32_t set)
{
    const struct lease *lease = pass->request->lease;
    const struct node_set *nodes = &lease->request.node_sets[set];
    int64_t per_vm =
        nodes->hosts && !is_ranked_ahead(pass, nodes->hosts) ? nodes->hosts->rank_per_vm : 0;
    struct host_order order;
    uint32_t done = 0;

    order_hosts(pass, nodes, &order);
    while (done < nodes->count && order.n) {
        struct host_choice *best = &order.choices[0];

        if (!put_vm(pass, nodes, best->host)) {
            drop_best(&order);
            continue;
        }
        pass->engine->mapper.vm_host[lease->plan->set_first_vm[set] + done++] = best->host;
        if (per_vm) {
            best->rank = add_clamped(best->rank, per_vm);
            host_order_sift_down(&order, 0);
        }
    }
    return done == nodes->count;
}

bool restricted_map(struct engine *engine, const struct map_request *request,
                    struct mapping *mapping)
{
    const struct lease *lease = request->lease;
    struct pass pass = {engine, request, mapping, 0};
    bool mapped = true;

    if (!may_fit(engine, request))
        return false;
    mapping->until = request->until;
    mapping->vm_host = engine->mapper.vm_host;
    for (size_t i = 0; i < lease->request.n_node_sets && mapped; i++)
        mapped = map_set(&pass, lease->plan->set_order[i]);
    for (size_t i = 0; i < pass.n_loads; i++)
        engine->host_slot[engine->mapper.loads[i].host] = HOST_NONE;
    return mapped && mapper_long_enough(request, mapping);
}
