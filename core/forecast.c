/* Estimated starts of leases far back in the queue, on a copy of the slot table. */
#include "core/forecast_inside.h"

#include <stdlib.h>

#include "core/estimates.h"
#include "core/host_filter.h"
#include "core/in_front.h"
#include "core/occupancy.h"
#include "core/queue_order.h"
#include "util/memory.h"
#include "util/mix.h"

/* --- creation --------------------------------------------------------------------------------- */

static void copy_hosts(struct forecast *forecast, const struct engine *engine)
{
    const struct site *site = &engine->site;

    forecast->n_hosts = site->n_hosts;
    forecast->n_types = site->types.count;
    site_copy(&forecast->site, site);
    forecast->occupancy = occupancy_copy(slot_table_occupancy(engine->table), &forecast->site);
    forecast->profiles = memory_new(site->n_hosts, sizeof *forecast->profiles);
    for (size_t host = 0; host < site->n_hosts; host++)
        profile_copy(&forecast->profiles[host], slot_table_profile(engine->table, (uint32_t)host),
                     &forecast->site.hosts[host].capacity);
    if (!engine->closed)
        return;
    forecast->open = memory_new(site->n_hosts, sizeof *forecast->open);
    for (size_t host = 0; host < site->n_hosts; host++)
        forecast->open[host] = !engine->closed[host];
}

static void copy_kept(struct forecast *forecast, const struct engine *engine)
{
    const struct held_part *held = engine_held(engine, &forecast->n_kept);

    forecast->kept = memory_new(forecast->n_kept, sizeof *forecast->kept);
    for (size_t i = 0; i < forecast->n_kept; i++)
        forecast->kept[i] =
            (struct kept_room){.priority = engine_lease(engine, held[i].lease)->request.priority,
                               .host = held[i].host,
                               .amounts = held[i].amounts};
}

static bool *add_column(struct forecast *forecast, const uint64_t *of)
{
    struct column *column;

    MEMORY_GROW(forecast->columns, forecast->columns_allocated, forecast->n_columns + 1);
    column = &forecast->columns[forecast->n_columns++];
    column->of = of;
    column->copy = memory_new(forecast->n_hosts, sizeof *column->copy);
    return column->copy;
}

/* The hosts allowed by a filter and by the site. */
static const bool *allowed_hosts(struct forecast *forecast, const struct host_filter *filter)
{
    const uint64_t *of = filter ? filter->allowed : NULL;
    bool *copy;

    if (!of)
        return forecast->open;
    for (size_t i = forecast->n_columns; i-- > 0;)
        if (forecast->columns[i].of == of)
            return forecast->columns[i].copy;
    copy = add_column(forecast, of);
    for (size_t host = 0; host < forecast->n_hosts; host++)
        copy[host] = bitmap_has(of, host) && (!forecast->open || forecast->open[host]);
    return copy;
}

static const bool *one_host(struct forecast *forecast, uint32_t host)
{
    bool *copy = add_column(forecast, NULL);

    copy[host] = true;
    return copy;
}

/* VMs whose memory cannot move are resumed where it is stored. */
static const struct placement *where_it_is_held(const struct engine *engine,
                                                const struct lease *lease)
{
    return lease_is_suspended(lease) && engine->settings.migration == MIGRATION_NO
               ? lease_plan_memory(lease)
               : NULL;
}

static void fill_parts(struct forecast *forecast, const struct engine *engine,
                       const struct lease *lease, struct waiter *waiter)
{
    const struct placement *held = where_it_is_held(engine, lease);
    size_t n = held ? held->n_vms : lease->request.n_node_sets;

    waiter->parts = memory_new(n, sizeof *waiter->parts);
    waiter->n_parts = n;
    for (size_t i = 0; i < n; i++) {
        const struct node_set *nodes = held ? NULL : &lease->request.node_sets[i];

        waiter->parts[i] = held
                               ? (struct part){.count = 1,
                                               .amounts = *lease_vm_amounts(lease, held->vms[i].vm),
                                               .allowed = one_host(forecast, held->vms[i].host),
                                               .demand = lease_vm_demand(lease, held->vms[i].vm)}
                               : (struct part){.count = nodes->count,
                                               .amounts = nodes->amounts,
                                               .allowed = allowed_hosts(forecast, nodes->hosts),
                                               .demand = nodes->demand};
    }
}

static struct waiter *add_waiter(struct forecast *forecast, struct engine *engine,
                                 const struct lease *lease, int64_t from)
{
    struct waiter *waiter = &forecast->waiters[forecast->n_waiters++];
    int64_t span = instant_add(remaining_span(lease), shutdown_span(engine, lease));

    if (lease_is_suspended(lease))
        span = instant_add(span, resume_estimate(engine, lease));
    *waiter = (struct waiter){.id = lease->request.id,
                              .priority = lease->request.priority,
                              .from = from,
                              .span = span > 0 ? span : 1,
                              .start = INSTANT_NONE,
                              .planned = INSTANT_NONE,
                              .may_go_ahead = may_start_in_front(engine, lease)};
    fill_parts(forecast, engine, lease, waiter);
    return waiter;
}

static void add_planned(struct forecast *forecast, struct engine *engine, size_t most)
{
    const struct lease *planned[FORECAST_PLANNED_MOST];
    size_t n = forecast_planned(engine, planned);

    for (size_t i = 0; i < n && forecast->n_waiters < most; i++)
        add_waiter(forecast, engine, planned[i], engine->now)->planned =
            lease_plan_current(planned[i])->vm->from;
}

/* The first reservations of one VM. */
static void copy_movable(struct forecast *forecast, const struct engine *engine)
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_start, engine->now);
    const struct index_entry *entry;

    while (forecast->n_movable < FORECAST_MOVABLE_MOST && (entry = index_walk_next(&walk))) {
        const struct reservation *r = entry->reservation;
        const struct lease *lease = r->lease;

        if (r->kind != RESERVATION_VM || r->closes || r->state != RESERVATION_SCHEDULED ||
            lease->request.kind != LEASE_RESERVATION || r->placement->n_vms != 1 ||
            lease->request.node_sets[0].demand)
            continue;
        forecast->movable[forecast->n_movable++] =
            (struct movable){.host = r->placement->vms[0].host,
                             .from = r->from,
                             .until = r->until,
                             .amounts = *lease_vm_amounts(lease, r->placement->vms[0].vm),
                             .allowed = allowed_hosts(forecast, lease->request.node_sets[0].hosts)};
    }
}

struct forecast *forecast_create(struct engine *engine, size_t most)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    size_t n = engine->queues.queue.n + engine->queues.early.n;
    struct lease_list queue = {.n = engine->queues.queue.n};
    size_t n_planned;

    bind_all(engine);
    copy_hosts(forecast, engine);
    copy_kept(forecast, engine);
    copy_movable(forecast, engine);
    forecast->in_front_least = engine->settings.in_front_least;
    forecast->in_order = engine->settings.backfilling == BACKFILLING_OFF;
    forecast->now = forecast->last = engine->now;
    forecast->waiters =
        memory_new(most < n + FORECAST_PLANNED_MOST ? most : n + FORECAST_PLANNED_MOST,
                   sizeof *forecast->waiters);
    add_planned(forecast, engine, most);
    n_planned = forecast->n_waiters;
    queue.items = memory_copy(engine->queues.queue.items, queue.n * sizeof(struct lease *));
    queue_put_in_order(engine, &queue);
    for (size_t i = 0; i < queue.n && forecast->n_waiters < most; i++)
        add_waiter(forecast, engine, queue.items[i], engine->now);
    for (size_t i = 0; i < engine->queues.early.n && forecast->n_waiters < most; i++)
        add_waiter(forecast, engine, engine->queues.early.items[i],
                   lease_ready_at(engine->queues.early.items[i]));
    forecast->n_left_out = n - (forecast->n_waiters - n_planned);
    free(queue.items);
    return forecast;
}

void forecast_destroy(struct forecast *forecast)
{
    if (!forecast)
        return;
    for (size_t i = 0; i < forecast->n_waiters; i++)
        free(forecast->waiters[i].parts);
    for (size_t i = 0; i < forecast->n_columns; i++)
        free(forecast->columns[i].copy);
    for (size_t host = 0; host < forecast->n_hosts; host++)
        profile_finish(&forecast->profiles[host]);
    free(forecast->waiters);
    free(forecast->kept);
    free(forecast->columns);
    free(forecast->profiles);
    occupancy_destroy(forecast->occupancy);
    site_finish(&forecast->site);
    free(forecast->open);
    free(forecast);
}

/* --- one lease -------------------------------------------------------------------------------- */

/* The first time from `from` on at which each part alone fits. */
static int64_t all_earliest(const struct forecast *forecast, const struct waiter *waiter,
                            int64_t from)
{
    int64_t at = from;
    size_t agreed = 0;

    for (size_t i = 0; agreed < waiter->n_parts; i = (i + 1) % waiter->n_parts) {
        int64_t then = forecast_earliest(forecast, &waiter->parts[i], at, waiter->span);

        if (then == INSTANT_NEVER)
            return then;
        agreed = then == at ? agreed + 1 : 1;
        at = then;
    }
    return at;
}

/* Resources taken for a VM. */
struct place {
    const struct part *part;
    uint32_t host;
    struct held_units *held; /* NULL: the VM has no demand */
};

static void apply(struct forecast *forecast, const struct place *place, int64_t start, int64_t span,
                  int sign)
{
    struct profile *profile = &forecast->profiles[place->host];
    const struct profile_change change = {.from = start,
                                          .until = instant_add(start, span),
                                          .amounts = place->part->amounts.of,
                                          .n_types = forecast->n_types,
                                          .sign = sign};

    profile_apply(profile, &change, profile_find(profile, change.from));
}

static void give_back(struct forecast *forecast, const struct place *place, int64_t start,
                      int64_t span)
{
    const struct stay stay = {
        .from = start, .until = instant_add(start, span), .held = place->held};

    apply(forecast, place, start, span, +1);
    if (place->held)
        occupancy_release(forecast->occupancy, &stay);
}

/* Takes the units demanded by the VM on the host. */
static bool meet(struct forecast *forecast, struct place *place, int64_t start, int64_t span,
                 int64_t *limits)
{
    const struct unit_question question = {.demand = place->part->demand,
                                           .host = place->host,
                                           .from = start,
                                           .until = instant_add(start, span),
                                           .least = instant_add(start, span)};
    struct stay stay = {.from = start, .until = question.until};

    if (limits[place->host] < question.until ||
        occupancy_units_until(forecast->occupancy, &question, &stay.held) < question.until)
        return false;
    occupancy_book(forecast->occupancy, &stay);
    place->held = stay.held;
    occupancy_rules_until(forecast->occupancy, question.demand, start, question.until, limits);
    return true;
}

/* Takes hosts for the VMs of a part; returns the number of VMs placed. */
static uint32_t take_part(struct forecast *forecast, const struct part *part, int64_t start,
                          int64_t span, struct place *places)
{
    const struct demand demand = forecast_demand(forecast, &part->amounts);
    int64_t *limits = part->demand ? memory_new(forecast->n_hosts, sizeof *limits) : NULL;
    uint32_t n = 0;

    if (limits)
        occupancy_rules_until(forecast->occupancy, part->demand, start, instant_add(start, span),
                              limits);
    for (uint32_t host = 0; host < forecast->n_hosts && n < part->count; host++) {
        if (part->allowed && !part->allowed[host])
            continue;
        while (n < part->count && forecast_fits(forecast, &demand, host, start, span)) {
            places[n] = (struct place){part, host, NULL};
            if (part->demand && !meet(forecast, &places[n], start, span, limits))
                break;
            apply(forecast, &places[n], start, span, -1);
            n++;
        }
    }
    free(limits);
    return n;
}

/* Places all VMs at that time, or none. */
static bool take(struct forecast *forecast, const struct waiter *waiter, int64_t start)
{
    struct place *places;
    size_t n = 0, n_vms = 0;
    bool all = true;

    for (size_t i = 0; i < waiter->n_parts; i++)
        n_vms += waiter->parts[i].count;
    places = memory_new(n_vms, sizeof *places);
    for (size_t i = 0; i < waiter->n_parts && all; i++) {
        uint32_t taken = take_part(forecast, &waiter->parts[i], start, waiter->span, places + n);

        all = taken == waiter->parts[i].count;
        n += taken;
    }
    while (n-- > 0) {
        if (!all)
            give_back(forecast, &places[n], start, waiter->span);
        held_units_destroy(places[n].held);
    }
    free(places);
    return all;
}

static void change_kept(struct forecast *forecast, const struct kept_room *kept, int sign)
{
    struct profile *profile = &forecast->profiles[kept->host];
    const struct profile_change change = {.from = forecast->now,
                                          .until = INSTANT_NEVER,
                                          .amounts = kept->amounts.of,
                                          .n_types = forecast->n_types,
                                          .sign = sign};

    profile_apply(profile, &change, profile_find(profile, change.from));
}

/* Room kept for leases of higher priority is not free, for an unknown time. */
static void keep_room_from(struct forecast *forecast, const struct waiter *waiter)
{
    while (forecast->n_taken < forecast->n_kept &&
           forecast->kept[forecast->n_taken].priority > waiter->priority)
        change_kept(forecast, &forecast->kept[forecast->n_taken++], -1);
    while (forecast->n_taken > 0 &&
           forecast->kept[forecast->n_taken - 1].priority <= waiter->priority)
        change_kept(forecast, &forecast->kept[--forecast->n_taken], +1);
}

static int64_t place(struct forecast *forecast, const struct waiter *waiter)
{
    int64_t from = waiter->from;

    keep_room_from(forecast, waiter);

    if (forecast->in_order && forecast->last > from)
        from = forecast->last;
    for (int attempt = 0; attempt < FORECAST_ATTEMPTS && from != INSTANT_NEVER; attempt++) {
        int64_t at = all_earliest(forecast, waiter, from);

        if (at == INSTANT_NEVER || take(forecast, waiter, at))
            return at;
        from = forecast_next_change(forecast, at);
    }
    return from == INSTANT_NEVER ? INSTANT_NEVER : INSTANT_NONE;
}

/* --- increments ------------------------------------------------------------------------------- */

static size_t work_of(const struct forecast *forecast, const struct waiter *waiter)
{
    size_t points = 0;

    for (size_t host = 0; host < forecast->n_hosts; host++)
        points += 8 + forecast->profiles[host].n - forecast->profiles[host].head;
    return points * waiter->n_parts;
}

static int64_t start_of(struct forecast *forecast, const struct waiter *waiter)
{
    int64_t planned = waiter->planned == INSTANT_NONE ? place(forecast, waiter) : waiter->planned;
    int64_t start = waiter->may_go_ahead && planned != INSTANT_NONE
                        ? forecast_in_front(forecast, waiter, planned)
                        : INSTANT_NONE;

    return start == INSTANT_NONE ? planned : start;
}

bool forecast_go_on(struct forecast *forecast, size_t work)
{
    size_t done = 0;

    while (forecast->n_placed < forecast->n_waiters && (done == 0 || done < work)) {
        struct waiter *waiter = &forecast->waiters[forecast->n_placed++];

        done += work_of(forecast, waiter);
        waiter->start = start_of(forecast, waiter);
        if (waiter->start != INSTANT_NONE && waiter->start > forecast->last)
            forecast->last = waiter->start;
    }
    return forecast->n_placed < forecast->n_waiters;
}

size_t forecast_count(const struct forecast *forecast)
{
    return forecast->n_placed;
}

int64_t forecast_lease(const struct forecast *forecast, size_t i, int64_t *start)
{
    *start = forecast->waiters[i].start;
    return forecast->waiters[i].id;
}

uint64_t forecast_stamp(const struct engine *engine)
{
    uint64_t stamp = mix_number(MIX_BEGIN, (int64_t)slot_table_changes(engine->table));
    const struct lease *planned[FORECAST_PLANNED_MOST];
    size_t n_planned = forecast_planned(engine, planned);

    if (engine->queues.queue.n + engine->queues.early.n + n_planned == 0)
        return 0;
    for (size_t i = 0; i < n_planned; i++)
        stamp = mix_number(stamp, planned[i]->request.id);
    for (size_t i = 0; i < engine->queues.queue.n; i++)
        stamp = mix_number(stamp, engine->queues.queue.items[i]->request.id);
    for (size_t i = 0; i < engine->queues.early.n; i++)
        stamp = mix_number(stamp, engine->queues.early.items[i]->request.id);
    return stamp | 1;
}

size_t forecast_left_out(const struct forecast *forecast)
{
    return forecast->n_left_out;
}
