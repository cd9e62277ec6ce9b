/* Requests held in memory. */
#include "lwf/trace_list.h"

#include <stdlib.h>
#include <string.h>

#include "lwf/trace_combine.h"
#include "lwf/trace_methods.h"
#include "util/memory.h"

/* The requests read ahead, in a few megabytes of memory. */
enum { AHEAD_MOST = 8192 };

struct list_trace {
    struct trace trace;
    struct trace_list list;
    size_t next;
    struct trace *rest; /* the requests after the list; NULL: none */
    struct site site;
};

void trace_list_init(struct trace_list *list)
{
    memset(list, 0, sizeof *list);
}

void trace_list_finish(struct trace_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        memory_free(list->items[i].request.node_sets);
        memory_free(list->items[i].request.image);
    }
    free(list->items);
    trace_list_init(list);
}

void trace_list_add(struct trace_list *list, const struct lease_request *request)
{
    struct trace_list_item *item;

    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    item = &list->items[list->n];
    item->request = *request;
    item->request.node_sets =
        memory_copy(request->node_sets, request->n_node_sets * sizeof *request->node_sets);
    item->request.image = memory_text(request->image);
    item->stop = request->submit;
    item->place = list->n++;
}

int trace_list_load(struct trace_list *list, struct trace *trace, int64_t id_offset,
                    struct error *err)
{
    struct lease_request request;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0) {
        request.id += id_offset;
        trace_list_add(list, &request);
    }
    return more;
}

static int compare(const void *left, const void *right)
{
    const struct trace_list_item *a = left, *b = right;

    if (a->request.submit != b->request.submit)
        return a->request.submit < b->request.submit ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

void trace_list_sort(struct trace_list *list)
{
    qsort(list->items, list->n, sizeof *list->items, compare);
}

static const struct list_trace *list_of(const struct trace *trace)
{
    return (const struct list_trace *)trace;
}

static int list_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct list_trace *list = (struct list_trace *)trace;

    if (list->next == list->list.n)
        return list->rest ? trace_next(list->rest, request, err) : 0;
    *request = list->list.items[list->next++].request;
    return 1;
}

static int64_t list_stop(const struct trace *trace, const struct lease_request *request)
{
    const struct list_trace *list = list_of(trace);

    return list->rest ? request->submit : list->list.items[list->next - 1].stop;
}

static double list_progress(const struct trace *trace)
{
    const struct list_trace *list = list_of(trace);

    return list->list.n > 0 ? (double)list->next / (double)list->list.n : 1;
}

static int list_census(const struct trace *trace, struct trace_census *census, struct error *err)
{
    const struct trace_list *list = &list_of(trace)->list;

    if (list_of(trace)->rest)
        return trace_take_census(list_of(trace)->rest, census, err);
    *census = (struct trace_census){.sorted = true};
    for (size_t i = 0; i < list->n; i++)
        trace_census_add(census, &list->items[i].request);
    return 0;
}

static void list_destroy(struct trace *trace)
{
    struct list_trace *list = (struct list_trace *)trace;

    trace_list_finish(&list->list);
    trace_destroy(list->rest);
    if (list->trace.site)
        site_finish(&list->site);
    free(list);
}

static const struct trace_methods methods = {
    .next = list_next,
    .stop = list_stop,
    .progress = list_progress,
    .census = list_census,
    .destroy = list_destroy,
};

struct trace *trace_list_open(struct trace_list *list, const struct site *site)
{
    struct list_trace *trace = memory_new(1, sizeof *trace);

    trace->trace.methods = &methods;
    trace->list = *list;
    trace_list_init(list);
    if (site) {
        site_copy(&trace->site, site);
        trace->trace.site = &trace->site;
    }
    return &trace->trace;
}

struct trace *trace_look_ahead(struct trace *trace, struct error *err)
{
    struct trace_list list;
    struct lease_request request;
    struct trace *result = NULL;
    int more = 1;

    trace_list_init(&list);
    while (list.n < AHEAD_MOST && (more = trace_next(trace, &request, err)) > 0)
        trace_list_add(&list, &request);
    if (more >= 0)
        result = trace_list_open(&list, more == 0 ? trace_site(trace) : NULL);
    if (result && more > 0)
        result->input = ((struct list_trace *)result)->rest = trace;
    else
        trace_destroy(trace);
    trace_list_finish(&list);
    return result;
}

struct trace *trace_from_requests(const struct lease_request *requests, size_t n,
                                  const struct site *site)
{
    struct trace_list list;

    trace_list_init(&list);
    for (size_t i = 0; i < n; i++)
        trace_list_add(&list, &requests[i]);
    return trace_list_open(&list, site);
}
