/* trace_methods.h: the methods that readers and combinators of traces implement. */
#pragma once

#include "lwf/source.h"
#include "lwf/trace.h"

struct trace_methods {
    int (*next)(struct trace *trace, struct lease_request *request, struct error *err);
    /* See trace_stop(); NULL: the submission. */
    int64_t (*stop)(const struct trace *trace, const struct lease_request *request);
    double (*progress)(const struct trace *trace); /* NULL: that of the input or the source */
    /* See trace_take_census(). */
    int (*census)(const struct trace *trace, struct trace_census *census, struct error *err);
    void (*destroy)(struct trace *trace);
};

/* The first member of every reader and combinator. Unless set, the members are NULL. */
struct trace {
    const struct trace_methods *methods;
    const struct trace *input;   /* has the progress and the site of the trace; NULL: none */
    const struct source *source; /* of a reader */
    const struct site *site;     /* NULL: that of the input, or unknown */
};

/* Reads a trace to its end, destroys it and returns its totals; readers implement census() with a
 * second instance of themselves. -1 if `again` is NULL (opening it failed). */
int trace_census_by_reading(struct trace *again, struct trace_census *census, struct error *err);
