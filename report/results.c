/* Writes a run as an SQLite database. */
#include "report/results.h"

#include <errno.h>
#include <stdlib.h>

#include "report/record_lease.h"
#include "report/record_settings.h"
#include "report/results_tables.h"
#include "report/running.h"
#include "util/json_writer.h"
#include "util/memory.h"
#include "util/time_text.h"

enum { VMS_TEXT_MAX = 60000 }; /* less than a spool holds */

struct results {
    struct results_tables tables;
    char *path, *name;
    uint32_t counters_left_out;
    enum run_ending ending;
    struct engine_settings settings;
    struct accounting *accounting;
    struct running *running;
    int64_t n_reservations, n_states, n_preemptions;
    struct output *scratch; /* texts composed for one column */
};

struct results *results_create(const struct results_options *options, struct error *err)
{
    struct results *results = memory_new(1, sizeof *results);

    results->path = memory_text(options->path);
    results->name = memory_text(options->name);
    results->counters_left_out = options->counters_left_out;
    results->settings = *options->settings;
    results->accounting = options->accounting;
    results->running = running_create();
    results->scratch = output_create_spool(options->path);
    if (results_tables_init(&results->tables, results->path, err) == 0)
        return results;
    results_destroy(results);
    return NULL;
}

void results_destroy(struct results *results)
{
    int saved = errno;

    if (!results)
        return;
    results_tables_finish(&results->tables);
    running_destroy(results->running);
    output_destroy(results->scratch);
    free(results->path);
    free(results->name);
    free(results);
    errno = saved;
}

void results_set_ending(struct results *results, enum run_ending ending)
{
    results->ending = ending;
}

/* The composed text, 0-terminated. */
static const char *composed(struct results *results)
{
    size_t n;

    output_char(results->scratch, '\0');
    return output_held(results->scratch, &n);
}

/* Writes the five fixed types to columns, the others as one JSON text. */
static void row_amounts(struct results *results, struct results_row *row,
                        const struct resource_types *types, const int64_t *amounts)
{
    struct json_writer json;

    for (int i = 0; i < RESOURCE_TYPES_FIXED; i++)
        results_row_integer(row, amounts[i]);
    if (types->count == RESOURCE_TYPES_FIXED) {
        results_row_text(row, NULL);
        return;
    }
    output_rewind(results->scratch);
    json_writer_init(&json, results->scratch);
    json_begin_object(&json);
    for (int i = RESOURCE_TYPES_FIXED; i < types->count; i++) {
        json_put_integer(&json, types->names[i], amounts[i]);
    }
    json_end_object(&json);
    results_row_text(row, composed(results));
}

static const char *vms_text(struct results *results, const struct site *site,
                            const struct reservation *reservation)
{
    const struct placement *placement = reservation->placement;
    struct output *out = results->scratch;

    output_rewind(out);
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        const struct placed_vm *vm = &placement->vms[i];

        if (output_position(out) > VMS_TEXT_MAX) {
            output_text(out, " ...");
            break;
        }
        if (i > 0)
            output_char(out, ' ');
        if (reservation->kind == RESERVATION_TRANSFER) {
            output_integer(out, vm->lease);
            output_char(out, '/');
        }
        output_integer(out, (int64_t)vm->vm + 1);
        output_char(out, ':');
        if (reservation->kind == RESERVATION_MEMORY_MIGRATION ||
            reservation->kind == RESERVATION_DISK_MIGRATION) {
            output_integer(out, record_host_id(site, vm->from));
            output_char(out, '>');
        }
        output_integer(out, record_host_id(site, vm->host));
    }
    return composed(results);
}

/* A reservation with the other values of its row. */
struct reservation_row {
    const struct reservation *reservation;
    int64_t lease;
    const char *state;
};

static int insert_reservation(struct results *results, const struct site *site,
                              const struct reservation_row *written, struct error *err)
{
    const struct reservation *reservation = written->reservation;
    const struct placement *placement = reservation->placement;
    struct results_row row = results_row_begin(&results->tables, INSERT_RESERVATION);

    results_row_integer(&row, ++results->n_reservations);
    results_row_integer(&row, written->lease);
    results_row_text(&row, reservation_kind_name(reservation->kind));
    results_row_text(&row, written->state);
    results_row_integer(&row, reservation->from);
    results_row_optional(&row, reservation->until);
    results_row_text(&row, reservation->image);
    results_row_text(&row, vms_text(results, site, reservation));
    if (results_row_end(&row, err) < 0)
        return -1;
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        row = results_row_begin(&results->tables, INSERT_RESERVATION_HOST);
        results_row_integer(&row, results->n_reservations);
        results_row_integer(&row, record_host_id(site, placement->hosts[i]));
        row_amounts(results, &row, &site->types,
                    placement->amounts + (size_t)i * placement->n_types);
        if (results_row_end(&row, err) < 0)
            return -1;
    }
    return 0;
}

static void row_request(struct results_row *row, const struct lease_request *request)
{
    results_row_integer(row, request->id);
    results_row_text(row, lease_kind_name(request->kind));
    results_row_text(row, lease_terms_name(request->terms));
    results_row_text(row, lease_origin_name(request->origin));
    results_row_real(row, (double)request->priority / PRIORITY_ONE);
    results_row_optional(row, request->user < 0 ? INSTANT_NONE : request->user);
    results_row_integer(row, request->submit);
    results_row_optional(row, request->start);
    results_row_optional(row, request->deadline);
    results_row_optional(row, request->duration_original);
    results_row_optional(row, request->duration);
    results_row_optional(row, request->duration_known);
}

static void row_service(struct results_row *row, const struct lease *lease)
{
    int64_t turnaround = accounting_turnaround(lease);
    bool ended = turnaround != SPAN_NONE;

    results_row_optional(row, accounting_waiting_time(lease));
    results_row_optional(row, turnaround);
    results_row_real(row,
                     ended ? service_slowdown(turnaround, lease->accumulated) : __builtin_nan(""));
    results_row_real(row, ended ? service_bounded_slowdown(turnaround, lease->accumulated)
                                : __builtin_nan(""));
    results_row_real(row, accounting_haizea_slowdown(lease));
}

static int insert_lease(struct results *results, const struct site *site, const struct lease *lease,
                        struct error *err)
{
    const struct lease_request *request = &lease->request;
    struct results_row row = results_row_begin(&results->tables, INSERT_LEASE);
    char sentence[1024];

    reason_format(&lease->reason, sentence, sizeof sentence, time_text_seconds);
    row_request(&row, request);
    results_row_optional(&row, lease->duration_actual);
    results_row_integer(&row, lease->accumulated);
    results_row_integer(&row, lease->n_vms);
    results_row_text(&row, request->image);
    results_row_optional(&row, request->image ? request->image_size : INSTANT_NONE);
    results_row_text(&row, lease_state_name(lease->state));
    results_row_optional(&row, lease->start_actual);
    results_row_optional(&row, lease->end);
    row_service(&row, lease);
    results_row_text(&row, reason_name(lease->reason.id));
    results_row_text(&row, sentence);
    if (results_row_end(&row, err) < 0)
        return -1;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *reservation = lease->reservations[i];
        const struct reservation_row written = {reservation, request->id,
                                                reservation_state_name(reservation->state)};

        if (reservation->lease == lease && insert_reservation(results, site, &written, err) < 0)
            return -1;
    }
    return 0;
}

/* Inserts a stopped run, which has no reservation although it used its hosts. */
static int insert_withdrawn(struct results *results, const struct site *site,
                            const struct begun_run *lost, int64_t until, struct error *err)
{
    const struct reservation reservation = {
        .kind = RESERVATION_VM, .from = lost->from, .until = until, .placement = lost->placement};

    return insert_reservation(
        results, site, &(struct reservation_row){&reservation, lost->lease, "Withdrawn"}, err);
}

static int insert_state(struct results *results, const struct engine_output *output,
                        struct error *err)
{
    struct results_row row = results_row_begin(&results->tables, INSERT_STATE);

    results_row_integer(&row, ++results->n_states);
    results_row_integer(&row, output->time);
    results_row_integer(&row, output->lease->request.id);
    results_row_text(&row, lease_state_name(output->from));
    results_row_text(&row, lease_state_name(output->to));
    return results_row_end(&row, err);
}

static int insert_preemption(struct results *results, const struct engine_output *output,
                             struct error *err)
{
    static const char *const how[] = {
        [PREEMPTED_SUSPEND] = "suspend",
        [PREEMPTED_REQUEUE] = "requeue",
        [PREEMPTED_CANCEL] = "cancel",
    };
    struct results_row row = results_row_begin(&results->tables, INSERT_PREEMPTION);

    results_row_integer(&row, ++results->n_preemptions);
    results_row_integer(&row, output->time);
    results_row_integer(&row, output->lease->request.id);
    results_row_integer(&row, output->other);
    results_row_integer(&row, output->at);
    results_row_text(&row, how[output->how]);
    return results_row_end(&row, err);
}

static int insert_output(struct results *results, const struct site *site,
                         const struct engine_output *output, struct error *err)
{
    struct begun_run lost;

    if (running_note(results->running, output, &lost)) {
        int result = insert_withdrawn(results, site, &lost, output->time, err);

        placement_destroy(lost.placement);
        if (result < 0)
            return -1;
    }
    if (output->kind == OUTPUT_STATE)
        return insert_state(results, output, err);
    if (output->kind == OUTPUT_PREEMPTED)
        return insert_preemption(results, output, err);
    if (output->kind == OUTPUT_FINISHED)
        return insert_lease(results, site, output->lease, err);
    return 0;
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    int result = 0;

    (void)now;
    for (size_t i = 0; i < outputs->n_items && result == 0; i++)
        result = insert_output(context, engine_site(engine), &outputs->items[i], err);
    return result;
}

struct walk {
    struct results *results;
    const struct site *site;
    struct error *err;
    bool failed;
};

static void insert_unfinished(void *context, const struct lease *lease)
{
    struct walk *walk = context;

    if (!walk->failed && !lease_state_is_final(lease->state))
        walk->failed = insert_lease(walk->results, walk->site, lease, walk->err) < 0;
}

static int insert_setting(void *context, const char *name, const char *value)
{
    struct walk *walk = context;
    struct results_row row = results_row_begin(&walk->results->tables, INSERT_SETTING);

    results_row_text(&row, name);
    results_row_text(&row, value);
    return results_row_end(&row, walk->err);
}

static int insert_hosts(struct results *results, const struct site *site, struct error *err)
{
    for (size_t i = 0; i < site->n_hosts; i++) {
        struct results_row row = results_row_begin(&results->tables, INSERT_HOST);

        results_row_integer(&row, site->hosts[i].id);
        row_amounts(results, &row, &site->types, site->hosts[i].capacity.of);
        if (results_row_end(&row, err) < 0)
            return -1;
    }
    return 0;
}

static int insert_counter(struct results *results, enum accounting_counter counter,
                          struct error *err)
{
    const struct counter_entry *entries;
    size_t n = accounting_history(results->accounting, counter, &entries);

    for (size_t i = 0; i < n; i++) {
        struct results_row row = results_row_begin(&results->tables, INSERT_COUNTER);

        results_row_text(&row, accounting_counter_name(counter));
        results_row_integer(&row, (int64_t)i + 1);
        results_row_integer(&row, entries[i].time);
        results_row_optional(&row, entries[i].lease);
        results_row_real(&row, entries[i].value);
        results_row_real(&row, accounting_counter_has_average(counter) ? entries[i].average
                                                                       : __builtin_nan(""));
        if (results_row_end(&row, err) < 0)
            return -1;
    }
    return 0;
}

static void row_distribution(struct results_row *row, const struct distribution *distribution)
{
    results_row_real(row, distribution->mean);
    results_row_real(row, distribution->median);
    results_row_real(row, distribution->p95);
    results_row_real(row, distribution->p99);
    results_row_real(row, distribution->max);
}

static int insert_run(struct results *results, int64_t end_time, struct error *err)
{
    struct results_row row = results_row_begin(&results->tables, INSERT_RUN);
    struct accounting_summary figures;

    accounting_summarize(results->accounting, &figures);
    results_row_text(&row, results->name);
    results_row_text(&row,
                     results->ending == ENDING_COMPLETE ? "ok" : run_ending_name(results->ending));
    results_row_integer(&row, end_time);
    row_distribution(&row, &figures.service.waiting);
    row_distribution(&row, &figures.service.turnaround);
    row_distribution(&row, &figures.service.slowdown);
    row_distribution(&row, &figures.service.bounded_slowdown);
    results_row_real(&row, figures.service.users ? figures.service.fairness : __builtin_nan(""));
    results_row_real(&row, figures.haizea_slowdown_mean);
    results_row_real(&row, figures.utilization);
    results_row_real(&row, figures.queue_mean);
    for (int i = 0; i < 3; i++)
        results_row_integer(&row, figures.preemptions[i]);
    results_row_integer(&row, figures.suspensions);
    results_row_integer(&row, figures.resumptions);
    results_row_integer(&row, figures.migrations);
    results_row_integer(&row, figures.best_effort_end);
    results_row_integer(&row, figures.all_best_effort);
    results_row_integer(&row, figures.makespan);
    results_row_integer(&row, (int64_t)figures.attempts);
    results_row_integer(&row, (int64_t)figures.steps);
    return results_row_end(&row, err);
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct results *results = context;
    struct walk walk = {.results = results, .site = engine_site(engine), .err = err};

    engine_each_lease(engine, insert_unfinished, &walk);
    if (walk.failed || insert_hosts(results, walk.site, err) < 0 ||
        settings_each(&results->settings, insert_setting, &walk) < 0)
        return -1;
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++) {
        if (!(results->counters_left_out >> i & 1) &&
            insert_counter(results, (enum accounting_counter)i, err) < 0)
            return -1;
    }
    if (insert_run(results, end_time, err) < 0)
        return -1;
    return results_tables_commit(&results->tables, err);
}

struct observer results_observer(struct results *results)
{
    return (struct observer){.context = results, .step = step, .end = end};
}
