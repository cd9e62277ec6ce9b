/* Workloads of `galerna trace generate` for experiments. */
#include "experiments/generated.h"

#include <stdlib.h>

#include "lwf/generate.h"
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
