/* Answers galernad's requests: plans, trials, forecasts, operations planned on a host. */
#include "planner/planning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/forecast.h"
#include "core/lease_plan.h"
#include "planner/host_attributes.h"
#include "planner/host_operations.h"
#include "planner/plan.h"
#include "planner/tracer.h"
#include "util/clock.h"
#include "util/memory.h"

enum { TURN_WORK = 400 * 1000 /* change points: a millisecond or two */ };

struct planning {
    struct policy_host *policies; /* NULL: none */
    const struct policy_hooks *hooks;
    struct plan live;
    struct operation_index operations; /* of the live plan */
    struct plan *current;              /* the plan for modules' queries: the live one, or a
                                          trial's */
    struct engine_outputs outputs;
    unsigned char *frame; /* the frame being answered; NULL: something else keeps it */

    struct host_attributes *attributes; /* for modules; NULL: none have arrived */

    struct forecast *forecast; /* in progress; NULL: none */
    int64_t forecast_us;       /* CPU time so far */
    struct plan forecast_of;   /* the plan of the forecast, which reads its demands, after
                                  another plan has replaced it */
    bool is_replaced;
};

static void end_forecast(struct planning *planning)
{
    forecast_destroy(planning->forecast);
    planning->forecast = NULL;
    plan_finish(&planning->forecast_of);
    planning->is_replaced = false;
}

/* Drops the plan, except objects that a forecast still reads. */
static void drop_plan(struct planning *planning, struct plan *plan)
{
    if (planning->forecast && plan == &planning->live && !planning->is_replaced) {
        planning->is_replaced = true;
        planning->forecast_of = *plan;
        *plan = (struct plan){0};
    }
    operations_forget(&planning->operations);
    plan_finish(plan);
}

/* --- queries of modules ----------------------------------------------------------------------- */

static int64_t now_there(void *context)
{
    const struct planning *planning = context;

    return planning->current->engine ? engine_now(planning->current->engine) : time(NULL);
}

static bool free_at(void *context, uint32_t place, int64_t at, int64_t *amounts)
{
    const struct engine *engine = ((const struct planning *)context)->current->engine;
    const struct site *site = engine ? engine_site(engine) : NULL;

    if (!site || place >= site->n_hosts)
        return false;
    if (at < engine_now(engine))
        at = engine_now(engine);
    memset(amounts, 0, RESOURCE_TYPES_MAX * sizeof *amounts);
    for (int type = 0; type < site->types.count; type++)
        amounts[type] = engine_free(engine, place, type, at);
    return true;
}

static const char *host_attribute(void *context, uint32_t place, const char *name)
{
    const struct planning *planning = context;

    return host_attributes_find(planning->attributes, plan_host_of(planning->current, place), name);
}

static void each_lease(void *context, void (*visit)(void *, const struct lease *), void *visitor)
{
    const struct planning *planning = context;

    if (planning->current->engine)
        engine_each_lease(planning->current->engine, visit, visitor);
}

struct planning *planning_create(struct policy_host *policies, const struct policy_hooks *hooks)
{
    struct planning *planning = memory_new(1, sizeof *planning);
    const struct policy_world world = {.context = planning,
                                       .now = now_there,
                                       .free_at = free_at,
                                       .host_attribute = host_attribute,
                                       .each_lease = each_lease,
                                       .clock = POLICY_CLOCK_ZONE};

    planning->policies = policies;
    planning->hooks = policies ? policy_host_hooks(policies) : hooks;
    planning->current = &planning->live;
    engine_outputs_init(&planning->outputs);
    if (policies)
        policy_host_set_world(policies, &world);
    return planning;
}

void planning_destroy(struct planning *planning)
{
    if (!planning)
        return;
    if (planning->policies)
        policy_host_set_site(planning->policies, NULL);
    end_forecast(planning);
    operations_forget(&planning->operations);
    plan_finish(&planning->live);
    engine_outputs_finish(&planning->outputs);
    host_attributes_destroy(planning->attributes);
    free(planning);
}

/* --- facts ------------------------------------------------------------------------------------ */

static uint32_t count_vms(const struct lease_request *request)
{
    uint32_t n = 0;

    for (size_t i = 0; i < request->n_node_sets; i++)
        n += request->node_sets[i].count;
    return n;
}

/* Reads events of leases since the last plan, or before this process was started. */
static void read_events(struct planning *planning, struct wire_reader *reader)
{
    size_t n = wire_get_count(reader, 8);

    for (size_t i = 0; i < n && !reader->failed; i++) {
        struct policy_event event = {
            .kind = (enum policy_event_kind)wire_get(reader, 0, POLICY_EVENT_KINDS - 1)};
        struct lease lease = {
            .start_actual = INSTANT_NONE, .end = INSTANT_NONE, .duration_actual = SPAN_NONE};
        struct node_set *sets;

        event.time = wire_get(reader, INT64_MIN, INT64_MAX);
        event.other = wire_get(reader, INT64_MIN, INT64_MAX);
        event.accepted = wire_get_bool(reader);
        lease.accumulated = wire_get(reader, INT64_MIN, INT64_MAX);
        wire_get_request(reader, &lease.request, &sets, NULL);
        lease.n_vms = count_vms(&lease.request);
        event.lease = &lease;
        if (planning->policies && !reader->failed)
            policy_host_tell(planning->policies, &event);
        free(sets);
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

struct answer {
    struct wire_writer outputs;
    size_t n_outputs;
    int32_t failed_step; /* -1: none */
};

/* Does a VM that is off leave its host? */
static bool is_move_of_block(const struct engine_output *output)
{
    return output->kind == OUTPUT_OPERATION_STARTED &&
           output->reservation->kind == RESERVATION_MEMORY_MIGRATION;
}

static void take_outputs(struct planning *planning, struct plan *plan, struct answer *answer)
{
    for (size_t i = 0; i < planning->outputs.n_items; i++) {
        const struct engine_output *output = &planning->outputs.items[i];

        if (output->lease->request.id >= BLOCK_BASE && output->lease->request.id != TRIAL_ID &&
            !is_move_of_block(output))
            continue;
        wire_put_output(&answer->outputs, output, plan->host_of);
        answer->n_outputs++;
    }
    for (size_t i = 0; i < planning->outputs.n_items; i++)
        if (planning->outputs.items[i].kind == OUTPUT_FINISHED &&
            planning->outputs.items[i].lease->request.id != TRIAL_ID) {
            operations_forget(&planning->operations);
            engine_forget(plan->engine, planning->outputs.items[i].lease->request.id, NULL);
        }
}

static bool can_be_cancelled(const struct plan *plan, int64_t lease)
{
    const struct lease *known = engine_lease(plan->engine, lease);

    return known && !lease_state_is_final(known->state);
}

static int step(struct planning *planning, const struct plan_building *building,
                struct wire_reader *reader, struct error *err)
{
    struct plan *plan = building->plan;
    size_t n = wire_get_count(reader, 2), n_inputs = 0;
    struct engine_input *inputs = memory_new(n, sizeof *inputs);
    struct lease_request *requests = memory_new(n, sizeof *requests);
    struct node_set **sets = memory_new(n, sizeof *sets);
    int result = -1;

    for (size_t i = 0; i < n && !reader->failed; i++) {
        struct engine_input input = {.kind = INPUT_REQUEST, .request = &requests[i]};

        enum step_input kind = (enum step_input)wire_get(reader, STEP_REQUEST, STEP_INPUTS - 1);

        if (kind == STEP_REQUEST) {
            wire_get_request(reader, &requests[i], &sets[i], &plan->objects);
        } else {
            input = (struct engine_input){.kind = kind == STEP_CANCEL ? INPUT_CANCEL : INPUT_UNSENT,
                                          .lease = wire_get(reader, 0, INT64_MAX)};
            if (!can_be_cancelled(plan, input.lease))
                continue;
        }
        inputs[n_inputs++] = input;
    }
    if (reader->failed)
        error_set(err, EPROTO, "the new leases cannot be read");
    else
        result =
            engine_step(plan->engine, building->now, inputs, n_inputs, &planning->outputs, err);
    for (size_t i = 0; i < n; i++)
        free(sets[i]);
    free(sets);
    free(requests);
    free(inputs);
    return result;
}

static int make_steps(struct planning *planning, const struct plan_building *building,
                      struct wire_reader *reader, struct answer *answer, struct error *err)
{
    size_t n = wire_get_count(reader, 1);

    for (size_t i = 0; i < n; i++) {
        if (step(planning, building, reader, err) < 0) {
            answer->failed_step = (int32_t)i;
            return -1;
        }
        take_outputs(planning, building->plan, answer);
    }
    return 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

struct viewing {
    const struct plan *plan;
    struct wire_writer views;
    size_t n;
};

static bool is_leaving(const struct lease *lease)
{
    return lease->state == LEASE_ACTIVE && lease->plan->leave_by != INSTANT_NONE;
}

static void view(void *context, const struct lease *lease)
{
    struct viewing *viewing = context;
    int64_t id = lease->request.id;

    if (id != TRIAL_ID && !is_leaving(lease) &&
        (id >= BLOCK_BASE ||
         (lease->state == LEASE_ACTIVE && lease->request.kind != LEASE_DEADLINE)))
        return;
    wire_put_view(&viewing->views, lease, viewing->plan->host_of);
    viewing->n++;
}

/* The start of the trial's lease behind the whole queue, if the queue is short enough to
 * forecast. */
static int64_t probable_start(struct plan *plan, size_t most)
{
    struct forecast *forecast = forecast_create(plan->engine, most);
    int64_t found = INSTANT_NONE;

    while (forecast_left_out(forecast) == 0 && forecast_go_on(forecast, SIZE_MAX))
        continue;
    for (size_t i = forecast_count(forecast); i-- > 0 && found == INSTANT_NONE;) {
        int64_t start;

        if (forecast_lease(forecast, i, &start) == TRIAL_ID)
            found = start;
    }
    forecast_destroy(forecast);
    return found;
}

static void put_exceptions(struct wire_writer *reply, const struct plan_building *building)
{
    wire_put(reply, (int64_t)building->n_exceptions);
    wire_put_all(reply, &building->exceptions);
    wire_put(reply, (int64_t)building->n_relocations);
    for (size_t i = 0; i < building->n_relocations; i++) {
        const struct plan_relocation *relocation = &building->relocations[i];

        wire_put(reply, relocation->lease);
        wire_put(reply, relocation->vm);
        wire_put(reply, relocation->place == HOST_NONE
                            ? -1
                            : (int64_t)plan_host_of(building->plan, relocation->place));
    }
}

static void put_answer(struct wire_writer *reply, const struct plan_building *building,
                       const struct answer *answer, const struct error *err)
{
    const struct engine *engine = building->plan->engine;
    struct viewing viewing = {.plan = building->plan};

    wire_put_text(reply, engine ? NULL : err->text);
    wire_put(reply, answer->failed_step);
    put_exceptions(reply, building);
    wire_put(reply, (int64_t)answer->n_outputs);
    wire_put_all(reply, &answer->outputs);
    if (engine)
        engine_each_lease(engine, view, &viewing);
    wire_put(reply, (int64_t)viewing.n);
    wire_put_all(reply, &viewing.views);
    wire_put(reply, engine ? engine_next_time(engine) : INSTANT_NEVER);
    wire_put(reply, engine ? (int64_t)forecast_stamp(engine) : 0);
    wire_writer_finish(&viewing.views);
}

/* --- plans ------------------------------------------------------------------------------------ */

/* Reads and applies a frame up to its steps. */
static int build(struct planning *planning, struct plan_building *building,
                 struct wire_reader *reader, struct error *err)
{
    struct wire_reader site;
    bool rebuild = wire_get_bool(reader);

    if (rebuild)
        drop_plan(planning, building->plan);
    kept_add(&building->plan->kept, planning->frame);
    planning->frame = NULL;
    if (rebuild) {
        site = *reader;
        if (plan_make_engine(building, reader, err) < 0)
            return -1;
    } else if (!building->plan->engine) {
        return error_set(err, EAGAIN, "no plan has been made yet");
    }
    read_events(planning, reader);
    plan_read_objects(building->plan, reader);
    return rebuild ? plan_adopt(building, reader, &site, err) : 0;
}

/* Questions to a plan that is discarded. */
struct trial {
    size_t forecast;       /* number of leases to forecast */
    struct tracer *tracer; /* NULL: no lease is traced */
};

/* The plan keeps the frame. trial: NULL for the live plan. */
static int make_plan(struct planning *planning, struct plan *plan, struct wire_reader *reader,
                     struct wire_writer *reply, const struct trial *trial)
{
    struct tracer *tracer = trial ? trial->tracer : NULL;
    struct plan_building building = {.plan = plan,
                                     .hooks = tracer ? tracer_hooks(tracer) : planning->hooks,
                                     .policies = planning->policies,
                                     .now = wire_get(reader, INT64_MIN, INT64_MAX)};
    struct answer answer = {.failed_step = -1};
    struct error err = {0};
    bool understood;

    planning->current = plan;
    if ((build(planning, &building, reader, &err) < 0 ||
         make_steps(planning, &building, reader, &answer, &err) < 0) &&
        plan->engine)
        drop_plan(planning, plan);
    understood = !reader->failed && (!plan->engine || wire_is_at_end(reader));
    if (!plan->engine && planning->policies)
        policy_host_set_site(planning->policies, NULL);
    put_answer(reply, &building, &answer, &err);
    wire_put(reply, trial && plan->engine && engine_lease(plan->engine, TRIAL_ID)
                        ? probable_start(plan, trial->forecast)
                        : INSTANT_NONE);
    wire_put(reply, tracer != NULL);
    if (tracer)
        wire_put_trace(reply, tracer_trace(tracer, plan->engine, plan->host_of));
    wire_writer_finish(&answer.outputs);
    plan_building_finish(&building);
    return understood ? 0 : -1;
}

static int make_trial(struct planning *planning, struct wire_reader *reader,
                      struct wire_writer *reply)
{
    struct plan plan = {0};
    size_t forecast = (size_t)wire_get(reader, 0, INT32_MAX);
    int64_t traced = wire_get(reader, -1, INT64_MAX);
    const struct trial trial = {.forecast = forecast ? forecast : 1,
                                .tracer =
                                    traced < 0 ? NULL : tracer_create(traced, planning->hooks)};
    int result = make_plan(planning, &plan, reader, reply, &trial);

    planning->current = &planning->live;
    if (planning->policies)
        policy_host_set_site(planning->policies,
                             planning->live.engine ? engine_site(planning->live.engine) : NULL);
    plan_finish(&plan);
    tracer_destroy(trial.tracer);
    return result;
}

/* --- forecasts -------------------------------------------------------------------------------- */

/* Discards a forecast in progress. */
static void begin_forecast(struct planning *planning, struct wire_reader *reader)
{
    size_t most = (size_t)wire_get(reader, 0, INT32_MAX);

    end_forecast(planning);
    planning->forecast_us = 0;
    if (planning->live.engine)
        planning->forecast = forecast_create(planning->live.engine, most);
}

static void tell_forecast(const struct planning *planning, struct wire_writer *reply)
{
    size_t n = planning->forecast ? forecast_count(planning->forecast) : 0;

    wire_begin(reply);
    wire_put(reply, FRAME_FORECASTED);
    wire_put(reply, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        int64_t start;

        wire_put(reply, forecast_lease(planning->forecast, i, &start));
        wire_put(reply, start);
    }
    wire_put(reply, planning->forecast ? (int64_t)forecast_left_out(planning->forecast) : 0);
    wire_put(reply, planning->forecast_us);
    wire_end(reply);
}

bool planning_has_more(const struct planning *planning)
{
    return planning->forecast != NULL;
}

void planning_go_on(struct planning *planning, struct wire_writer *reply)
{
    int64_t began = clock_microseconds(CLOCK_THREAD_CPUTIME_ID);
    bool more = forecast_go_on(planning->forecast, TURN_WORK);

    wire_writer_finish(reply);
    planning->forecast_us += clock_microseconds(CLOCK_THREAD_CPUTIME_ID) - began;
    if (more)
        return;
    tell_forecast(planning, reply);
    end_forecast(planning);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Writes the answer, unless it follows later or there is none. */
static int answer(struct planning *planning, struct wire_reader *reader, struct wire_writer *reply)
{
    switch (wire_get(reader, FRAME_ATTRIBUTES, FRAME_OPERATIONS)) {
    case FRAME_ATTRIBUTES:
        host_attributes_take(&planning->attributes, planning->frame, reader);
        planning->frame = NULL;
        return 0;
    case FRAME_PLAN:
        wire_put(reply, FRAME_PLANNED);
        return make_plan(planning, &planning->live, reader, reply, NULL);
    case FRAME_TRY:
        wire_put(reply, FRAME_TRIED);
        return make_trial(planning, reader, reply);
    case FRAME_FORECAST:
        begin_forecast(planning, reader);
        if (!planning->forecast)
            tell_forecast(planning, reply);
        return 0;
    default:
        wire_put(reply, FRAME_OPERATIONS_OF);
        operations_tell(&planning->operations, &planning->live, reader, reply);
        return 0;
    }
}

int planning_handle(struct planning *planning, unsigned char *bytes, size_t n,
                    struct wire_writer *reply)
{
    struct wire_reader reader;
    int result;

    planning->frame = bytes;
    wire_reader_init(&reader, bytes, n);
    wire_begin(reply);
    result = answer(planning, &reader, reply);
    if (reply->n > WIRE_HEADER)
        wire_end(reply);
    else
        wire_writer_finish(reply);
    free(planning->frame);
    planning->frame = NULL;
    return result < 0 || reader.failed ? -1 : 0;
}
