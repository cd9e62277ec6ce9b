/* trace_list.h: requests held in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lwf/trace.h"

struct trace_list_item {
    struct lease_request request; /* the item owns node_sets and image */
    int64_t stop;                 /* see trace_stop() */
    size_t place;
};

struct trace_list {
    struct trace_list_item *items;
    size_t n, allocated;
};

void trace_list_init(struct trace_list *list);
void trace_list_finish(struct trace_list *list);

/* Appends a copy of the request. */
void trace_list_add(struct trace_list *list, const struct lease_request *request);

/* Appends the rest of a trace, with `id_offset` added to the ids. -1 as trace_next(). */
int trace_list_load(struct trace_list *list, struct trace *trace, int64_t id_offset,
                    struct error *err);

/* Reads the first requests of a trace into memory and returns the same trace. The totals of a short
 * trace, which ends within these requests, need no second pass. NULL: errors as trace_next(). */
struct trace *trace_look_ahead(struct trace *trace, struct error *err);

/* Sorts stably by submission. */
void trace_list_sort(struct trace_list *list);

/* A trace of the list's requests. Takes over the list's contents; copies site, which may be NULL.
 */
struct trace *trace_list_open(struct trace_list *list, const struct site *site);
