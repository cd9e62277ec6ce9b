/* Runs the engine against a trace, on a clock that jumps from event to event. */
#include "adapters/simulation/simulation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "adapters/simulation/early_ends.h"
#include "adapters/simulation/request_batch.h"
#include "util/instant.h"
#include "util/memory.h"

enum { ONE_DAY = 86400 };

struct run {
    const struct simulation *simulation;
    struct simulation_result *result;
    int64_t now;

    struct lease_request next; /* the first request not yet passed on, which belongs to the trace */
    int64_t stop;              /* for it */
    bool trace_is_over;
    bool is_last_step;
    bool suspended_in_no_time; /* in the last step */
    int64_t best_effort_read;
    struct request_batch batch;

    size_t cancellations_done;
    struct early_ends *early_ends;

    struct engine_input *inputs;
    size_t n_inputs, inputs_allocated;
    struct engine_outputs outputs;
};

static int read_next(struct run *run, struct error *err)
{
    const struct simulation *simulation = run->simulation;
    int got = trace_next(simulation->trace, &run->next, err);

    if (got < 0)
        return -1;
    run->trace_is_over = got == 0;
    if (got == 0)
        return 0;
    run->stop = trace_stop(simulation->trace, &run->next);
    if (simulation->reads)
        simulation->reads(simulation->context, &run->next);
    return 0;
}

static void add_input(struct run *run, struct engine_input input)
{
    MEMORY_GROW(run->inputs, run->inputs_allocated, run->n_inputs + 1);
    run->inputs[run->n_inputs++] = input;
}

static bool is_cancelled_now(const struct run *run, int64_t lease)
{
    for (size_t i = 0; i < run->n_inputs && run->inputs[i].kind == INPUT_CANCEL; i++)
        if (run->inputs[i].lease == lease)
            return true;
    return false;
}

/* Has the lease not arrived, or ended? */
static bool is_missed(const struct run *run, int64_t id)
{
    const struct lease *lease = engine_lease(run->simulation->engine, id);

    return !lease || lease_state_is_final(lease->state);
}

static void gather_cancellations(struct run *run)
{
    const struct simulation *simulation = run->simulation;

    while (run->cancellations_done < simulation->n_cancellations &&
           simulation->cancellations[run->cancellations_done].at <= run->now) {
        int64_t id = simulation->cancellations[run->cancellations_done++].lease;

        if (is_missed(run, id) || is_cancelled_now(run, id))
            run->result->cancels_missed++;
        else
            add_input(run, (struct engine_input){.kind = INPUT_CANCEL, .lease = id});
    }
}

static const struct reservation *current_vm(const struct run *run, int64_t id)
{
    const struct lease *lease = engine_lease(run->simulation->engine, id);

    if (!lease)
        return NULL;
    for (size_t i = lease->n_reservations; i-- > 0;)
        if (lease->reservations[i]->kind == RESERVATION_VM)
            return lease->reservations[i];
    return NULL;
}

/* The order of early ends at one instant is the order of the planned ends. */
static bool ends_before(const struct run *run, int64_t a, int64_t b)
{
    const struct reservation *x = current_vm(run, a), *y = current_vm(run, b);

    if (!x || !y)
        return false;
    return x->until != y->until ? x->until < y->until : x->order < y->order;
}

static void gather_early_ends(struct run *run)
{
    size_t first = run->n_inputs;
    int64_t lease;

    while ((lease = early_ends_take(run->early_ends, run->now))) {
        size_t place = run->n_inputs;

        if (is_cancelled_now(run, lease))
            continue;
        add_input(run, (struct engine_input){.kind = INPUT_ENDED, .lease = lease});
        for (; place > first && ends_before(run, lease, run->inputs[place - 1].lease); place--)
            run->inputs[place] = run->inputs[place - 1];
        run->inputs[place] = (struct engine_input){.kind = INPUT_ENDED, .lease = lease};
    }
}

static int gather_requests(struct run *run, struct error *err)
{
    request_batch_clear(&run->batch);
    while (!run->trace_is_over && run->next.submit <= run->now) {
        request_batch_add(&run->batch, &run->next);
        run->best_effort_read += run->next.kind == LEASE_BEST_EFFORT;
        run->result->requests++;
        run->result->late_requests += run->next.submit < run->now;
        if (read_next(run, err) < 0)
            return -1;
    }
    request_batch_close(&run->batch);
    for (size_t i = 0; i < run->batch.n_items; i++)
        add_input(run, (struct engine_input){.kind = INPUT_REQUEST,
                                             .lease = run->batch.items[i].id,
                                             .request = &run->batch.items[i]});
    return 0;
}

/* The early end of VMs that run in [from, until); INSTANT_NEVER: not in this interval. */
static int64_t early_end(const struct run *run, const struct lease *lease,
                         const struct reservation *vm)
{
    const struct lease_request *request = &lease->request;
    int64_t left, at;

    if (request->duration_known == SPAN_NONE)
        return INSTANT_NEVER;
    left = request->duration_known - lease->accumulated;
    at = instant_add(vm->from, left);
    if (run->simulation->behaviour && run->simulation->behaviour->premature_end_plus_one_day) {
        if (at >= vm->until || at < vm->from)
            return INSTANT_NEVER;
        if (at == vm->from)
            at += ONE_DAY;
        return at <= vm->until ? at : INSTANT_NEVER;
    }
    /* Work that is complete when a planned suspension begins needs no suspension. */
    if (at == vm->until && vm->until != INSTANT_NEVER && request->duration != SPAN_UNLIMITED &&
        lease->accumulated + (vm->until - vm->from) < request->duration)
        return at;
    if (at >= vm->until)
        return INSTANT_NEVER;
    return at > vm->from ? at : vm->from + 1;
}

static void follow(struct run *run, const struct engine_output *output)
{
    switch (output->kind) {
    case OUTPUT_VM_INTERVAL:
        early_ends_set(run->early_ends, output->lease->request.id,
                       early_end(run, output->lease, output->reservation));
        break;
    case OUTPUT_OPERATION_ENDED:
        if (output->reservation->kind == RESERVATION_VM)
            early_ends_set(run->early_ends, output->lease->request.id, INSTANT_NEVER);
        break;
    case OUTPUT_VM_WITHDRAWN:
    case OUTPUT_FINISHED:
        early_ends_set(run->early_ends, output->lease->request.id, INSTANT_NEVER);
        break;
    default:
        break;
    }
}

/* Did a suspension end that took no time? By Haizea's rules its lease is queued after the queue was
 * processed. */
static bool suspended_in_no_time(const struct run *run)
{
    for (size_t i = 0; i < run->outputs.n_items; i++) {
        const struct engine_output *output = &run->outputs.items[i];

        if (output->kind == OUTPUT_OPERATION_ENDED &&
            output->reservation->kind == RESERVATION_SUSPEND &&
            output->reservation->from == output->reservation->until)
            return true;
    }
    return false;
}

static int step(struct run *run, struct error *err)
{
    const struct simulation *simulation = run->simulation;
    struct engine *engine = simulation->engine;

    run->n_inputs = 0;
    gather_cancellations(run);
    gather_early_ends(run);
    if (gather_requests(run, err) < 0)
        return -1;
    if (run->is_last_step)
        add_input(run, (struct engine_input){.kind = INPUT_LAST});
    if (engine_step(engine, run->now, run->inputs, run->n_inputs, &run->outputs, err) < 0)
        return error_prefix(err, "at %" PRId64 " s", run->now);
    run->result->steps++;
    for (size_t i = 0; i < run->outputs.n_items; i++)
        follow(run, &run->outputs.items[i]);
    run->suspended_in_no_time = suspended_in_no_time(run);
    for (size_t i = 0; i < simulation->n_observers; i++) {
        const struct observer *observer = &simulation->observers[i];

        if (observer->step &&
            observer->step(observer->context, engine, run->now, &run->outputs, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < run->outputs.n_items; i++)
        if (run->outputs.items[i].kind == OUTPUT_FINISHED &&
            engine_forget(engine, run->outputs.items[i].lease->request.id, err) < 0)
            return -1;
    return 0;
}

/* The next cancellation before that time. Cancellations without a lease are not events: the engine
 * makes no step. */
static int64_t next_cancellation(struct run *run, int64_t before)
{
    const struct simulation *simulation = run->simulation;

    for (; run->cancellations_done < simulation->n_cancellations; run->cancellations_done++) {
        const struct cancellation *next = &simulation->cancellations[run->cancellations_done];

        if (next->at >= before || !is_missed(run, next->lease))
            return next->at < before ? next->at : before;
        run->result->cancels_missed++;
    }
    return before;
}

static int64_t next_time(struct run *run)
{
    const struct simulation *simulation = run->simulation;
    int64_t next = engine_next_time(simulation->engine);
    int64_t early = early_ends_first(run->early_ends);

    if (early < next)
        next = early;
    if (!run->trace_is_over && run->stop < next)
        next = run->stop;
    return next_cancellation(run, next);
}

static bool all_is_done(const struct run *run)
{
    return run->trace_is_over && engine_is_idle(run->simulation->engine);
}

static bool stop_rule_holds(const struct run *run)
{
    const struct simulation *simulation = run->simulation;
    bool all_submitted = run->best_effort_read >= simulation->best_effort_leases;

    switch (simulation->stop_when) {
    case STOP_BESTEFFORT_SUBMITTED:
        return all_submitted;
    case STOP_BESTEFFORT_DONE:
        return all_submitted && engine_queue_length(simulation->engine) == 0 &&
               engine_unfinished(simulation->engine, LEASE_BEST_EFFORT) == 0;
    default:
        return false;
    }
}

/* The loop of the clock. Like Haizea's clock, it checks the rule that ends the run when the next
 * time is known, and advances to that time before it stops. */
static int turn(struct run *run, struct error *err)
{
    const struct simulation *simulation = run->simulation;

    for (;;) {
        int64_t next;

        if (step(run, err) < 0)
            return -1;
        if (all_is_done(run))
            return 0;
        next = next_time(run);
        if (stop_rule_holds(run)) {
            run->now = next == INSTANT_NEVER ? run->now : next;
            return 0;
        }
        if (simulation->should_stop && simulation->should_stop(simulation->context)) {
            run->result->interrupted = true;
            return 0;
        }
        run->is_last_step = next == INSTANT_NEVER && engine_queues_too_big(simulation->engine);
        if (next == INSTANT_NEVER && (run->suspended_in_no_time || run->is_last_step))
            next = run->now + 1;
        if (next == INSTANT_NEVER) {
            run->result->stuck = true;
            return 0;
        }
        if (next <= run->now)
            return error_set(err, EDEADLK,
                             "at %" PRId64 " s: the engine plans an operation at %" PRId64
                             " s, which has passed; please report this bug",
                             run->now, next);
        run->now = next;
    }
}

static int end_observers(const struct run *run, struct error *err)
{
    const struct simulation *simulation = run->simulation;

    for (size_t i = 0; i < simulation->n_observers; i++) {
        const struct observer *observer = &simulation->observers[i];

        if (observer->end &&
            observer->end(observer->context, simulation->engine, run->now, err) < 0)
            return -1;
    }
    return 0;
}

int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *err)
{
    struct run run = {.simulation = simulation, .result = result};
    int outcome;

    *result = (struct simulation_result){0};
    request_batch_init(&run.batch);
    engine_outputs_init(&run.outputs);
    run.early_ends = early_ends_create();
    outcome = read_next(&run, err);
    if (outcome == 0)
        outcome = turn(&run, err);
    result->end_time = run.now;
    for (int kind = LEASE_BEST_EFFORT; kind < LEASE_KINDS; kind++)
        result->unfinished += (int64_t)engine_unfinished(simulation->engine, (enum lease_kind)kind);
    if (outcome == 0 && simulation->ending)
        simulation->ending(simulation->context, result);
    if (outcome == 0)
        outcome = end_observers(&run, err);
    free(run.inputs);
    engine_outputs_finish(&run.outputs);
    request_batch_finish(&run.batch);
    early_ends_destroy(run.early_ends);
    return outcome;
}
