/* Maps leases that may use only some hosts, or prefer some. */
#include "core/mapper_restricted.h"

#include <string.h>

#include "core/best_host.h"
#include "core/demand_check.h"
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
    struct demand_check check;
    struct ranked_hosts ranked; /* for the current node set */
    size_t sets_done;           /* node sets mapped completely, in the order of sizes */
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
    bool one_each = limit <= 1 || mapper_most_on_a_host(engine, &nodes->amounts) <= 1;
    size_t n = n_candidates(engine, request);
    uint32_t count = 0;

    for (size_t i = 0; i < n && count < limit; i++) {
        uint32_t host = candidate(request, i);

        if (survey->looks[host].fits_until < until || !host_is_usable(engine, nodes, host))
            continue;
        count += one_each || limit - count == 1
                     ? 1
                     : slot_table_fit_count(engine->table, host, &nodes->amounts,
                                            (struct interval){request->from, until}, limit - count);
    }
    return count;
}

uint32_t restricted_count_met(struct engine *engine, const struct map_request *request,
                              const struct node_set *nodes, int64_t until)
{
    size_t n = n_candidates(engine, request);
    struct demand_check check;
    uint32_t count = 0;

    demand_check_begin(&check, engine, request->from, until, until);
    demand_check_of(&check, nodes);
    for (size_t i = 0; i < n && count < nodes->count; i++) {
        uint32_t host = candidate(request, i), fit;
        int64_t met_until = until;

        if (!host_is_usable(engine, nodes, host) || !demand_check_allows(&check, host))
            continue;
        fit = slot_table_fit_count(engine->table, host, &nodes->amounts,
                                   (struct interval){request->from, until}, nodes->count - count);
        while (fit-- && demand_check_put(&check, count, host, &met_until))
            count++;
    }
    demand_check_end(&check);
    return count;
}

/* Is every host that the node set may use known not to meet its demand for units? */
static bool is_refused(const struct engine *engine, const struct map_request *request,
                       const struct node_set *nodes)
{
    return nodes->demand &&
           occupancy_refused_by_all(slot_table_occupancy(engine->table), nodes->demand,
                                    request->from, nodes->hosts ? nodes->hosts->allowed : NULL);
}

static bool may_fit(struct engine *engine, const struct map_request *request)
{
    const struct lease_request *lease = &request->lease->request;
    int64_t until = mapper_least_until(request);

    if (!mapper_has_enough_cpu(engine, request, until))
        return false;
    for (size_t set = 0; set < lease->n_node_sets; set++) {
        const struct node_set *nodes = &lease->node_sets[set];

        if (is_refused(engine, request, nodes) ||
            restricted_count(engine, request, nodes, until, nodes->count) < nodes->count)
            return false;
    }
    return true;
}

/* --- hosts of one node set, best first -------------------------------------------------------- */

static const struct host_load *load_of(const struct pass *pass, uint32_t host)
{
    uint32_t slot = pass->engine->host_slot[host];

    return slot == HOST_NONE ? NULL : &pass->engine->mapper.loads[slot];
}

/* Ranks based on current load do not apply to a start in the future. */
static bool is_ranked_ahead(const struct pass *pass, const struct host_filter *filter)
{
    return (!filter || !filter->rank || filter->rank_per_vm) &&
           mapper_is_ahead(pass->engine, pass->request);
}

/* Appends the class's hosts that the set may use to batch_hosts and batch_scores, after the first
 * n; returns the new number of hosts. */
static size_t take_hosts(const struct pass *pass, const struct node_set *nodes,
                         const uint64_t *hosts, int64_t score, size_t n)
{
    const struct engine *engine = pass->engine;
    const uint64_t *allowed = nodes->hosts ? nodes->hosts->allowed : NULL;
    const uint64_t *refused = demand_check_refusing(&pass->check);
    const bool all = !engine->closed && !nodes->demand;
    uint32_t *batch_hosts = engine->mapper.batch_hosts;
    int64_t *batch_scores = engine->mapper.batch_scores;

    for (size_t word = 0; word < bitmap_words(engine->site.n_hosts); word++) {
        uint64_t left =
            hosts[word] & (allowed ? allowed[word] : ~UINT64_C(0)) & ~(refused ? refused[word] : 0);

        for (; left; left &= left - 1) {
            uint32_t host = (uint32_t)(64 * word + (size_t)__builtin_ctzll(left));

            if (!all && ((engine->closed && engine->closed[host]) ||
                         (nodes->demand && !demand_check_allows(&pass->check, host))))
                continue;
            batch_hosts[n] = host;
            batch_scores[n++] = score;
        }
    }
    return n;
}

/* Like find_hosts() and mapper_score_hosts(), with one score for hosts in the same state. False:
 * not possible for this request. */
static bool find_hosts_by_class(const struct pass *pass, const struct node_set *nodes, size_t *n)
{
    struct engine *engine = pass->engine;
    const struct host_classes *classes = mapper_classes(engine, pass->request, &nodes->amounts);
    size_t n_classes = classes ? best_host_score_classes(engine, pass->request, classes) : 0;

    *n = 0;
    for (size_t i = 0; i < n_classes; i++) {
        const struct host_choice *class = &engine->mapper.choices[i];

        if (class->score != POLICY_VETO)
            *n =
                take_hosts(pass, nodes, host_classes_hosts(classes, class->host), class->score, *n);
    }
    return classes != NULL;
}

/* Collects the hosts that the set may use and that hold one of its VMs for long enough in
 * batch_hosts. */
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

        if (look->fits_until < least || !host_is_usable(engine, nodes, host) ||
            !demand_check_allows(&pass->check, host))
            continue;
        engine->mapper.batch_hosts[n] = host;
        engine->mapper.batch_leases[n] = look->leases;
        engine->mapper.batch_until[n++] = look->unchanged_until;
    }
    return n;
}

/* Sets the ranks of the filter itself. */
static void rank_by_filter(const struct pass *pass, const struct host_filter *filter)
{
    const struct ranked_hosts *ranked = &pass->ranked;

    if (is_ranked_ahead(pass, filter))
        for (size_t i = 0; i < ranked->n; i++)
            ranked->ranks[i] = mapper_rank_ahead(pass->engine, pass->request, ranked->hosts[i]);
    else if (filter && filter->rank)
        host_rank_evaluate(filter->rank, ranked->hosts, ranked->n, ranked->ranks);
    else
        memset(ranked->ranks, 0, ranked->n * sizeof *ranked->ranks);
}

/* Adds the preferences for VMs on the hosts. */
static void rank_by_vms(const struct pass *pass, const struct host_filter *filter)
{
    const struct ranked_hosts *ranked = &pass->ranked;
    bool by_number = filter && filter->rank_per_vm && !is_ranked_ahead(pass, filter);

    for (size_t i = 0; i < ranked->n && pass->check.ranks; i++)
        ranked->ranks[i] =
            rank_add(ranked->ranks[i], demand_check_rank(&pass->check, ranked->hosts[i]));
    for (size_t i = 0; i < ranked->n && by_number; i++) {
        uint32_t host = ranked->hosts[i];
        const struct host_load *load = load_of(pass, host);
        int64_t vms = (int64_t)pass->engine->bookings.vms_on[host] + (load ? load->n_vms : 0);

        ranked->ranks[i] = rank_add(ranked->ranks[i], rank_multiply(filter->rank_per_vm, vms));
    }
}

/* Drops hosts that are known to be unusable. */
static void drop_useless(struct pass *pass)
{
    struct ranked_hosts *ranked = &pass->ranked;
    size_t n = ranked->n;

    ranked->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (ranked->scores[i] == POLICY_VETO ||
            demand_check_refused(&pass->check, ranked->hosts[i]))
            continue;
        ranked->scores[ranked->n] = ranked->scores[i];
        ranked->hosts[ranked->n++] = ranked->hosts[i];
    }
}

static void order_hosts(struct pass *pass, const struct node_set *nodes, struct host_order *order)
{
    struct mapper *mapper = &pass->engine->mapper;
    bool by_class;

    pass->ranked = (struct ranked_hosts){
        .hosts = mapper->batch_hosts, .ranks = mapper->batch_ranks, .scores = mapper->batch_scores};
    by_class = find_hosts_by_class(pass, nodes, &pass->ranked.n);
    if (!by_class) {
        pass->ranked.n = find_hosts(pass, nodes);
        mapper_score_hosts(pass->engine, pass->request, pass->ranked.n);
    }
    if (!by_class || nodes->demand)
        drop_useless(pass);
    rank_by_filter(pass, nodes->hosts);
    rank_by_vms(pass, nodes->hosts);
    *order = (struct host_order){.choices = mapper->choices};
    host_order_begin(order, &pass->ranked);
}

/* --- the pass --------------------------------------------------------------------------------- */

/* sign -1: removes the load again. */
static void add_load(struct pass *pass, uint32_t host, const struct amounts *vm, int sign)
{
    struct engine *engine = pass->engine;
    uint32_t *slot = &engine->host_slot[host];

    if (*slot == HOST_NONE) {
        MEMORY_GROW(engine->mapper.loads, engine->mapper.loads_allocated, pass->n_loads + 1);
        *slot = (uint32_t)pass->n_loads++;
        engine->mapper.loads[*slot] = (struct host_load){.host = host};
    }
    engine->mapper.loads[*slot].n_vms += (uint32_t)sign;
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        engine->mapper.loads[*slot].amounts.of[type] += sign * vm->of[type];
}

static void add_amounts(struct amounts *sum, const struct amounts *amounts, int64_t times)
{
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        sum->of[type] += times * amounts->of[type];
}

/* Adds the needs of the VMs that must share a host with this VM and have no host yet. On an empty
 * site only the lease's own VMs count. */
static void add_companions(const struct pass *pass, const struct vm_demand *demand,
                           struct amounts *need)
{
    const struct lease *lease = pass->request->lease;

    if (demand->rest && pass->engine->table != pass->engine->empty)
        add_amounts(need, demand->rest, 1);
    for (size_t i = pass->sets_done; i < lease->request.n_node_sets; i++) {
        const struct node_set *other = &lease->request.node_sets[lease->plan->set_order[i]];
        bool joins = other->demand && demand_joins(demand, other->demand->role);

        if (joins)
            add_amounts(need, &other->amounts, (int64_t)other->count - (i == pass->sets_done));
    }
}

/* The first of several VMs that must be together needs a host with room for all. */
static bool has_room_for_companions(const struct pass *pass, const struct vm_demand *demand,
                                    uint32_t host, const struct amounts *alone)
{
    const struct map_request *request = pass->request;
    struct amounts need = *alone;

    if (!demand->n_rules || occupancy_has_companions(slot_table_occupancy(pass->engine->table),
                                                     demand, request->from, request->until))
        return true;
    add_companions(pass, demand, &need);
    return slot_table_fits_until(pass->engine->table, host, &need, request->from) >=
           mapper_least_until(request);
}

/* Places one more VM on the host if it is free for long enough and meets the demand; shortens the
 * mapping if allowed. */
static bool put_vm(struct pass *pass, const struct node_set *nodes, uint32_t vm, uint32_t host)
{
    const struct map_request *request = pass->request;
    const struct host_load *load = load_of(pass, host);
    struct amounts need = nodes->amounts;
    int64_t fits_until;

    if (load)
        add_amounts(&need, &load->amounts, 1);
    fits_until = slot_table_fits_until(pass->engine->table, host, &need, request->from);
    if (fits_until < mapper_least_until(request))
        return false;
    if (fits_until > pass->mapping->until)
        fits_until = pass->mapping->until;
    if (nodes->demand) {
        struct held_units *held;

        if (!has_room_for_companions(pass, nodes->demand, host, &need))
            return false;
        held = demand_check_put(&pass->check, vm, host, &fits_until);
        if (!held)
            return false;
        pass->engine->mapper.vm_held[vm] = held_units_share(held);
    }
    pass->mapping->until = fits_until;
    pass->engine->mapper.vm_host[vm] = host;
    add_load(pass, host, &nodes->amounts, +1);
    return true;
}

/* Takes the first `done` VMs of the set back off the host. */
static void take_back(struct pass *pass, uint32_t set, uint32_t host, uint32_t done)
{
    const struct lease *lease = pass->request->lease;

    demand_check_take_back(&pass->check, pass->check.n - done);
    while (done--) {
        uint32_t vm = lease->plan->set_first_vm[set] + done;

        add_load(pass, host, &lease->request.node_sets[set].amounts, -1);
        held_units_destroy(pass->engine->mapper.vm_held[vm]);
        pass->engine->mapper.vm_held[vm] = NULL;
    }
}

/* Places all VMs of the set on one host. */
static bool map_together(struct pass *pass, uint32_t set, struct host_order *order)
{
    const struct lease *lease = pass->request->lease;
    const struct node_set *nodes = &lease->request.node_sets[set];

    for (; order->n; host_order_drop(order)) {
        uint32_t host = order->choices[0].host, done = 0;
        int64_t until = pass->mapping->until;

        while (done < nodes->count &&
               put_vm(pass, nodes, lease->plan->set_first_vm[set] + done, host))
            done++;
        if (done == nodes->count)
            return true;
        take_back(pass, set, host, done);
        pass->mapping->until = until;
        demand_check_of(&pass->check, nodes);
    }
    return false;
}

static int64_t rank_per_vm(const struct pass *pass, const struct node_set *nodes)
{
    int64_t per_vm = nodes->demand ? demand_own_weight(nodes->demand) : 0;

    if (nodes->hosts && !is_ranked_ahead(pass, nodes->hosts))
        per_vm = rank_add(per_vm, nodes->hosts->rank_per_vm);
    return per_vm;
}

static bool map_set(struct pass *pass, uint32_t set)
{
    const struct lease *lease = pass->request->lease;
    const struct node_set *nodes = &lease->request.node_sets[set];
    int64_t per_vm = rank_per_vm(pass, nodes);
    uint32_t host = best_host(pass->engine, pass->request, nodes), done = 0;
    struct host_order order;

    if (host != HOST_NONE && put_vm(pass, nodes, lease->plan->set_first_vm[set], host))
        return true;
    demand_check_of(&pass->check, nodes);
    order_hosts(pass, nodes, &order);
    if (nodes->demand && demand_joins(nodes->demand, nodes->demand->role))
        return map_together(pass, set, &order);
    while (done < nodes->count && order.n) {
        struct host_choice *best = &order.choices[0];

        if (!put_vm(pass, nodes, lease->plan->set_first_vm[set] + done, best->host)) {
            host_order_drop(&order);
            continue;
        }
        if (++done < nodes->count && per_vm) {
            best->rank = rank_add(best->rank, per_vm);
            host_order_settle(&order);
        }
    }
    return done == nodes->count;
}

bool restricted_map(struct engine *engine, const struct map_request *request,
                    struct mapping *mapping)
{
    const struct lease *lease = request->lease;
    struct pass pass = {.engine = engine, .request = request, .mapping = mapping};
    bool mapped = true;

    if (!may_fit(engine, request))
        return false;
    mapping->until = request->until;
    mapping->vm_host = engine->mapper.vm_host;
    mapping->vm_held = lease->plan->has_demand ? engine->mapper.vm_held : NULL;
    demand_check_begin(&pass.check, engine, request->from, request->until,
                       mapper_least_until(request));
    for (; pass.sets_done < lease->request.n_node_sets && mapped; pass.sets_done++)
        mapped = map_set(&pass, lease->plan->set_order[pass.sets_done]);
    demand_check_end(&pass.check);
    for (size_t i = 0; i < pass.n_loads; i++)
        engine->host_slot[engine->mapper.loads[i].host] = HOST_NONE;
    return mapped && mapper_long_enough(request, mapping);
}

bool restricted_meet(struct engine *engine, const struct map_request *request,
                     struct mapping *mapping)
{
    const struct lease *lease = request->lease;
    bool met = true;
    struct demand_check check;

    mapping->vm_held = engine->mapper.vm_held;
    demand_check_begin(&check, engine, request->from, request->until, mapper_least_until(request));
    for (size_t set = 0; set < lease->request.n_node_sets && met; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];
        uint32_t vm = lease->plan->set_first_vm[set], end = vm + nodes->count;

        demand_check_of(&check, nodes);
        for (; nodes->demand && vm < end && met; vm++) {
            struct held_units *held =
                demand_check_put(&check, vm, mapping->vm_host[vm], &mapping->until);

            met = held != NULL;
            held_units_destroy(engine->mapper.vm_held[vm]);
            engine->mapper.vm_held[vm] = held ? held_units_share(held) : NULL;
        }
    }
    demand_check_end(&check);
    return met;
}
