/* Workloads of `galerna trace generate` for experiments. */
#include "experiments/workloads.h"

#include <stdlib.h>

#include "experiments/data.h"
#include "lwf/generate.h"
#include "lwf/generate_random.h"
#include "lwf/trace_combine.h"
#include "util/memory.h"

struct trace *generated_open(const char *const *streams, size_t n, uint64_t seed,
                             const struct site *site, struct error *err)
{
    struct generate_stream *parsed = memory_new(n, sizeof *parsed);
    const struct generate_settings settings = {
        .seed = seed, .site = site, .streams = parsed, .n_streams = n};
    struct trace *trace = NULL;
    size_t good = 0;

    while (good < n && generate_stream_parse(&parsed[good], streams[good], err) == 0)
        good++;
    if (good == n)
        trace = generate_open(&settings, err);
    else
        error_prefix(err, "%s", streams[good]);
    free(parsed);
    return trace;
}

static int queue_all(struct trace_list *list, struct trace *trace, struct error *err)
{
    struct lease_request request;
    int64_t free_from = 0;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0) {
        if (request.submit < free_from)
            request.submit = free_from;
        free_from = request.submit + request.duration;
        trace_list_add(list, &request);
    }
    return more;
}

struct trace *generated_queue(struct trace *trace, const struct site *site, struct error *err)
{
    struct trace_list list;
    struct trace *queued = NULL;

    trace_list_init(&list);
    if (trace && queue_all(&list, trace, err) == 0)
        queued = trace_list_open(&list, site);
    trace_list_finish(&list);
    trace_destroy(trace);
    return queued;
}

void generated_add(struct trace_list *list, const struct lease_request *request, uint32_t nodes,
                   int64_t memory)
{
    struct node_set set = {.count = nodes};
    struct lease_request complete = *request;

    set.amounts.of[RESOURCE_CPU] = 100;
    set.amounts.of[RESOURCE_MEMORY] = memory;
    complete.id = (int64_t)list->n + 1;
    if (complete.kind != LEASE_RESERVATION)
        complete.start = INSTANT_NONE;
    complete.deadline = INSTANT_NONE;
    complete.duration_original = complete.duration;
    if (complete.duration_known <= 0)
        complete.duration_known = SPAN_NONE;
    complete.preemptible = complete.terms != TERMS_NON_PREEMPTABLE;
    complete.user = -1;
    complete.node_sets = &set;
    complete.n_node_sets = 1;
    trace_list_add(list, &complete);
}

/* The next number of the text; false at its end. */
static bool take(const char **text, int64_t *number)
{
    char *end;

    *number = strtoll(*text, &end, 10);
    if (end == *text)
        return false;
    *text = end;
    return true;
}

static int64_t later(const struct blue *blue, struct generate_random *random)
{
    if (blue->seed == 0 || blue->shift <= 0)
        return 0;
    return (int64_t)generate_random_below(random, (uint64_t)blue->shift + 1);
}

static struct trace *open_jobs(const struct blue *blue)
{
    const char *text = data_blue_30days;
    struct generate_random random;
    struct trace_list list;
    int64_t at = 0, gap, asked, real, nodes;

    trace_list_init(&list);
    generate_random_init(&random, blue->seed, 0, 0);
    while (take(&text, &gap) && take(&text, &asked) && take(&text, &real) && take(&text, &nodes)) {
        at += gap;
        if (blue->span > 0 && at >= blue->span)
            break;
        generated_add(&list,
                      &(struct lease_request){.kind = LEASE_BEST_EFFORT,
                                              .submit = at + later(blue, &random),
                                              .duration = asked,
                                              .duration_known = real,
                                              .terms = TERMS_SUSPENDABLE},
                      (uint32_t)nodes, blue->memory);
    }
    trace_list_sort(&list);
    return trace_list_open(&list, NULL);
}

static struct trace *open_reservations(const struct blue *blue)
{
    const char *text = blue->reservations == 10   ? data_reservations_10
                       : blue->reservations == 20 ? data_reservations_20
                                                  : data_reservations_30;
    struct trace_list list;
    int64_t at, start, duration, nodes;

    trace_list_init(&list);
    while (take(&text, &at) && take(&text, &start) && take(&text, &duration) &&
           take(&text, &nodes)) {
        if (blue->span > 0 && start >= blue->span)
            break;
        generated_add(&list,
                      &(struct lease_request){.kind = LEASE_RESERVATION,
                                              .submit = at,
                                              .start = start,
                                              .duration = duration,
                                              .terms = TERMS_NON_PREEMPTABLE},
                      (uint32_t)nodes, blue->memory);
    }
    return trace_list_open(&list, NULL);
}

struct trace *blue_open(const struct blue *blue, struct error *err)
{
    struct trace *jobs = open_jobs(blue);

    return blue->reservations ? trace_merge(jobs, open_reservations(blue), err) : jobs;
}
