/* Workloads of `galerna trace generate` for experiments. */
#include "experiments/generated.h"

#include <stdlib.h>

#include "lwf/generate.h"
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

struct waiting_requests {
    struct lease_request *requests;
    struct node_set *sets; /* one of each request */
    size_t n, allocated, sets_allocated;
};

static int queue_all(struct waiting_requests *waiting, struct trace *trace, struct error *err)
{
    struct lease_request request;
    int64_t free_from = 0;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0) {
        size_t n = waiting->n + 1;

        if (request.submit < free_from)
            request.submit = free_from;
        free_from = request.submit + request.duration;
        waiting->requests =
            memory_grow(waiting->requests, &waiting->allocated, n, sizeof *waiting->requests);
        waiting->sets =
            memory_grow(waiting->sets, &waiting->sets_allocated, n, sizeof *waiting->sets);
        waiting->sets[waiting->n] = request.node_sets[0];
        waiting->requests[waiting->n++] = request;
    }
    for (size_t i = 0; i < waiting->n; i++)
        waiting->requests[i].node_sets = &waiting->sets[i];
    return more;
}

struct trace *generated_queue(struct trace *trace, const struct site *site, struct error *err)
{
    struct waiting_requests waiting = {0};
    struct trace *queued = NULL;

    if (trace && queue_all(&waiting, trace, err) == 0)
        queued = trace_from_requests(waiting.requests, waiting.n, site);
    free(waiting.requests);
    free(waiting.sets);
    trace_destroy(trace);
    return queued;
}
