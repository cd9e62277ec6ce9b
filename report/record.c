/* Writes the whole schedule of a run as one JSON document. */
#include "report/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/lease_plan.h"
#include "report/record_lease.h"
#include "report/record_settings.h"
#include "report/running.h"
#include "util/json_writer.h"
#include "util/memory.h"

enum { RECORD_VERSION = 4 };

/* The position of a lease's texts: first Haizea's keys, then Galerna's. */
struct lease_place {
    int64_t id;
    int64_t offset;
    uint32_t length, extras_length;
};

struct record {
    struct output *out;
    struct output *leases, *state_log, *preemptions, *lease_stats, *withdrawn; /* spools */
    struct output *preempted_for, *booked, *planned, *requests;
    struct amounts_text *amounts;
    struct running *running;
    struct lease_place *places;
    size_t n_places, places_allocated;
    const struct configuration *configuration;
    const struct accounting *accounting;
    enum run_ending ending;
    uint64_t steps;
};

static void create_spools(struct record *record, const char *path)
{
    struct output **spools[] = {&record->leases,      &record->state_log, &record->preemptions,
                                &record->lease_stats, &record->withdrawn, &record->preempted_for,
                                &record->booked,      &record->planned,   &record->requests};

    for (size_t i = 0; i < sizeof spools / sizeof spools[0]; i++)
        *spools[i] = output_create_spool(path);
}

struct record *record_create(const struct record_options *options, struct error *err)
{
    struct record *record = memory_new(1, sizeof *record);

    record->configuration = options->configuration;
    record->accounting = options->accounting;
    create_spools(record, options->path);
    record->amounts = amounts_text_create();
    record->running = running_create();
    record->out = output_create(options->path, err);
    if (record->out)
        return record;
    record_destroy(record);
    return NULL;
}

void record_destroy(struct record *record)
{
    int saved = errno;

    if (!record)
        return;
    output_destroy(record->out);
    output_destroy(record->leases);
    output_destroy(record->state_log);
    output_destroy(record->preemptions);
    output_destroy(record->lease_stats);
    output_destroy(record->withdrawn);
    output_destroy(record->preempted_for);
    output_destroy(record->booked);
    output_destroy(record->planned);
    output_destroy(record->requests);
    amounts_text_destroy(record->amounts);
    running_destroy(record->running);
    free(record->places);
    free(record);
    errno = saved;
}

void record_set_ending(struct record *record, enum run_ending ending, uint64_t steps)
{
    record->ending = ending;
    record->steps = steps;
}

static bool is_left_out(const struct record *record, enum accounting_counter counter)
{
    return record->configuration->counters_left_out >> counter & 1;
}

/* Writes the comma between the entries of a spooled list. */
static void separate(struct output *spool)
{
    if (output_position(spool) > 0)
        output_char(spool, ',');
}

void record_note_request(struct record *record, const struct site *site,
                         const struct lease_request *request, int64_t stop)
{
    separate(record->requests);
    record_request(record->requests, record->amounts, site, request, stop);
}

/* Begins an entry of a spooled list: "[time, lease". */
static void begin_entry(struct output *list, const struct engine_output *output)
{
    separate(list);
    output_char(list, '[');
    output_integer(list, output->time);
    output_char(list, ',');
    output_integer(list, output->lease->request.id);
}

static void note_state(struct record *record, const struct engine_output *output)
{
    struct output *log = record->state_log;

    begin_entry(log, output);
    output_text(log, ",\"");
    output_text(log, lease_state_name(output->from));
    output_text(log, "\",\"");
    output_text(log, lease_state_name(output->to));
    output_text(log, "\"]");
}

static void note_preemption(struct record *record, const struct engine_output *output)
{
    static const char *const words[] = {
        [PREEMPTED_SUSPEND] = "suspend",
        [PREEMPTED_REQUEUE] = "cancel+requeue",
        [PREEMPTED_CANCEL] = "cancel",
    };
    struct output *list = record->preemptions;

    begin_entry(list, output);
    output_char(list, ',');
    output_integer(list, output->at);
    output_text(list, ",\"");
    output_text(list, words[output->how]);
    output_text(list, "\"]");
    separate(record->preempted_for);
    output_integer(record->preempted_for, output->other);
}

static void note_interval(struct output *list, const struct engine_output *output, int64_t from,
                          int64_t until)
{
    begin_entry(list, output);
    output_char(list, ',');
    output_integer(list, from);
    output_char(list, ',');
    record_optional(list, until);
    output_char(list, ']');
}

/* Notes the planned run of a lease that was scheduled or preempted, at the end of the step. */
static void note_booked(struct record *record, const struct engine_output *output)
{
    const struct vm_plan *plan = lease_plan_current(output->lease);

    if (plan && plan->vm->state == RESERVATION_SCHEDULED)
        note_interval(record->booked, output, plan->vm->from, plan->vm->until);
}

static void note_withdrawn(struct record *record, const struct site *site,
                           const struct begun_run *lost, int64_t until)
{
    struct output *list = record->withdrawn;

    separate(list);
    output_char(list, '[');
    output_integer(list, lost->lease);
    output_char(list, ',');
    output_integer(list, lost->from);
    output_char(list, ',');
    output_integer(list, until);
    output_text(list, ",[");
    for (uint32_t i = 0; i < lost->placement->n_hosts; i++) {
        if (i > 0)
            output_char(list, ',');
        output_integer(list, record_host_id(site, lost->placement->hosts[i]));
    }
    output_text(list, "]]");
}

static void note_lease_stats(struct record *record, const struct lease *lease)
{
    struct output *list = record->lease_stats;

    separate(list);
    output_char(list, '"');
    output_integer(list, lease->request.id);
    output_text(list, "\":{\"Slowdown\":");
    output_double(list, accounting_haizea_slowdown(lease));
    output_text(list, ",\"Waiting time\":");
    record_optional(list, accounting_waiting_time(lease));
    output_char(list, '}');
}

static void note_lease(struct record *record, const struct site *site, const struct lease *lease)
{
    int64_t offset = output_position(record->leases);
    int64_t middle;

    MEMORY_GROW(record->places, record->places_allocated, record->n_places + 1);
    record_lease(record->leases, record->amounts, site, lease);
    middle = output_position(record->leases);
    record_lease_extras(record->leases, lease);
    record->places[record->n_places++] = (struct lease_place){
        .id = lease->request.id,
        .offset = offset,
        .length = (uint32_t)(middle - offset),
        .extras_length = (uint32_t)(output_position(record->leases) - middle),
    };
    if (lease->state == LEASE_DONE && lease->request.kind == LEASE_BEST_EFFORT &&
        !is_left_out(record, COUNTER_BEST_EFFORT_COMPLETED))
        note_lease_stats(record, lease);
}

static void note_output(struct record *record, const struct site *site,
                        const struct engine_output *output)
{
    struct begun_run lost;

    if (running_note(record->running, output, &lost)) {
        note_withdrawn(record, site, &lost, output->time);
        placement_destroy(lost.placement);
    }
    if (output->kind == OUTPUT_PREEMPTED ||
        (output->kind == OUTPUT_STATE &&
         (output->to == LEASE_SCHEDULED || output->to == LEASE_SUSPENDED_SCHEDULED)))
        note_booked(record, output);
    if (output->kind == OUTPUT_STATE)
        note_state(record, output);
    else if (output->kind == OUTPUT_PREEMPTED)
        note_preemption(record, output);
    else if (output->kind == OUTPUT_VM_INTERVAL)
        note_interval(record->planned, output, output->reservation->from, output->at);
    else if (output->kind == OUTPUT_FINISHED)
        note_lease(record, site, output->lease);
}

static int check_outputs(const struct record *record, struct error *err)
{
    const struct output *outputs[] = {record->leases,      record->state_log, record->preemptions,
                                      record->lease_stats, record->withdrawn, record->preempted_for,
                                      record->booked,      record->planned,   record->requests};

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        if (output_check(outputs[i], err) < 0)
            return -1;
    }
    return 0;
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct record *record = context;
    const struct site *site = engine_site(engine);

    (void)now;
    for (size_t i = 0; i < outputs->n_items; i++)
        note_output(record, site, &outputs->items[i]);
    return check_outputs(record, err);
}

struct unfinished {
    struct record *record;
    const struct site *site;
};

static void note_unfinished(void *context, const struct lease *lease)
{
    struct unfinished *walk = context;

    if (!lease_state_is_final(lease->state))
        note_lease(walk->record, walk->site, lease);
}

static int compare_places(const void *a, const void *b)
{
    const struct lease_place *x = a;
    const struct lease_place *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void write_site(struct record *record, struct json_writer *json, const struct site *site)
{
    json_open_object(json, "site");
    for (size_t i = 0; i < site->n_hosts; i++) {
        json_write_key_integer(json, site->hosts[i].id);
        json_write_raw(json);
        record_amounts(json->out, record->amounts, site, site->hosts[i].capacity.of, UINT32_MAX);
    }
    json_end_object(json);
}

static void write_spool(struct json_writer *json, const char *key, struct output *spool,
                        const char *brackets)
{
    json_write_key(json, key);
    json_write_raw(json);
    output_char(json->out, brackets[0]);
    output_copy(json->out, spool, 0, output_position(spool));
    output_char(json->out, brackets[1]);
}

static void write_leases(struct record *record, struct json_writer *json, bool extras)
{
    json_open_array(json, "leases");
    for (size_t i = 0; i < record->n_places; i++) {
        const struct lease_place *place = &record->places[i];

        json_write_raw(json);
        if (extras)
            output_copy(json->out, record->leases, place->offset + place->length,
                        place->extras_length);
        else
            output_copy(json->out, record->leases, place->offset, place->length);
    }
    json_end_array(json);
}

static void write_counter(struct output *out, const struct accounting *accounting,
                          enum accounting_counter counter)
{
    bool average = accounting_counter_has_average(counter);
    const struct counter_entry *entries;
    size_t n = accounting_history(accounting, counter, &entries);

    output_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        output_text(out, i == 0 ? "[" : ",[");
        output_integer(out, entries[i].time);
        output_char(out, ',');
        record_optional(out, entries[i].lease);
        output_char(out, ',');
        output_double(out, entries[i].value);
        output_char(out, ',');
        output_double(out, average ? entries[i].average : NAN);
        output_char(out, ']');
    }
    output_char(out, ']');
}

static void write_counters(const struct record *record, struct json_writer *json)
{
    json_open_object(json, "counters");
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++) {
        if (is_left_out(record, (enum accounting_counter)i))
            continue;
        json_write_key(json, accounting_counter_name((enum accounting_counter)i));
        json_write_raw(json);
        write_counter(json->out, record->accounting, (enum accounting_counter)i);
    }
    json_end_object(json);
}

static void write_stats(const struct record *record, struct json_writer *json,
                        const struct accounting_summary *summary)
{
    static const char *const names[] = {
        [COUNTER_ACCEPTED_RESERVATIONS] = "Total accepted AR",
        [COUNTER_REJECTED_RESERVATIONS] = "Total rejected AR",
        [COUNTER_ACCEPTED_IMMEDIATE] = "Total accepted Immediate",
        [COUNTER_REJECTED_IMMEDIATE] = "Total rejected Immediate",
        [COUNTER_BEST_EFFORT_COMPLETED] = "Total best-effort completed",
    };

    json_open_object(json, "stats");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_left_out(record, (enum accounting_counter)i))
            continue;
        json_put_integer(json, names[i], summary->totals[i]);
    }
    if (!is_left_out(record, COUNTER_BEST_EFFORT_COMPLETED)) {
        json_put_integer(json, "all-best-effort", summary->all_best_effort);
    }
    json_end_object(json);
}

static void write_hosts(struct record *record, struct json_writer *json, const struct site *site)
{
    json_open_array(json, "hosts");
    for (size_t i = 0; i < site->n_hosts; i++) {
        json_begin_object(json);
        json_put_integer(json, "id", site->hosts[i].id);
        json_write_key(json, "capacity");
        json_write_raw(json);
        record_amounts(json->out, record->amounts, site, site->hosts[i].capacity.of, UINT32_MAX);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_galerna(struct record *record, struct json_writer *json, const struct site *site)
{
    const struct run_inputs inputs = {.configuration = record->configuration,
                                      .site = site,
                                      .requests = record->requests,
                                      .steps = record->steps};

    json_open_object(json, "galerna");
    json_put_string(json, "schema", "galerna-record");
    json_put_integer(json, "version", RECORD_VERSION);
    json_put_string(json, "ending", run_ending_name(record->ending));
    record_inputs(json, &inputs);
    record_settings(json, &record->configuration->settings);
    write_hosts(record, json, site);
    write_leases(record, json, true);
    write_spool(json, "withdrawn", record->withdrawn, "[]");
    write_spool(json, "preempted_for", record->preempted_for, "[]");
    write_spool(json, "booked", record->booked, "[]");
    write_spool(json, "planned", record->planned, "[]");
    json_end_object(json);
}

static void write_document(struct record *record, const struct site *site, int64_t end_time)
{
    struct accounting_summary summary;
    struct json_writer json;

    accounting_totals(record->accounting, &summary);
    json_writer_init(&json, record->out);
    json_begin_object(&json);
    json_put_string(&json, "status", record->ending == ENDING_INTERRUPTED ? "interrupted" : "ok");
    json_put_integer(&json, "end_time", end_time);
    write_site(record, &json, site);
    write_leases(record, &json, false);
    write_spool(&json, "state_log", record->state_log, "[]");
    write_spool(&json, "preemptions", record->preemptions, "[]");
    write_counters(record, &json);
    write_spool(&json, "lease_stats", record->lease_stats, "{}");
    write_stats(record, &json, &summary);
    write_galerna(record, &json, site);
    json_end_object(&json);
    output_char(record->out, '\n');
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct record *record = context;
    const struct site *site = engine_site(engine);
    struct unfinished walk = {.record = record, .site = site};
    struct output *out = record->out;

    engine_each_lease(engine, note_unfinished, &walk);
    if (check_outputs(record, err) < 0)
        return -1;
    if (record->n_places > 0)
        qsort(record->places, record->n_places, sizeof *record->places, compare_places);
    write_document(record, site, end_time);
    record->out = NULL;
    return output_close(out, err);
}

struct observer record_observer(struct record *record)
{
    return (struct observer){.context = record, .step = step, .end = end};
}
