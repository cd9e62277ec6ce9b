/* Calls the methods of a trace. */
#include "lwf/trace.h"

#include <errno.h>

#include "lwf/trace_methods.h"

int trace_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    return trace->methods->next(trace, request, err);
}

int64_t trace_stop(const struct trace *trace, const struct lease_request *request)
{
    return trace->methods->stop ? trace->methods->stop(trace, request) : request->submit;
}

double trace_progress(const struct trace *trace)
{
    if (trace->input)
        return trace_progress(trace->input);
    return trace->source ? source_progress(trace->source) : trace->methods->progress(trace);
}

const struct site *trace_site(const struct trace *trace)
{
    return trace->input ? trace_site(trace->input) : trace->site;
}

void trace_census_add(struct trace_census *census, const struct lease_request *request)
{
    census->leases[request->kind]++;
    if (census->total++ > 0 && request->submit < census->last_submit)
        census->sorted = false;
    else
        census->last_submit = request->submit;
}

static int count_again(const struct trace *trace, struct trace_census *census, struct error *err)
{
    struct source *source = source_again(trace->source, err);
    struct trace *again = source ? trace->methods->again(source, trace, err) : NULL;
    struct lease_request request;
    int more;

    if (!again)
        return -1;
    *census = (struct trace_census){.sorted = true};
    while ((more = trace_next(again, &request, err)) > 0)
        trace_census_add(census, &request);
    trace_destroy(again);
    return more;
}

int trace_take_census(const struct trace *trace, struct trace_census *census, struct error *err)
{
    if (trace->methods->census)
        return trace->methods->census(trace, census, err);
    return trace->input ? trace_take_census(trace->input, census, err)
                        : count_again(trace, census, err);
}

void trace_destroy(struct trace *trace)
{
    int saved = errno;

    if (trace)
        trace->methods->destroy(trace);
    errno = saved;
}
