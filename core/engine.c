#include "core/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/opportunistic.h"
#include "core/scheduler.h"
#include "util/memory.h"

/* --- outputs, states, lists ------------------------------------------------------------------- */

void engine_outputs_init(struct engine_outputs *outputs)
{
    memset(outputs, 0, sizeof *outputs);
}

void engine_outputs_finish(struct engine_outputs *outputs)
{
    free(outputs->items);
    memset(outputs, 0, sizeof *outputs);
}

void engine_output(struct engine *engine, struct engine_output output)
{
    struct engine_outputs *outputs = engine->outputs;

    output.time = engine->now;
    outputs->items = memory_grow(outputs->items, &outputs->allocated, outputs->n_items + 1,
                                 sizeof *outputs->items);
    outputs->items[outputs->n_items++] = output;
}

void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to)
{
    engine_output(engine,
                  (struct engine_output){
                      .kind = OUTPUT_STATE, .lease = lease, .from = lease->state, .to = to});
    lease->state = to;
}

void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final)
{
    lease_set_state(engine, lease, final);
    reservation_list_settle(engine, &lease->plan->left_behind);
    images_release(engine, lease);
    memory_files_drop(engine, lease);
    lease_plan_publish(lease);
    engine->unfinished[lease->request.kind]--;
    engine_output(engine, (struct engine_output){.kind = OUTPUT_FINISHED, .lease = lease});
}

void lease_list_append(struct lease_list *list, struct lease *lease)
{
    list->items = memory_grow(list->items, &list->allocated, list->n + 1, sizeof *list->items);
    list->items[list->n++] = lease;
}

void lease_list_remove(struct lease_list *list, const struct lease *lease)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == lease) {
            memmove(&list->items[i], &list->items[i + 1],
                    (list->n - i - 1) * sizeof(struct lease *));
            list->n--;
            return;
        }
}

void queue_append(struct engine *engine, struct lease *lease)
{
    lease->plan->in_queue = true;
    lease_list_append(&engine->queue, lease);
}

void queue_insert(struct engine *engine, struct lease *lease)
{
    struct lease_list *queue = &engine->queue;
    size_t place;

    queue_append(engine, lease);
    for (place = queue->n - 1;
         place && queue->items[place - 1]->request.submit > lease->request.submit; place--)
        queue->items[place] = queue->items[place - 1];
    queue->items[place] = lease;
}

void queue_insert_by_id(struct engine *engine, struct lease *lease)
{
    struct lease_list *queue = &engine->queue;
    size_t low = 0, high = queue->n;

    queue_append(engine, lease);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lease_request *other = &queue->items[middle]->request;

        if (other->submit < lease->request.submit ||
            (other->submit == lease->request.submit && other->id < lease->request.id))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&queue->items[low + 1], &queue->items[low],
            (queue->n - 1 - low) * sizeof(struct lease *));
    queue->items[low] = lease;
}

void queue_remove(struct engine *engine, struct lease *lease)
{
    lease->plan->in_queue = false;
    lease_list_remove(&engine->queue, lease);
}

void future_remove(struct engine *engine, struct lease *lease)
{
    if (!lease->plan->holds_future)
        return;
    lease->plan->holds_future = false;
    lease_list_remove(&engine->future, lease);
}

bool future_allowed(const struct engine *engine)
{
    switch (engine->settings.backfilling) {
    case BACKFILLING_AGGRESSIVE:
        return engine->future.n < 1;
    case BACKFILLING_INTERMEDIATE:
        return (int64_t)engine->future.n < engine->settings.backfilling_reservations;
    case BACKFILLING_CONSERVATIVE:
        return true;
    default:
        return false;
    }
}

/* --- the lease table -------------------------------------------------------------------------- */

/* The first place whose id is not smaller. */
static size_t lease_place(const struct engine *engine, int64_t id)
{
    size_t low = 0, high = engine->leases.n;

    /* New leases mostly have the largest id of all. */
    if (high && engine->lease_ids[high - 1] < id)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (engine->lease_ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct lease *engine_lease(const struct engine *engine, int64_t id)
{
    size_t place = lease_place(engine, id);

    return place < engine->leases.n && engine->lease_ids[place] == id ? engine->leases.items[place]
                                                                      : NULL;
}

void lease_table_insert(struct engine *engine, struct lease *lease)
{
    size_t place = lease_place(engine, lease->request.id), n = engine->leases.n;

    lease_list_append(&engine->leases, lease);
    engine->lease_ids = memory_grow(engine->lease_ids, &engine->lease_ids_allocated, n + 1,
                                    sizeof *engine->lease_ids);
    memmove(&engine->leases.items[place + 1], &engine->leases.items[place],
            (n - place) * sizeof(struct lease *));
    memmove(&engine->lease_ids[place + 1], &engine->lease_ids[place],
            (n - place) * sizeof(int64_t));
    engine->leases.items[place] = lease;
    engine->lease_ids[place] = lease->request.id;
}

void engine_each_lease(const struct engine *engine,
                       void (*visit)(void *context, const struct lease *lease), void *context)
{
    for (size_t i = 0; i < engine->leases.n; i++)
        if (engine->leases.items[i])
            visit(context, engine->leases.items[i]);
}

struct lease *lease_create(const struct lease_request *request)
{
    struct lease *lease = memory_new(1, sizeof *lease);

    lease->request = *request;
    lease->request.node_sets =
        memory_copy(request->node_sets, request->n_node_sets * sizeof *request->node_sets);
    lease->request.image = memory_text(request->image);
    lease->start_actual = lease->end = INSTANT_NONE;
    lease->duration_actual = SPAN_NONE;
    for (size_t set = 0; set < request->n_node_sets; set++)
        lease->n_vms += request->node_sets[set].count;
    lease_plan_create(lease);
    return lease;
}

void lease_destroy(struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        reservation_destroy(lease->reservations[i]);
    for (size_t i = 0; i < lease->plan->left_behind.n; i++)
        reservation_destroy(lease->plan->left_behind.items[i]);
    lease_plan_destroy(lease);
    free(lease->reservations);
    free((void *)lease->request.node_sets);
    free((void *)lease->request.image);
    free((void *)lease->reason.text);
    free((void *)lease->reason.word);
    free(lease);
}

static void compact_leases(struct engine *engine)
{
    size_t kept = 0;

    for (size_t i = 0; i < engine->leases.n; i++)
        if (engine->leases.items[i]) {
            engine->leases.items[kept] = engine->leases.items[i];
            engine->lease_ids[kept++] = engine->lease_ids[i];
        }
    engine->leases.n = kept;
    engine->n_forgotten = 0;
}

int engine_forget(struct engine *engine, int64_t id, struct error *err)
{
    size_t place = lease_place(engine, id);

    if (!engine_lease(engine, id))
        return error_set(err, EINVAL, "lease %lld is unknown", (long long)id);
    if (!lease_state_is_final(engine->leases.items[place]->state))
        return error_set(err, EINVAL, "lease %lld is not finished", (long long)id);
    lease_destroy(engine->leases.items[place]);
    engine->leases.items[place] = NULL;
    if (++engine->n_forgotten > 64 && engine->n_forgotten > engine->leases.n / 2)
        compact_leases(engine);
    return 0;
}

/* --- life of the engine ----------------------------------------------------------------------- */

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
    return 0;
}

static void create_scratch(struct engine *engine)
{
    size_t n_hosts = engine->site.n_hosts;

    engine->host_slot = memory_new(n_hosts, sizeof *engine->host_slot);
    for (size_t host = 0; host < n_hosts; host++)
        engine->host_slot[host] = HOST_NONE;
    mapper_create_scratch(engine);
    engine->batch_hosts = memory_new(n_hosts, sizeof *engine->batch_hosts);
    engine->batch_leases = memory_new(n_hosts, sizeof *engine->batch_leases);
    engine->batch_until = memory_new(n_hosts, sizeof *engine->batch_until);
    engine->batch_scores = memory_new(n_hosts, sizeof *engine->batch_scores);
    if (engine->hooks->host_columns & HOST_COLUMN_FREE)
        engine->batch_free =
            memory_new(n_hosts * (size_t)engine->site.types.count, sizeof *engine->batch_free);
}

struct engine *engine_create(const struct site *site, const struct engine_settings *settings,
                             const struct policy_hooks *policies, struct error *err)
{
    struct engine *engine;

    if (check_settings(site, settings, err) < 0)
        return NULL;
    engine = memory_new(1, sizeof *engine);
    site_copy(&engine->site, site, err);
    engine->settings = *settings;
    engine->hooks = policies;
    engine->next_give_up = INSTANT_NEVER;
    engine->next_move_look = INSTANT_NONE;
    engine->capacity_freed = true;
    engine->now = INT64_MIN;
    engine->table = slot_table_create(&engine->site);
    engine->disk_used = memory_new(site->n_hosts, sizeof *engine->disk_used);
    for (size_t host = 0; host < site->n_hosts; host++)
        engine->cpu_total += site->hosts[host].capacity.of[RESOURCE_CPU];
    create_scratch(engine);
    image_transfers_create(engine);
    return engine;
}

static void free_withdrawn(struct engine *engine)
{
    for (size_t i = 0; i < engine->withdrawn.n; i++)
        reservation_destroy(engine->withdrawn.items[i]);
    engine->withdrawn.n = 0;
}

void engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    free_withdrawn(engine);
    reservation_list_finish(&engine->withdrawn);
    engine_outputs_finish(&engine->adopted);
    image_transfers_destroy(engine);
    slot_table_destroy(engine->table);
    slot_table_destroy(engine->empty);
    for (size_t i = 0; i < engine->leases.n; i++)
        if (engine->leases.items[i])
            lease_destroy(engine->leases.items[i]);
    free(engine->leases.items);
    free(engine->lease_ids);
    free(engine->pending.items);
    free(engine->early.items);
    free(engine->queue.items);
    free(engine->trying.items);
    free(engine->future.items);
    reservation_index_finish(&engine->by_start);
    reservation_index_finish(&engine->by_end);
    free(engine->disk_used);
    free(engine->host_slot);
    mapper_destroy_scratch(engine);
    free(engine->batch_hosts);
    free(engine->batch_leases);
    free(engine->batch_until);
    free(engine->batch_free);
    free(engine->batch_scores);
    free(engine->vm_host);
    reservation_list_finish(&engine->due);
    site_finish(&engine->site);
    free(engine);
}

/* --- figures ---------------------------------------------------------------------------------- */

size_t engine_queue_length(const struct engine *engine)
{
    return engine->queue.n;
}

bool engine_is_idle(const struct engine *engine)
{
    return !engine->by_end.n && !engine->queue.n && !engine->early.n;
}

size_t engine_unfinished(const struct engine *engine, enum lease_kind kind)
{
    return engine->unfinished[kind];
}

int64_t engine_cpu_used(const struct engine *engine, enum reservation_kind kind)
{
    return engine->cpu_used[kind];
}

int64_t engine_cpu_total(const struct engine *engine)
{
    return engine->cpu_total;
}

int64_t engine_disk_used_most(const struct engine *engine)
{
    int64_t most = 0;

    for (size_t host = 0; host < engine->site.n_hosts; host++)
        if (engine->disk_used[host] > most)
            most = engine->disk_used[host];
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

uint64_t engine_attempts(const struct engine *engine)
{
    return engine->attempts;
}

const struct site *engine_site(const struct engine *engine)
{
    return &engine->site;
}

int64_t engine_next_time(const struct engine *engine)
{
    int64_t next = INSTANT_NEVER;

    if (engine->stage == ENGINE_BEGUN)
        return engine->now;
    if (engine->by_start.n && reservation_index_at(&engine->by_start, 0)->time > engine->now)
        next = reservation_index_at(&engine->by_start, 0)->time;
    if (engine->by_end.n && reservation_index_at(&engine->by_end, 0)->time < next)
        next = reservation_index_at(&engine->by_end, 0)->time;
    if (engine->early.n && lease_ready_at(engine->early.items[0]) < next)
        next = lease_ready_at(engine->early.items[0]);
    if (engine->next_give_up > engine->now && engine->next_give_up < next)
        next = engine->next_give_up;
    if (next_look_for_moves(engine) < next)
        next = next_look_for_moves(engine);
    return next;
}

/* --- one step --------------------------------------------------------------------------------- */

/* Reservations of this instant, collected before their handlers change the index. */
static void collect(const struct reservation_index *index, int64_t now,
                    enum reservation_state state, struct reservation_list *list)
{
    list->n = 0;
    for (size_t i = 0; i < index->n && reservation_index_at(index, i)->time <= now; i++)
        if (reservation_index_at(index, i)->reservation->state == state)
            reservation_list_append(list, reservation_index_at(index, i)->reservation);
}

static void do_endings(struct engine *engine)
{
    struct reservation_list *list = &engine->due;

    collect(&engine->by_end, engine->now, RESERVATION_ACTIVE, list);
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state == RESERVATION_ACTIVE)
            operation_ends(engine, list->items[i]);
}

static void do_startings(struct engine *engine)
{
    struct reservation_list *list = &engine->due;

    collect(&engine->by_start, engine->now, RESERVATION_SCHEDULED, list);
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state == RESERVATION_SCHEDULED)
            operation_begins(engine, list->items[i]);
}

static struct lease *unfinished_lease(struct engine *engine, int64_t id, struct error *err)
{
    struct lease *lease = (struct lease *)engine_lease(engine, id);

    if (!lease)
        error_set(err, EINVAL, "lease %lld is unknown", (long long)id);
    else if (lease_state_is_final(lease->state))
        error_set(err, EINVAL, "lease %lld is %s already", (long long)id,
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

/* Leases that ended by themselves, in the order in which their ends were booked. */
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
                return error_set(err, EINVAL, "lease %lld does not run",
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
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->state == RESERVATION_ACTIVE)
            lease_ended_early(engine, list->items[i]->lease);
    return 0;
}

static int do_requests(struct engine *engine, const struct engine_input *inputs, size_t n,
                       struct error *err)
{
    for (size_t i = 0; i < n; i++)
        if (inputs[i].kind == INPUT_REQUEST && request_lease(engine, inputs[i].request, err) < 0)
            return -1;
    return 0;
}

/* What adoptions have caused comes first; what they withdrew is kept as long as that. */
static void begin_stepping(struct engine *engine)
{
    struct engine_outputs *outputs = engine->outputs;
    size_t n = engine->adopted.n_items;

    engine->stage = ENGINE_STEPPED;
    adoptions_settle(engine);
    if (n) {
        outputs->items =
            memory_grow(outputs->items, &outputs->allocated, n, sizeof *outputs->items);
        memcpy(outputs->items, engine->adopted.items, n * sizeof *outputs->items);
        outputs->n_items = n;
    }
    engine_outputs_finish(&engine->adopted);
}

int engine_step(struct engine *engine, int64_t now, const struct engine_input *inputs,
                size_t n_inputs, struct engine_outputs *outputs, struct error *err)
{
    if (now < engine->now)
        return error_set(err, EINVAL, "time runs backwards: %lld after %lld", (long long)now,
                         (long long)engine->now);
    outputs->n_items = 0;
    engine->outputs = outputs;
    if (engine->stage == ENGINE_STEPPED)
        free_withdrawn(engine);
    else
        begin_stepping(engine);
    engine->now = now;
    slot_table_advance(engine->table, now);
    if (do_cancels(engine, inputs, n_inputs, err) < 0 ||
        do_early_ends(engine, inputs, n_inputs, err) < 0)
        return -1;
    do_endings(engine);
    do_startings(engine);
    if (!engine->settings.behaviour.momentary_suspensions_miss_pass)
        do_endings(engine);
    if (do_requests(engine, inputs, n_inputs, err) < 0)
        return -1;
    schedule_pending(engine);
    move_to_better_hosts(engine);
    do_startings(engine);
    do_endings(engine);
    return 0;
}
