/* The engine's public calls: create, step, query. */
#include "core/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/deadline.h"
#include "core/engine_state.h"
#include "core/fair_share.h"
#include "core/leases.h"
#include "core/leaving.h"
#include "core/lifecycle.h"
#include "core/occupancy.h"
#include "core/opportunistic.h"
#include "core/preparation.h"
#include "core/reevaluation.h"
#include "core/scheduling_pass.h"
#include "core/units.h"
#include "core/victims.h"
#include "util/memory.h"

static int check_settings(const struct site *site, const struct engine_settings *settings,
                          struct error *err)
{
    if (!site->n_hosts)
        return error_set(err, EINVAL, "the site has no hosts");
    if (settings->suspension != SUSPENSION_NONE &&
        (!(settings->suspend_rate > 0) || !(settings->resume_rate > 0)))
        return error_set(err, EINVAL,
                         "suspend-rate and resume-rate must be above 0 MB/s when leases may be "
                         "suspended");
    if (settings->shutdown_time < 0 || settings->enactment_overhead < 0)
        return error_set(err, EINVAL, "shutdown-time and enactment-overhead cannot be negative");
    if (settings->migration_interval > 0 && settings->migration_mode == MOVING_COLD &&
        settings->migration == MIGRATION_NO)
        return error_set(err, EINVAL,
                         "migration-mode cold with a migration-interval needs migration: yes or "
                         "yes-notransfer");
    if (settings->migration_interval > 0 && settings->transfer_bandwidth < 1)
        return error_set(err, EINVAL,
                         "imagetransfer-bandwidth must be at least 1 Mbit/s for a "
                         "migration-interval");
    if ((settings->preparation == PREPARATION_IMAGE_TRANSFER ||
         settings->migration == MIGRATION_YES) &&
        settings->transfer_bandwidth < 1)
        return error_set(err, EINVAL, "imagetransfer-bandwidth must be at least 1 Mbit/s");
    for (size_t host = 0; host < site->n_hosts; host++)
        if (site->hosts[host].units && !host_units_are_sound(site->hosts[host].units))
            return error_set(err, EINVAL,
                             "host %d has more NUMA nodes, threads or PCI devices "
                             "than Galerna can handle",
                             site->hosts[host].id);
    return 0;
}

static void create_scratch(struct engine *engine)
{
    size_t n_hosts = engine->site.n_hosts;

    engine->host_slot = memory_new(n_hosts, sizeof *engine->host_slot);
    for (size_t host = 0; host < n_hosts; host++)
        engine->host_slot[host] = HOST_NONE;
    mapper_create_scratch(engine);
    engine->mapper.batch_hosts = memory_new(n_hosts, sizeof *engine->mapper.batch_hosts);
    engine->mapper.batch_leases = memory_new(n_hosts, sizeof *engine->mapper.batch_leases);
    engine->mapper.batch_until = memory_new(n_hosts, sizeof *engine->mapper.batch_until);
    engine->mapper.batch_scores = memory_new(n_hosts, sizeof *engine->mapper.batch_scores);
    engine->mapper.batch_ranks = memory_new(n_hosts, sizeof *engine->mapper.batch_ranks);
    if (engine->hooks->host_columns & HOST_COLUMN_FREE)
        engine->mapper.batch_free = memory_new(n_hosts * (size_t)engine->site.types.count,
                                               sizeof *engine->mapper.batch_free);
}

struct engine *engine_create(const struct site *site, const struct engine_settings *settings,
                             const struct policy_hooks *policies, struct error *err)
{
    struct engine *engine;

    if (check_settings(site, settings, err) < 0)
        return NULL;
    engine = memory_new(1, sizeof *engine);
    site_copy(&engine->site, site);
    engine->settings = *settings;
    engine->hooks = policies;
    engine->queues.next_expiry = INSTANT_NEVER;
    engine->next_move_look = INSTANT_NONE;
    engine->bookings.capacity_freed = true;
    engine->now = INT64_MIN;
    engine->table = slot_table_create(&engine->site);
    engine->figures.disk_used = memory_new(site->n_hosts, sizeof *engine->figures.disk_used);
    for (size_t host = 0; host < site->n_hosts; host++)
        engine->figures.cpu_total += site->hosts[host].capacity.of[RESOURCE_CPU];
    create_scratch(engine);
    host_binding_init(engine);
    engine->mapper.make_room = map_with_victims;
    image_transfers_create(engine);
    if (settings->fair_share.by != FAIR_SHARE_NO)
        engine->shares = fair_share_create(&settings->fair_share);
    return engine;
}

static void free_withdrawn(struct engine *engine)
{
    for (size_t i = 0; i < engine->bookings.withdrawn.n; i++)
        reservation_destroy(engine->bookings.withdrawn.items[i]);
    engine->bookings.withdrawn.n = 0;
}

void engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    free_withdrawn(engine);
    reservation_list_finish(&engine->bookings.withdrawn);
    engine_outputs_finish(&engine->adopted);
    image_transfers_destroy(engine);
    fair_share_destroy(engine->shares);
    slot_table_destroy(engine->table);
    slot_table_destroy(engine->empty);
    for (size_t i = 0; i < engine->leases.list.n; i++)
        if (engine->leases.list.items[i])
            lease_destroy(engine->leases.list.items[i]);
    free(engine->leases.list.items);
    free(engine->leases.ids);
    free(engine->queues.pending.items);
    free(engine->queues.early.items);
    free(engine->queues.queue.items);
    free(engine->queues.trying.items);
    free(engine->queues.future.items);
    free(engine->queues.held);
    reservation_index_finish(&engine->bookings.by_start);
    reservation_index_finish(&engine->bookings.by_end);
    free(engine->figures.disk_used);
    free(engine->host_slot);
    mapper_destroy_scratch(engine);
    free(engine->mapper.batch_hosts);
    free(engine->mapper.batch_leases);
    free(engine->mapper.batch_until);
    free(engine->mapper.batch_free);
    free(engine->mapper.batch_scores);
    free(engine->mapper.batch_ranks);
    free(engine->mapper.vm_host);
    reservation_list_finish(&engine->due);
    site_finish(&engine->site);
    free(engine);
}

void engine_use(struct engine *engine, int64_t user, int64_t group, double used)
{
    if (engine->shares)
        share_use(engine->shares, fair_share_of(engine->shares, user, group), used, engine->now);
}

/* --- figures ---------------------------------------------------------------------------------- */

size_t engine_queue_length(const struct engine *engine)
{
    return engine->queues.queue.n;
}

bool engine_is_idle(const struct engine *engine)
{
    return !engine->bookings.by_end.n && !engine->queues.queue.n && !engine->queues.early.n;
}

size_t engine_unfinished(const struct engine *engine, enum lease_kind kind)
{
    return engine->figures.unfinished[kind];
}

int64_t engine_cpu_used(const struct engine *engine, enum reservation_kind kind)
{
    return engine->bookings.cpu_used[kind];
}

int64_t engine_cpu_total(const struct engine *engine)
{
    return engine->figures.cpu_total;
}

int64_t engine_disk_used_most(const struct engine *engine)
{
    int64_t most = 0;

    for (size_t host = 0; host < engine->site.n_hosts; host++)
        if (engine->figures.disk_used[host] > most)
            most = engine->figures.disk_used[host];
    return most;
}

int64_t engine_now(const struct engine *engine)
{
    return engine->now;
}

int64_t engine_free(const struct engine *engine, uint32_t host, int type, int64_t at)
{
    return slot_table_free(engine->table, host, type, at);
}

int64_t engine_fits_until(const struct engine *engine, uint32_t host, const struct amounts *need,
                          int64_t from)
{
    return slot_table_fits_until(engine->table, host, need, from);
}

void engine_takes_until(const struct engine *engine, const struct node_set *nodes, int64_t from,
                        int64_t until, int64_t *limits)
{
    const struct occupancy *occupancy = slot_table_occupancy(engine->table);

    if (nodes->demand)
        occupancy_rules_until(occupancy, nodes->demand, from, until, limits);
    for (uint32_t host = 0; host < engine->site.n_hosts; host++) {
        int64_t limit = engine_fits_until(engine, host, &nodes->amounts, from);
        struct unit_question question = {
            .demand = nodes->demand, .host = host, .from = from, .least = from + 1};

        if (!nodes->demand || limits[host] > limit)
            limits[host] = limit < until ? limit : until;
        question.until = limits[host];
        if (nodes->demand && limits[host] > from)
            limits[host] = occupancy_units_until(occupancy, &question, NULL);
    }
}

void engine_closed_at(const struct engine *engine, int64_t at, bool *closed)
{
    struct index_walk walk = reservation_index_first(&engine->bookings.by_end);
    const struct index_entry *entry;

    memset(closed, 0, engine->site.n_hosts * sizeof *closed);
    while (engine->bookings.n_closings && (entry = index_walk_next(&walk))) {
        const struct reservation *r = entry->reservation;

        for (uint32_t k = 0;
             r->closes && r->from <= at && at < r->until && k < r->placement->n_hosts; k++)
            closed[r->placement->hosts[k]] = true;
    }
}

uint64_t engine_attempts(const struct engine *engine)
{
    return engine->figures.attempts;
}

const struct site *engine_site(const struct engine *engine)
{
    return &engine->site;
}

uint64_t engine_bookings(const struct engine *engine)
{
    return slot_table_bookings(engine->table);
}

int64_t engine_next_time(const struct engine *engine)
{
    const int64_t start = reservation_index_first_time(&engine->bookings.by_start);
    const int64_t end = reservation_index_first_time(&engine->bookings.by_end);
    int64_t next = start > engine->now ? start : INSTANT_NEVER;

    if (engine->stage == ENGINE_BEGUN)
        return engine->now;
    if (end < next)
        next = end;
    if (engine->queues.early.n && lease_ready_at(engine->queues.early.items[0]) < next)
        next = lease_ready_at(engine->queues.early.items[0]);
    if (engine->queues.next_expiry > engine->now && engine->queues.next_expiry < next)
        next = engine->queues.next_expiry;
    if (next_look_for_moves(engine) < next)
        next = next_look_for_moves(engine);
    return next;
}

/* --- one step --------------------------------------------------------------------------------- */

/* Reservations due now, collected before their handlers change the index. */
static void collect(const struct reservation_index *index, int64_t now,
                    enum reservation_state state, struct reservation_list *list)
{
    struct index_walk walk = reservation_index_first(index);
    const struct index_entry *entry;

    list->n = 0;
    while ((entry = index_walk_next(&walk)) && entry->time <= now)
        if (entry->reservation->state == state)
            reservation_list_append(list, entry->reservation);
}

static void do_endings(struct engine *engine)
{
    struct reservation_list *list = &engine->due;

    collect(&engine->bookings.by_end, engine->now, RESERVATION_ACTIVE, list);
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state == RESERVATION_ACTIVE)
            operation_ends(engine, list->items[i]);
}

static void do_startings(struct engine *engine)
{
    struct reservation_list *list = &engine->due;

    collect(&engine->bookings.by_start, engine->now, RESERVATION_SCHEDULED, list);
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state == RESERVATION_SCHEDULED &&
            bind_to_hosts(engine, list->items[i]->lease))
            operation_begins(engine, list->items[i]);
}

static struct lease *unfinished_lease(struct engine *engine, int64_t id, struct error *err)
{
    struct lease *lease = lease_table_find(engine, id);

    if (!lease)
        error_set(err, EINVAL, "lease %lld is unknown", (long long)id);
    else if (lease_state_is_final(lease->state))
        error_set(err, EINVAL, "lease %lld is already %s", (long long)id,
                  lease_state_name(lease->state));
    else
        return lease;
    return NULL;
}

static int do_cancels(struct engine *engine, const struct engine_input *inputs, size_t n,
                      struct error *err)
{
    for (size_t i = 0; i < n; i++)
        if (inputs[i].kind == INPUT_CANCEL) {
            struct lease *lease = unfinished_lease(engine, inputs[i].lease, err);

            if (!lease)
                return -1;
            lease_cancel(engine, lease);
        }
    return 0;
}

static void mark_unsent(struct engine *engine, const struct engine_input *inputs, size_t n,
                        bool unsent)
{
    for (size_t i = 0; i < n; i++)
        if (inputs[i].kind == INPUT_UNSENT) {
            struct lease *lease = lease_table_find(engine, inputs[i].lease);

            if (lease)
                lease->plan->unsent =
                    unsent && lease->request.kind == LEASE_BEST_EFFORT &&
                    (lease->state == LEASE_ACTIVE || lease->state == LEASE_RESUMING);
        }
}

static void end_early(struct engine *engine, const struct reservation_list *vms)
{
    bool after_each = engine->settings.behaviour.reevaluation_after_each_end;

    for (size_t i = 0; i < vms->n; i++)
        if (vms->items[i]->state == RESERVATION_ACTIVE) {
            lease_ended_early(engine, vms->items[i]->lease);
            if (after_each || i + 1 == vms->n)
                reevaluate_future(engine);
        }
}

/* Ends leases whose VMs ended on their own, in the booking order of their ends. */
static int do_early_ends(struct engine *engine, const struct engine_input *inputs, size_t n,
                         struct error *err)
{
    struct reservation_list *list = &engine->due;

    list->n = 0;
    for (size_t i = 0; i < n; i++)
        if (inputs[i].kind == INPUT_ENDED) {
            struct lease *lease = unfinished_lease(engine, inputs[i].lease, err);
            struct vm_plan *current = lease ? lease_plan_running(lease) : NULL;
            size_t place;

            if (!lease)
                return -1;
            if (!current)
                return error_set(err, EINVAL, "lease %lld is not running",
                                 (long long)inputs[i].lease);
            reservation_list_append(list, current->vm);
            for (place = list->n - 1; place; place--) {
                struct reservation *before = list->items[place - 1];

                if (before->until < current->vm->until ||
                    (before->until == current->vm->until && before->order < current->vm->order))
                    break;
                list->items[place] = before;
            }
            list->items[place] = current->vm;
        }
    end_early(engine, list);
    return 0;
}

static int do_requests(struct engine *engine, const struct engine_input *inputs, size_t n,
                       struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (inputs[i].kind == INPUT_LAST)
            end_all_too_big(engine);
        if (inputs[i].kind == INPUT_REQUEST && request_lease(engine, inputs[i].request, err) < 0)
            return -1;
    }
    return 0;
}

/* Outputs caused by adoptions come first; the reservations they withdrew are kept until then. */
static void begin_stepping(struct engine *engine)
{
    engine->stage = ENGINE_STEPPED;
    if (engine->adopted.n_items) {
        engine_outputs_finish(engine->outputs);
        *engine->outputs = engine->adopted;
        engine_outputs_init(&engine->adopted);
    }
}

int engine_step(struct engine *engine, int64_t now, const struct engine_input *inputs,
                size_t n_inputs, struct engine_outputs *outputs, struct error *err)
{
    bool begins = engine->stage != ENGINE_STEPPED;

    if (now < engine->now)
        return error_set(err, EINVAL, "time runs backwards: %lld after %lld", (long long)now,
                         (long long)engine->now);
    outputs->n_items = 0;
    engine->outputs = outputs;
    if (begins)
        begin_stepping(engine);
    else
        free_withdrawn(engine);
    engine->now = now;
    slot_table_advance(engine->table, now);
    binding_update(engine);
    if (do_cancels(engine, inputs, n_inputs, err) < 0 ||
        do_early_ends(engine, inputs, n_inputs, err) < 0)
        return -1;
    do_endings(engine);
    do_startings(engine);
    if (!engine->settings.behaviour.momentary_suspensions_miss_pass)
        do_endings(engine);
    withdraw_leaves(engine);
    if (begins) /* adopted deadline leases may have more room than when they were planned */
        pull_deadlines_forward(engine, false);
    start_in_front(engine);
    mark_unsent(engine, inputs, n_inputs, true);
    if (do_requests(engine, inputs, n_inputs, err) < 0)
        return -1;
    schedule_pending(engine);
    mark_unsent(engine, inputs, n_inputs, false);
    move_to_better_hosts(engine);
    do_startings(engine);
    do_endings(engine);
    return 0;
}
