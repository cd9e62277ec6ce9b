/* Merges and orders traces by arrival. */
#include <errno.h>
#include <stdlib.h>

#include "lwf/trace_combine.h"
#include "lwf/trace_list.h"
#include "lwf/trace_methods.h"
#include "util/memory.h"
#include "util/search.h"

/* Two sorted traces, with the next request of each. */
struct merge {
    struct trace trace;
    struct trace *inputs[2];
    struct lease_request ahead[2];
    bool has_ahead[2], at_end[2];
    int64_t id_offset;
    struct trace_census census;
};

static const struct merge *merge_of(const struct trace *trace)
{
    return (const struct merge *)trace;
}

static int merge_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct merge *merge = (struct merge *)trace;
    int chosen;

    for (int i = 0; i < 2; i++) {
        int more;

        if (merge->has_ahead[i] || merge->at_end[i])
            continue;
        more = trace_next(merge->inputs[i], &merge->ahead[i], err);
        if (more < 0)
            return -1;
        merge->has_ahead[i] = more > 0;
        merge->at_end[i] = more == 0;
        if (i == 1)
            merge->ahead[i].id += merge->id_offset;
    }
    if (!merge->has_ahead[0] && !merge->has_ahead[1])
        return 0;
    chosen = !merge->has_ahead[0] ||
             (merge->has_ahead[1] && merge->ahead[1].submit < merge->ahead[0].submit);
    *request = merge->ahead[chosen];
    merge->has_ahead[chosen] = false;
    return 1;
}

static int merge_census(const struct trace *trace, struct trace_census *census, struct error *err)
{
    (void)err;
    *census = merge_of(trace)->census;
    return 0;
}

static void merge_destroy(struct trace *trace)
{
    trace_destroy(merge_of(trace)->inputs[0]);
    trace_destroy(merge_of(trace)->inputs[1]);
    free(trace);
}

static const struct trace_methods methods = {
    .next = merge_next,
    .census = merge_census,
    .destroy = merge_destroy,
};

static struct trace *merge_loaded(struct trace *trace, struct trace *injection, struct error *err)
{
    struct trace *result = NULL;
    struct trace_list list;

    trace_list_init(&list);
    if (trace_list_load(&list, trace, 0, err) == 0 &&
        trace_list_load(&list, injection, (int64_t)list.n, err) == 0) {
        trace_list_sort(&list);
        result = trace_list_open(&list, trace_site(trace));
    }
    trace_list_finish(&list);
    trace_destroy(trace);
    trace_destroy(injection);
    return result;
}

/* 1: sorted, 0: not sorted or unknown, -1: the trace cannot be read. */
static int is_sorted(const struct trace *trace, struct trace_census *census, struct error *err)
{
    struct error own;

    if (trace_take_census(trace, census, &own) == 0)
        return census->sorted;
    if (own.code == ESPIPE)
        return 0;
    return error_set(err, own.code, "%s", own.text);
}

struct trace *trace_merge(struct trace *trace, struct trace *injection, struct error *err)
{
    struct trace_census censuses[2];
    struct merge *merge;
    int first = -1, second = -1;

    trace = trace_look_ahead(trace, err);
    if (trace) {
        injection = trace_look_ahead(injection, err);
        if (!injection) {
            trace_destroy(trace);
            return NULL;
        }
        first = is_sorted(trace, &censuses[0], err);
        second = first < 0 ? -1 : is_sorted(injection, &censuses[1], err);
    }
    if (first < 0 || second < 0) {
        trace_destroy(trace);
        trace_destroy(injection);
        return NULL;
    }
    if (!first || !second)
        return merge_loaded(trace, injection, err);
    merge = memory_new(1, sizeof *merge);
    merge->trace.methods = &methods;
    merge->trace.input = merge->inputs[0] = trace;
    merge->inputs[1] = injection;
    merge->id_offset = censuses[0].total;
    merge->census = censuses[0];
    for (int kind = 0; kind < LEASE_KINDS; kind++)
        merge->census.leases[kind] += censuses[1].leases[kind];
    merge->census.total += censuses[1].total;
    if (censuses[1].last_submit > merge->census.last_submit)
        merge->census.last_submit = censuses[1].last_submit;
    return &merge->trace;
}

/* Haizea's clock stops at each submission that is later than all earlier ones in the list. */
static void find_stops(struct trace_list *list)
{
    int64_t *stops = memory_new(list->n, sizeof *stops);
    size_t n_stops = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct trace_list_item *item = &list->items[i];

        if (n_stops == 0 || item->request.submit > stops[n_stops - 1])
            stops[n_stops++] = item->request.submit;
        item->stop = stops[search_place(&item->request.submit, stops, n_stops, sizeof *stops,
                                        search_by_number)];
    }
    free(stops);
}

struct trace *trace_ordered(struct trace *trace, struct error *err)
{
    struct trace *result = NULL;
    struct trace_census census;
    struct trace_list list;
    int sorted;

    trace = trace_look_ahead(trace, err);
    if (!trace)
        return NULL;
    sorted = is_sorted(trace, &census, err);
    if (sorted > 0)
        return trace;
    trace_list_init(&list);
    if (sorted == 0 && trace_list_load(&list, trace, 0, err) == 0) {
        find_stops(&list);
        trace_list_sort(&list);
        result = trace_list_open(&list, trace_site(trace));
    }
    trace_list_finish(&list);
    trace_destroy(trace);
    return result;
}
