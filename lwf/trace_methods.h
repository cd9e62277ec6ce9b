/* trace_methods.h: the methods that readers and combinators of traces implement. */
#pragma once

#include "lwf/source.h"
#include "lwf/trace.h"

struct trace_methods {
    int (*next)(struct trace *trace, struct lease_request *request, struct error *err);
    /* See trace_stop(); NULL: the submission. */
    int64_t (*stop)(const struct trace *trace, const struct lease_request *request);
    double (*progress)(const struct trace *trace); /* NULL: that of the input or the source */
    /* See trace_take_census(); NULL: that of the input, or taken from the second. */
    int (*census)(const struct trace *trace, struct trace_census *census, struct error *err);
    /* A second reader of the source. */
    struct trace *(*again)(struct source *source, const struct trace *trace, struct error *err);
    void (*destroy)(struct trace *trace);
};

/* The first member of every reader and combinator. Unless set, the members are NULL. */
struct trace {
    const struct trace_methods *methods;
    const struct trace *input;   /* has the progress and the site of the trace; NULL: none */
    const struct source *source; /* of a reader */
    const struct site *site;     /* NULL: that of the input, or unknown */
};

/* Adds a request to the totals, which begin as {.sorted = true}. */
void trace_census_add(struct trace_census *census, const struct lease_request *request);
