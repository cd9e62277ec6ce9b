/* trace_list.h: requests held in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lwf/trace.h"

struct trace_list_item {
    struct lease_request request; /* node_sets and image are its own */
    int64_t order;                /* sorted by this, then by place */
    size_t place;
};

struct trace_list {
    struct trace_list_item *items;
    size_t n, allocated;
};

void trace_list_init(struct trace_list *list);
void trace_list_finish(struct trace_list *list);

/* Append a copy of the request. */
void trace_list_add(struct trace_list *list, const struct lease_request *request);

/* Append all that is left of a trace, with `id_offset` added to the ids. -1 as trace_next(). */
int trace_list_load(struct trace_list *list, struct trace *trace, int64_t id_offset,
                    struct error *err);

/* The same trace, with its first requests held in memory. If it has no more than these, its totals
 * are known without reading it again. NULL as trace_next(). */
struct trace *trace_look_ahead(struct trace *trace, struct error *err);

/* Sort stably by item->order. */
void trace_list_sort(struct trace_list *list);

/* A trace of the list's requests; takes over the list's contents. site may be NULL and is
 * copied. */
struct trace *trace_list_open(struct trace_list *list, const struct site *site);
