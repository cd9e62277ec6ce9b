/* Encodes requests and outputs: tables of their fields, and readers that check them. */
#include "planner/protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/planning.h"
#include "planner/wire_units.h"
#include "util/memory.h"

/* --- requests --------------------------------------------------------------------------------- */

static const struct wire_field request_fields[] = {
    WIRE_ANY(struct lease_request, id),
    WIRE_FIELD(struct lease_request, kind, LEASE_BEST_EFFORT, LEASE_DEADLINE),
    WIRE_ANY(struct lease_request, submit),
    WIRE_ANY(struct lease_request, start),
    WIRE_ANY(struct lease_request, deadline),
    WIRE_ANY(struct lease_request, duration_original),
    WIRE_ANY(struct lease_request, duration),
    WIRE_ANY(struct lease_request, duration_known),
    WIRE_ANY(struct lease_request, user),
    WIRE_ANY(struct lease_request, group),
    WIRE_ANY(struct lease_request, image_size),
};

const struct wire_field fact_adoption_fields[] = {
    WIRE_FIELD(struct fact_adoption, adoption.as, ADOPTED_RUNNING, ADOPTED_ENDING),
    WIRE_ANY(struct fact_adoption, adoption.since),
    WIRE_ANY(struct fact_adoption, adoption.until),
    WIRE_ANY(struct fact_adoption, adoption.suspend_at),
    WIRE_ANY(struct fact_adoption, adoption.resume_at),
    WIRE_ANY(struct fact_adoption, adoption.leave_by),
    WIRE_ANY(struct fact_adoption, adoption.only_wanted),
    WIRE_ANY(struct fact_adoption, adoption.makes_room),
    WIRE_ANY(struct fact_adoption, adoption.leave_for),
    WIRE_ANY(struct fact_adoption, adoption.accumulated),
    WIRE_ANY(struct fact_adoption, adoption.not_before),
    WIRE_ANY(struct fact_adoption, has_places),
    WIRE_FIELD(struct fact_adoption, alternative, ALTERNATIVE_NONE, ALTERNATIVE_LATER),
    WIRE_ANY(struct fact_adoption, start),
    WIRE_ANY(struct fact_adoption, duration),
};
const size_t n_fact_adoption_fields = WIRE_TABLE_SIZE(fact_adoption_fields);

static void put_terms(struct wire_writer *writer, const struct term_values *values)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (lease_terms[i].type == TERM_TEXT)
            wire_put_text(writer, term_word(&lease_terms[i], values));
        else
            wire_put(writer, term_number(&lease_terms[i], values));
}

static void get_term(struct wire_reader *reader, const struct lease_term *term,
                     struct term_values *values)
{
    char expected[TERM_EXPECTED_MAX];
    int64_t words = 0;
    const char *text;

    switch (term->type) {
    case TERM_TEXT:
        text = wire_get_text(reader, TERM_TEXT_MAX - 1);
        reader->failed |= !text || term_read(term, text, values, expected) < 0;
        break;
    case TERM_WORD:
        while (term->words[words])
            words++;
        term_set_number(term, values, wire_get(reader, 0, words - 1));
        break;
    case TERM_FLAG:
        term_set_number(term, values, wire_get(reader, 0, 1));
        break;
    case TERM_NUMBER:
        term_set_number(term, values, wire_get(reader, INT32_MIN, INT32_MAX));
        break;
    }
}

struct lease_request block_request(int64_t id, int64_t now, struct node_set *nodes)
{
    return (struct lease_request){.id = id,
                                  .kind = LEASE_BEST_EFFORT,
                                  .submit = now,
                                  .start = INSTANT_NONE,
                                  .deadline = INSTANT_NONE,
                                  .duration = SPAN_UNLIMITED,
                                  .duration_original = SPAN_UNLIMITED,
                                  .duration_known = SPAN_NONE,
                                  .terms = TERMS_NON_PREEMPTABLE,
                                  .user = -1,
                                  .node_sets = nodes,
                                  .n_node_sets = 1};
}

void wire_put_request(struct wire_writer *writer, const struct lease_request *request,
                      const struct set_numbers *numbers)
{
    wire_put_fields(writer, request_fields, WIRE_TABLE_SIZE(request_fields), request);
    put_terms(writer, &request->term_values);
    wire_put_text(writer, request->image);
    wire_put_text(writer, request->user_name);
    wire_put_text(writer, request->group_name);
    wire_put(writer, (int64_t)request->n_node_sets);
    for (size_t i = 0; i < request->n_node_sets; i++) {
        wire_put(writer, request->node_sets[i].count);
        wire_put(writer, numbers ? numbers[i].filter : -1);
        wire_put(writer, numbers ? numbers[i].demand : -1);
        wire_put_amounts(writer, &request->node_sets[i].amounts);
    }
}

void wire_get_request(struct wire_reader *reader, struct lease_request *request,
                      struct node_set **sets, const struct set_objects *objects)
{
    static const struct set_objects none = {0};

    if (!objects)
        objects = &none;
    *request = (struct lease_request){0};
    wire_get_fields(reader, request_fields, WIRE_TABLE_SIZE(request_fields), request);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        get_term(reader, &lease_terms[i], &request->term_values);
    request->image = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    request->user_name = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    request->group_name = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    request->n_node_sets = wire_get_count(reader, 4);
    *sets = memory_new(request->n_node_sets, sizeof **sets);
    request->node_sets = *sets;
    for (size_t i = 0; i < request->n_node_sets; i++) {
        struct node_set *set = &(*sets)[i];
        int64_t filter, demand;

        set->count = (uint32_t)wire_get(reader, 1, UINT32_MAX);
        filter = wire_get(reader, -1, (int64_t)objects->n_filters - 1);
        demand = wire_get(reader, -1, (int64_t)objects->n_demands - 1);
        set->hosts = filter < 0 ? NULL : objects->filters[filter];
        set->demand = demand < 0 ? NULL : objects->demands[demand];
        wire_get_amounts(reader, &set->amounts);
    }
}

/* --- setup ------------------------------------------------------------------------------------ */

const char *protocol_version(void)
{
    static char text[64];

    snprintf(text, sizeof text, "%s (layout %zu.%zu)", GALERNA_VERSION,
             sizeof(struct engine_settings), sizeof(struct call_page));
    return text;
}

void wire_put_setup(struct wire_writer *writer, const struct policy_host_settings *settings)
{
    wire_put(writer, (int64_t)settings->n_modules);
    for (size_t i = 0; i < settings->n_modules; i++) {
        const struct policy_module *module = &settings->modules[i];

        wire_put(writer, module->kind);
        wire_put_text(writer, module->name);
        wire_put_text(writer, module->file);
        wire_put(writer, module->weight);
        wire_put_text(writer, module->outage);
    }
    wire_put(writer, (int64_t)settings->n_options);
    for (size_t i = 0; i < settings->n_options; i++) {
        const struct policy_option *option = &settings->options[i];

        wire_put_text(writer, option->module);
        wire_put_text(writer, option->key);
        wire_put_text(writer, option->value);
        wire_put_text(writer, option->file);
        wire_put(writer, option->line);
    }
    wire_put(writer, settings->haizea_compatible);
    wire_put(writer, (int64_t)settings->seed);
    wire_put(writer, settings->faults_allowed);
    wire_put(writer, settings->slow_call);
}

static const char *get_long_text(struct wire_reader *reader)
{
    return wire_get_text(reader, 1 << 20);
}

void wire_get_setup(struct wire_reader *reader, struct policy_host_settings *settings)
{
    struct policy_module *modules;
    struct policy_option *options;

    settings->n_modules = wire_get_count(reader, 5);
    settings->modules = modules = memory_new(settings->n_modules, sizeof *modules);
    for (size_t i = 0; i < settings->n_modules; i++) {
        modules[i].kind = (enum policy_kind)wire_get(reader, POLICY_ADMISSION, POLICY_KINDS - 1);
        modules[i].name = get_long_text(reader);
        modules[i].file = get_long_text(reader);
        modules[i].weight = (unsigned)wire_get(reader, 0, UINT16_MAX);
        modules[i].outage = get_long_text(reader);
    }
    settings->n_options = wire_get_count(reader, 5);
    settings->options = options = memory_new(settings->n_options, sizeof *options);
    for (size_t i = 0; i < settings->n_options; i++)
        options[i] = (struct policy_option){.module = get_long_text(reader),
                                            .key = get_long_text(reader),
                                            .value = get_long_text(reader),
                                            .file = get_long_text(reader),
                                            .line = (int)wire_get(reader, 0, INT32_MAX)};
    settings->haizea_compatible = wire_get_bool(reader);
    settings->seed = (uint64_t)wire_get(reader, INT64_MIN, INT64_MAX);
    settings->faults_allowed = (unsigned)wire_get(reader, 0, INT32_MAX);
    settings->slow_call = wire_get(reader, 0, INT64_MAX);
}

/* --- decisions -------------------------------------------------------------------------------- */

static int64_t get_number(struct wire_reader *reader)
{
    int64_t number = wire_get(reader, INT64_MIN, INT64_MAX);

    wire_check_number(reader, number);
    return reader->failed ? 0 : number;
}

/* A drain that holds a host, or another block of the plan, has an internal number: -1 is sent. */
static int64_t number_of(const struct reason *reason, size_t i)
{
    bool names_lease = reason->id == REASON_ROOM_RESERVED || reason->id == REASON_PLANNED ||
                       (reason->id == REASON_NO_ROOM_AT_ONCE && reason->n[3]);

    return names_lease && i == 1 && reason->n[i] >= BLOCK_BASE ? -1 : reason->n[i];
}

void wire_put_reason(struct wire_writer *writer, const struct reason *reason)
{
    wire_put(writer, reason->id);
    for (size_t i = 0; i < 4; i++)
        wire_put(writer, number_of(reason, i));
    wire_put_text(writer, reason->text);
    wire_put_text(writer, reason->word);
}

static void get_reason(struct wire_reader *reader, struct reason *reason)
{
    reason->id = (enum reason_id)wire_get(reader, REASON_NONE, REASONS - 1);
    for (size_t i = 0; i < 4; i++)
        reason->n[i] = get_number(reader);
    reason->text = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    reason->word = wire_get_text(reader, 64);
}

static void wire_put_reservation(struct wire_writer *writer, const struct reservation *r,
                                 const uint32_t *host_of)
{
    const struct placement *placement = r ? r->placement : NULL;

    wire_put(writer, r != NULL);
    if (!r)
        return;
    wire_put(writer, r->kind);
    wire_put(writer, r->from);
    wire_put(writer, r->until);
    wire_put(writer, placement ? placement->n_vms : 0);
    for (uint32_t i = 0; placement && i < placement->n_vms; i++) {
        wire_put(writer, placement->vms[i].vm);
        wire_put(writer, host_of[placement->vms[i].host]);
    }
}

/* The array of placed VMs may move while it grows: point_to_placed() sets `vms` in the end. */
static void get_reservation(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply,
                            struct plan_reservation *r)
{
    *r = (struct plan_reservation){.there = wire_get_bool(reader)};
    if (!r->there)
        return;
    r->kind = (enum reservation_kind)wire_get(reader, 0, RESERVATION_KINDS - 1);
    r->from = get_number(reader);
    r->until = get_number(reader);
    r->n_vms = wire_get_count(reader, 2);
    MEMORY_GROW(reply->placed, reply->placed_allocated, reply->n_placed + r->n_vms);
    for (size_t i = 0; i < r->n_vms; i++)
        reply->placed[reply->n_placed++] =
            (struct placed){.vm = (uint32_t)wire_get(reader, 0, UINT32_MAX),
                            .host = (uint32_t)wire_get(reader, 0, (int64_t)n_hosts - 1)};
}

/* The planned run of a lease that does not run yet; NULL: none. */
static const struct reservation *lease_planned_stretch(const struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == RESERVATION_SCHEDULED)
            return lease->reservations[i];
    return NULL;
}

static const struct reservation *what_is_told(const struct engine_output *output)
{
    const struct reservation *r = output->reservation, *stretch = NULL;

    if (output->kind == OUTPUT_OPERATION_STARTED && r->kind == RESERVATION_RESUME)
        stretch = lease_planned_stretch(r->lease);
    return stretch ? stretch : r;
}

static bool is_about_run(const struct engine_output *output)
{
    return output->kind == OUTPUT_OPERATION_STARTED || output->kind == OUTPUT_VM_INTERVAL;
}

/* When the suspension planned after the run ends; INSTANT_NONE: the lease runs to its end, or is
 * planned anew. */
static int64_t suspended_by(const struct engine_output *output)
{
    const struct vm_plan *plan = lease_plan_current(output->lease);

    if (!plan || !plan->after.n || plan->after.items[0]->kind != RESERVATION_SUSPEND ||
        (plan->vm != output->reservation && output->reservation->kind != RESERVATION_RESUME))
        return INSTANT_NONE;
    return vm_plan_end(plan);
}

void wire_put_output(struct wire_writer *writer, const struct engine_output *output,
                     const uint32_t *host_of)
{
    wire_put(writer, output->kind);
    wire_put(writer, output->lease->request.id);
    wire_put(writer, output->lease->state);
    wire_put(writer, output->accepted);
    wire_put(writer, output->other);
    wire_put(writer, is_about_run(output) ? suspended_by(output) : output->at);
    wire_put(writer, output->how);
    wire_put_reason(writer, &output->lease->reason);
    wire_put_reservation(writer, what_is_told(output), host_of);
}

static void get_output(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply,
                       struct plan_output *output)
{
    output->kind = (enum engine_output_kind)wire_get(reader, 0, OUTPUT_CONVERTED);
    output->lease = wire_get(reader, 0, INT64_MAX);
    output->state = (enum lease_state)wire_get(reader, 0, LEASE_STATES - 1);
    output->accepted = wire_get_bool(reader);
    output->other = get_number(reader);
    output->at = get_number(reader);
    output->how = (enum preemption_how)wire_get(reader, PREEMPTED_SUSPEND, PREEMPTED_CANCEL);
    get_reason(reader, &output->reason);
    get_reservation(reader, n_hosts, reply, &output->reservation);
    if ((output->kind == OUTPUT_OPERATION_STARTED || output->kind == OUTPUT_VM_INTERVAL) &&
        !output->reservation.there)
        reader->failed = true;
}

static int64_t first_start(const struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM)
            return lease->reservations[i]->from;
    return INSTANT_NONE;
}

static int64_t planned_begin(const struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if ((r->kind == RESERVATION_RESUME || r->kind == RESERVATION_VM) &&
            r->state == RESERVATION_SCHEDULED)
            return r->from;
    }
    return INSTANT_NONE;
}

void wire_put_view(struct wire_writer *writer, const struct lease *lease, const uint32_t *host_of)
{
    wire_put(writer, lease->request.id);
    wire_put(writer, lease->state);
    wire_put_reason(writer, &lease->reason);
    wire_put(writer, first_start(lease));
    wire_put(writer, planned_begin(lease));
    wire_put_reservation(writer, lease_planned_stretch(lease), host_of);
}

static void get_view(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply,
                     struct lease_view *view)
{
    view->lease = wire_get(reader, 0, INT64_MAX);
    view->state = (enum lease_state)wire_get(reader, 0, LEASE_STATES - 1);
    get_reason(reader, &view->reason);
    view->start = get_number(reader);
    view->begin = get_number(reader);
    get_reservation(reader, n_hosts, reply, &view->stretch);
}

void plan_reply_finish(struct plan_reply *reply)
{
    free(reply->exceptions);
    free(reply->relocations);
    free(reply->outputs);
    free(reply->views);
    free(reply->placed);
    free(reply->trace);
    *reply = (struct plan_reply){0};
}

/* Assigns the placed VMs to their reservations, in the order of reading. */
static void point_to_placed(struct plan_reply *reply)
{
    const struct placed *next = reply->placed;

    if (!next) /* no reservation has VMs */
        return;
    for (size_t i = 0; i < reply->n_outputs; i++) {
        reply->outputs[i].reservation.vms = next;
        next += reply->outputs[i].reservation.n_vms;
    }
    for (size_t i = 0; i < reply->n_views; i++) {
        reply->views[i].stretch.vms = next;
        next += reply->views[i].stretch.n_vms;
    }
}

enum {
    EXCEPTION_LEAST = 9, /* bytes of each, encoded */
    RELOCATION_LEAST = 3,
    OUTPUT_LEAST = 15,
    VIEW_LEAST = 12,
};

static void get_exceptions(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply)
{
    reply->n_exceptions = wire_get_count(reader, EXCEPTION_LEAST);
    reply->exceptions = memory_new(reply->n_exceptions, sizeof *reply->exceptions);
    for (size_t i = 0; i < reply->n_exceptions; i++) {
        reply->exceptions[i].lease = wire_get(reader, 0, INT64_MAX);
        reply->exceptions[i].no_place = wire_get_bool(reader);
        get_reason(reader, &reply->exceptions[i].reason);
    }
    reply->n_relocations = wire_get_count(reader, RELOCATION_LEAST);
    reply->relocations = memory_new(reply->n_relocations, sizeof *reply->relocations);
    for (size_t i = 0; i < reply->n_relocations; i++) {
        int64_t place;

        reply->relocations[i].lease = wire_get(reader, 0, INT64_MAX);
        reply->relocations[i].vm = (uint32_t)wire_get(reader, 0, UINT32_MAX);
        place = wire_get(reader, -1, (int64_t)n_hosts - 1);
        reply->relocations[i].place = place < 0 ? HOST_NONE : (uint32_t)place;
    }
}

bool wire_get_plan_reply(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply)
{
    const char *error = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    *reply = (struct plan_reply){0};
    if (error)
        memcpy(reply->error, error, strlen(error) + 1);
    reply->failed_step = (int32_t)wire_get(reader, -1, INT32_MAX);
    get_exceptions(reader, n_hosts, reply);
    reply->n_outputs = wire_get_count(reader, OUTPUT_LEAST);
    reply->outputs = memory_new(reply->n_outputs, sizeof *reply->outputs);
    for (size_t i = 0; i < reply->n_outputs; i++)
        get_output(reader, n_hosts, reply, &reply->outputs[i]);
    reply->n_views = wire_get_count(reader, VIEW_LEAST);
    reply->views = memory_new(reply->n_views, sizeof *reply->views);
    for (size_t i = 0; i < reply->n_views; i++)
        get_view(reader, n_hosts, reply, &reply->views[i]);
    reply->next_time = get_number(reader);
    reply->stamp = (uint64_t)wire_get(reader, INT64_MIN, INT64_MAX);
    reply->probable = get_number(reader);
    if (wire_get_bool(reader))
        reply->trace = wire_get_trace(reader, n_hosts);
    point_to_placed(reply);
    return wire_is_at_end(reader);
}

/* --- other answers ---------------------------------------------------------------------------- */

bool wire_get_forecast(struct wire_reader *reader, struct forecast_reply *reply)
{
    reply->n = wire_get_count(reader, 2);
    reply->starts = memory_new(reply->n, sizeof *reply->starts);
    for (size_t i = 0; i < reply->n; i++) {
        reply->starts[i].lease = wire_get(reader, 0, INT64_MAX);
        reply->starts[i].start = get_number(reader);
    }
    reply->left_out = (uint64_t)wire_get(reader, 0, INT64_MAX);
    reply->cpu_us = wire_get(reader, 0, WIRE_NUMBER_MAX);
    return wire_is_at_end(reader);
}

static const struct wire_field operation_fields[] = {
    WIRE_FIELD(struct planned_operation, lease, -1, INT64_MAX),
    WIRE_FIELD(struct planned_operation, vm, -1, INT32_MAX),
    WIRE_FIELD(struct planned_operation, kind, 0, RESERVATION_KINDS - 1),
    WIRE_ANY(struct planned_operation, from),
    WIRE_ANY(struct planned_operation, until),
    WIRE_ANY(struct planned_operation, planned),
    WIRE_ANY(struct planned_operation, held),
    WIRE_FIELD(struct planned_operation, cpu, 0, WIRE_NUMBER_MAX),
    WIRE_FIELD(struct planned_operation, memory, 0, WIRE_NUMBER_MAX),
};

void wire_put_operation(struct wire_writer *writer, const struct planned_operation *operation)
{
    wire_put_fields(writer, operation_fields, WIRE_TABLE_SIZE(operation_fields), operation);
}

bool wire_get_operations(struct wire_reader *reader, struct planned_operation **operations,
                         size_t *n)
{
    *n = wire_get_count(reader, WIRE_TABLE_SIZE(operation_fields));
    *operations = memory_new(*n, sizeof **operations);
    for (size_t i = 0; i < *n; i++) {
        struct planned_operation *operation = &(*operations)[i];

        wire_get_fields(reader, operation_fields, WIRE_TABLE_SIZE(operation_fields), operation);
        wire_check_number(reader, operation->from);
        wire_check_number(reader, operation->until);
    }
    return wire_is_at_end(reader);
}
