/* trace_methods.h: the methods a reader or combinator implements to be a struct trace. */
#pragma once

#include "lwf/trace.h"

struct trace_methods {
    int (*next)(struct trace *trace, struct lease_request *request, struct error *err);
    double (*progress)(const struct trace *trace);
    const struct site *(*site)(const struct trace *trace);
    /* See trace_take_census(). */
    int (*census)(const struct trace *trace, struct trace_census *census, struct error *err);
    void (*destroy)(struct trace *trace);
};

/* First member of every reader and combinator. */
struct trace {
    const struct trace_methods *methods;
};

/* Reads a trace to its end, destroys it and returns its totals: readers answer census() with a
 * second instance of themselves. `again` may be NULL (opening it failed): -1. */
int trace_census_by_reading(struct trace *again, struct trace_census *census, struct error *err);
