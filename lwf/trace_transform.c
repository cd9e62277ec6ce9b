/* Traces with modified requests. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lwf/image_list.h"
#include "lwf/trace_combine.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"
#include "util/memory.h"

/* A trace that modifies the requests of another one during reading. */
struct transform {
    struct trace trace;
    struct trace *input;
    void (*apply)(struct transform *transform, struct lease_request *request);

    struct image_list *images; /* trace_with_images() */
    size_t next_image;
    struct trace_overheads overheads; /* trace_with_overheads() */
    int64_t megabytes;                /* trace_with_memory() */
    struct node_set *sets;
    size_t sets_allocated;
};

static int transform_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct transform *transform = (struct transform *)trace;
    int more = trace_next(transform->input, request, err);

    if (more > 0)
        transform->apply(transform, request);
    return more;
}

static void transform_destroy(struct trace *trace)
{
    struct transform *transform = (struct transform *)trace;

    trace_destroy(transform->input);
    image_list_destroy(transform->images);
    free(transform->sets);
    free(transform);
}

static const struct trace_methods methods = {
    .next = transform_next,
    .destroy = transform_destroy,
};

static struct transform *create(struct trace *input,
                                void (*apply)(struct transform *, struct lease_request *))
{
    struct transform *transform = memory_new(1, sizeof *transform);

    transform->trace.methods = &methods;
    transform->trace.input = transform->input = input;
    transform->apply = apply;
    return transform;
}

static void apply_image(struct transform *transform, struct lease_request *request)
{
    if (transform->next_image < image_list_length(transform->images))
        request->image =
            image_list_get(transform->images, transform->next_image++, &request->image_size);
}

struct trace *trace_with_images(struct trace *trace, const char *path, struct error *err)
{
    struct image_list *images = image_list_read(path, err);
    struct transform *transform;

    if (!images) {
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_image);
    transform->images = images;
    return &transform->trace;
}

static int64_t slow_down(const struct trace_overheads *overheads, int64_t seconds)
{
    double product = (double)seconds * (1 + overheads->slowdown_percent / 100);
    double whole = nearbyint(product);

    if (product >= (double)TRACE_TIME_MAX)
        return TRACE_TIME_MAX;
    if (!overheads->rounded_up && fabs(product - whole) < 1e-6)
        return (int64_t)whole;
    return (int64_t)ceil(product);
}

static void apply_overheads(struct transform *transform, struct lease_request *request)
{
    const struct trace_overheads *overheads = &transform->overheads;
    bool is_known = request->duration_known != SPAN_NONE;

    if (overheads->leases == OVERHEAD_NONE ||
        (overheads->leases == OVERHEAD_BEST_EFFORT && request->kind != LEASE_BEST_EFFORT))
        return;
    if (overheads->slowdown_percent > 0) {
        if (is_known && overheads->of_actual_durations) {
            request->duration = slow_down(overheads, request->duration_known);
        } else {
            if (request->duration != SPAN_UNLIMITED)
                request->duration = slow_down(overheads, request->duration);
            if (is_known)
                request->duration_known = slow_down(overheads, request->duration_known);
        }
    }
    request->duration = instant_add(request->duration, overheads->boot_seconds);
    if (is_known)
        request->duration_known = instant_add(request->duration_known, overheads->boot_seconds);
}

struct trace *trace_with_overheads(struct trace *trace, const struct trace_overheads *overheads,
                                   struct error *err)
{
    struct transform *transform;

    if (!(overheads->slowdown_percent >= 0) || overheads->boot_seconds < 0 ||
        overheads->boot_seconds > TRACE_TIME_MAX) {
        error_set(err, EINVAL,
                  "a runtime overhead is negative or too large: slowdown %g %%, boot "
                  "and shutdown %lld s",
                  overheads->slowdown_percent, (long long)overheads->boot_seconds);
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_overheads);
    transform->overheads = *overheads;
    return &transform->trace;
}

static void apply_memory(struct transform *transform, struct lease_request *request)
{
    transform->sets = memory_grow(transform->sets, &transform->sets_allocated, request->n_node_sets,
                                  sizeof *transform->sets);
    for (size_t i = 0; i < request->n_node_sets; i++) {
        transform->sets[i] = request->node_sets[i];
        transform->sets[i].amounts.of[RESOURCE_MEMORY] = transform->megabytes;
    }
    request->node_sets = transform->sets;
}

struct trace *trace_with_memory(struct trace *trace, int64_t megabytes, struct error *err)
{
    struct transform *transform;

    if (megabytes < 0 || megabytes > TRACE_AMOUNT_MAX) {
        error_set(err, EINVAL, "%lld MB is not an amount of memory", (long long)megabytes);
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_memory);
    transform->megabytes = megabytes;
    return &transform->trace;
}
