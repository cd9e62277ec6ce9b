/* Generates synthetic workloads. */
#include "lwf/generate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lwf/generate_source.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"
#include "util/memory.h"

/* A lease in compact form, without the properties common to its stream. */
struct item {
    int64_t submit;
    int64_t start, deadline; /* INSTANT_NONE: none */
    int64_t duration, real;
    size_t place; /* position in the order of drawing */
    uint32_t vms, user;
    int32_t priority;
    uint16_t stream;
    uint16_t share; /* index of the class in the stream */
};

/* The random state of a stream. Jobs and classes use separate random numbers: other classes do not
 * change the jobs. */
struct stream_state {
    const struct generate_stream *stream;
    uint16_t number;
    struct generate_random jobs, leases;
    double left[GENERATE_CLASSES_MAX]; /* remaining share of each class, in leases */
    double user;
};

struct generated {
    struct trace trace;
    struct site site;
    struct generate_stream *streams;
    struct item *items;
    size_t n, allocated, next;
    struct node_set set;
};

static const struct generated *generated_of(const struct trace *trace)
{
    return (const struct generated *)trace;
}

static enum lease_kind kind_of(const struct generate_stream *stream, size_t share)
{
    return stream->kind >= 0 ? (enum lease_kind)stream->kind : stream->classes[share].class->kind;
}

static int generated_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct generated *generated = (struct generated *)trace;
    const struct item *item = &generated->items[generated->next];
    const struct generate_stream *stream;
    const struct generate_class *class;

    (void)err;
    if (generated->next == generated->n)
        return 0;
    stream = &generated->streams[item->stream];
    class = stream->classes[item->share].class;
    generated->set.count = item->vms;
    generated->set.amounts.of[RESOURCE_CPU] = (int64_t)stream->cpu;
    generated->set.amounts.of[RESOURCE_MEMORY] = (int64_t)stream->memory;
    *request = (struct lease_request){
        .id = (int64_t)++generated->next,
        .kind = kind_of(stream, item->share),
        .submit = item->submit,
        .start = item->start,
        .deadline = item->deadline,
        .duration_original = item->duration,
        .duration = item->duration,
        .duration_known = item->real == item->duration ? SPAN_NONE : item->real,
        .preemptible = class->terms != TERMS_NON_PREEMPTABLE,
        .terms = class->terms,
        .origin = class->origin,
        .priority = item->priority,
        .user = item->user > 0 ? (int64_t)item->user : -1,
        .node_sets = &generated->set,
        .n_node_sets = 1,
    };
    return 1;
}

static double generated_progress(const struct trace *trace)
{
    const struct generated *generated = generated_of(trace);

    return generated->n > 0 ? (double)generated->next / (double)generated->n : 1;
}

static int generated_census(const struct trace *trace, struct trace_census *census,
                            struct error *err)
{
    const struct generated *generated = generated_of(trace);

    (void)err;
    *census = (struct trace_census){.sorted = true, .total = (int64_t)generated->n};
    for (size_t i = 0; i < generated->n; i++) {
        const struct item *item = &generated->items[i];

        census->leases[kind_of(&generated->streams[item->stream], item->share)]++;
        census->last_submit = item->submit;
    }
    return 0;
}

static void generated_destroy(struct trace *trace)
{
    struct generated *generated = (struct generated *)trace;

    if (generated->trace.site)
        site_finish(&generated->site);
    free(generated->streams);
    free(generated->items);
    free(generated);
}

static const struct trace_methods methods = {
    .next = generated_next,
    .progress = generated_progress,
    .census = generated_census,
    .destroy = generated_destroy,
};

static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;

    if (a->submit != b->submit)
        return a->submit < b->submit ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static double from_range(struct generate_random *random, struct generate_range range)
{
    return generate_random_between(random, range.low, range.high);
}

/* Draws a class by the remaining shares, and charges it for the lease. */
static uint16_t draw_class(struct stream_state *state)
{
    double sum = 0, drawn;
    size_t last = 0;

    for (size_t i = 0; i < state->stream->n_classes; i++)
        sum += state->left[i];
    drawn = sum * generate_random_uniform(&state->leases);
    for (size_t i = 0; i < state->stream->n_classes; i++) {
        if (!(state->left[i] > 0))
            continue;
        last = i;
        if (drawn < state->left[i])
            break;
        drawn -= state->left[i];
    }
    state->left[last]--;
    return (uint16_t)last;
}

/* If the number of leases is given, every class gets exactly its share of them, in random order;
 * otherwise classes are drawn independently. */
static uint16_t class_of(struct stream_state *state)
{
    const struct generate_stream *stream = state->stream;
    double jobs = stream->jobs, sum = 0;

    if (stream->n_classes == 1)
        return 0;
    for (size_t i = 0; i < stream->n_classes; i++)
        sum += state->left[i];
    if (jobs > 0 && sum >= 0.5)
        return draw_class(state);
    for (size_t i = 0; i < stream->n_classes; i++)
        state->left[i] = stream->classes[i].weight;
    return draw_class(state);
}

static double limited(double value, double limit)
{
    return limit > 0 && value > limit ? limit : value;
}

static void set_times(struct stream_state *state, struct item *item, double arrival)
{
    const struct generate_stream *stream = state->stream;
    enum lease_kind kind = kind_of(stream, item->share);
    double lead = floor(from_range(&state->leases, stream->lead));
    bool is_urgent = generate_random_uniform(&state->leases) < stream->urgent;
    double slack = from_range(&state->leases, is_urgent ? stream->urgent_slack : stream->slack);
    int64_t begin;

    item->submit = (int64_t)floor(arrival);
    if (stream->model == GENERATE_RESERVATIONS) {
        begin = item->submit;
        item->submit = (int64_t)fmax(floor(stream->first), (double)begin - lead);
    } else {
        begin = item->submit + (int64_t)lead;
    }
    item->start = kind == LEASE_IMMEDIATE || (kind == LEASE_BEST_EFFORT && begin == item->submit)
                      ? INSTANT_NONE
                      : begin;
    item->deadline = INSTANT_NONE;
    if (kind == LEASE_DEADLINE && slack == 0)
        slack = 3;
    if (kind == LEASE_DEADLINE ||
        (kind != LEASE_RESERVATION && slack > 0 && !stream->slack_of_deadline))
        item->deadline = (int64_t)fmin((double)begin + ceil(slack * (double)item->duration),
                                       (double)TRACE_TIME_MAX);
}

static int add(struct generated *generated, struct stream_state *state,
               const struct generate_job *job, struct error *err)
{
    const struct generate_stream *stream = state->stream;
    double seconds = fmax(1, floor(limited(job->seconds * stream->time_factor, stream->most_time)));
    double arrival = stream->first + job->arrival * stream->gap_factor;
    struct item *item;

    if (generated->n == GENERATE_JOBS_MAX)
        return error_set(err, EINVAL, "more than %d leases: set fewer jobs or shorter spans",
                         GENERATE_JOBS_MAX);
    if (!(arrival + seconds * stream->overestimate < (double)TRACE_TIME_MAX / 10))
        return error_set(err, EINVAL,
                         "stream %d lasts more than %.0f years: set fewer jobs, or span",
                         state->number + 1, (double)TRACE_TIME_MAX / 10 / 31557600);
    MEMORY_GROW(generated->items, generated->allocated, generated->n + 1);
    item = &generated->items[generated->n];
    *item = (struct item){
        .place = generated->n,
        .stream = state->number,
        .share = class_of(state),
        .vms = (uint32_t)fmax(1, limited(job->vms, stream->most_vms)),
        .real = (int64_t)seconds,
        .duration = (int64_t)ceil(seconds * stream->overestimate),
    };
    if (!job->joined && stream->users > 0)
        state->user = 1 + (double)generate_random_below(&state->leases, (uint64_t)stream->users);
    item->user = (uint32_t)state->user;
    item->priority = stream->priority;
    if (stream->priority_by_vms)
        item->priority = (int32_t)fmin((double)item->vms * PRIORITY_ONE,
                                       (double)lease_terms[TERM_ID_priority].most);
    set_times(state, item, arrival);
    generated->n++;
    return 0;
}

static void state_init(struct stream_state *state, const struct generate_settings *settings,
                       size_t number)
{
    const struct generate_stream *stream = &settings->streams[number];
    uint64_t seed = stream->seed >= 0 ? (uint64_t)stream->seed : settings->seed;
    uint64_t place = stream->seed >= 0 ? 0 : number + 1;
    double weights = 0;

    *state = (struct stream_state){.stream = stream, .number = (uint16_t)number};
    generate_random_init(&state->jobs, seed, place, 1);
    generate_random_init(&state->leases, seed, place, 2);
    for (size_t i = 0; i < stream->n_classes; i++)
        weights += stream->classes[i].weight;
    for (size_t i = 0; i < stream->n_classes; i++)
        state->left[i] = stream->jobs * stream->classes[i].weight / weights;
}

static int add_stream(struct generated *generated, const struct generate_settings *settings,
                      size_t number, struct error *err)
{
    const struct generate_stream *stream = &settings->streams[number];
    struct stream_state state;
    struct generate_source source;
    struct generate_job job;

    state_init(&state, settings, number);
    generate_source_init(&source, stream, &state.jobs);
    for (double i = 0; !(stream->jobs > 0) || i < stream->jobs; i++) {
        generate_source_next(&source, &job);
        if (stream->span > 0 && job.arrival * stream->gap_factor >= stream->span)
            break;
        if (add(generated, &state, &job, err) < 0)
            return -1;
    }
    return 0;
}

/* The number of VMs of the stream that fit on the empty site. */
static double nodes_of(const struct generate_stream *stream, const struct site *site)
{
    double nodes = 0;

    for (size_t i = 0; i < site->n_hosts; i++) {
        const struct amounts *capacity = &site->hosts[i].capacity;
        double fit = INFINITY;

        if (stream->cpu > 0)
            fit = fmin(fit, floor((double)capacity->of[RESOURCE_CPU] / stream->cpu));
        if (stream->memory > 0)
            fit = fmin(fit, floor((double)capacity->of[RESOURCE_MEMORY] / stream->memory));
        nodes += isfinite(fit) ? fit : 1;
    }
    return nodes;
}

static int add_reservations(struct generated *generated, const struct generate_settings *settings,
                            size_t number, double horizon, struct error *err)
{
    const struct generate_stream *stream = &settings->streams[number];
    struct stream_state state;
    struct generate_room room;
    struct generate_job *jobs;
    size_t n;
    int result = 0;

    if (!settings->site)
        return error_set(err, EINVAL, "rho is a share of the site: specify the site");
    horizon = stream->span > 0 ? stream->span : horizon - stream->first;
    if (!(horizon > 0))
        return error_set(err, EINVAL,
                         "rho is a share of the time until the last request, but there are no "
                         "other requests; set span=TIME");
    state_init(&state, settings, number);
    room = (struct generate_room){nodes_of(stream, settings->site), horizon};
    jobs = generate_reservations(stream, room, &state.jobs, &n, err);
    if (!jobs)
        return -1;
    for (size_t i = 0; i < n && result == 0; i++)
        result = add(generated, &state, &jobs[i], err);
    free(jobs);
    return result;
}

/* Reservations are last, because they spread over the time of all other streams. */
static int add_all(struct generated *generated, const struct generate_settings *settings,
                   struct error *err)
{
    int64_t last = settings->horizon;

    for (size_t i = 0; i < settings->n_streams; i++)
        if (settings->streams[i].model != GENERATE_RESERVATIONS &&
            add_stream(generated, settings, i, err) < 0)
            return -1;
    for (size_t i = 0; i < generated->n; i++)
        if (generated->items[i].submit > last)
            last = generated->items[i].submit;
    for (size_t i = 0; i < settings->n_streams; i++)
        if (settings->streams[i].model == GENERATE_RESERVATIONS &&
            add_reservations(generated, settings, i, (double)last, err) < 0)
            return -1;
    return 0;
}

struct trace *generate_open(const struct generate_settings *settings, struct error *err)
{
    struct generated *generated;

    if (settings->n_streams == 0 || settings->n_streams > GENERATE_STREAMS_MAX)
        return error_null(err, EINVAL, "%zu streams, expected 1 to %d", settings->n_streams,
                          GENERATE_STREAMS_MAX);
    generated = memory_new(1, sizeof *generated);
    generated->trace.methods = &methods;
    generated->streams =
        memory_copy(settings->streams, settings->n_streams * sizeof *settings->streams);
    if (settings->site) {
        site_copy(&generated->site, settings->site);
        generated->trace.site = &generated->site;
    }
    if (add_all(generated, settings, err) < 0)
        goto failed;
    if (generated->n > 0)
        qsort(generated->items, generated->n, sizeof *generated->items, compare);
    return &generated->trace;

failed:
    trace_destroy(&generated->trace);
    return NULL;
}
