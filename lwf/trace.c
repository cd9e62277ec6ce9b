/* Calls the methods of a trace. */
#include "lwf/trace.h"

#include <errno.h>
#include <string.h>

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

int trace_take_census(const struct trace *trace, struct trace_census *census, struct error *err)
{
    return trace->methods->census(trace, census, err);
}

int trace_census_by_reading(struct trace *again, struct trace_census *census, struct error *err)
{
    struct lease_request request;
    int more;

    if (!again)
        return -1;
    memset(census, 0, sizeof *census);
    census->sorted = true;
    while ((more = trace_next(again, &request, err)) > 0) {
        census->leases[request.kind]++;
        if (census->total++ > 0 && request.submit < census->last_submit)
            census->sorted = false;
        else
            census->last_submit = request.submit;
    }
    trace_destroy(again);
    return more;
}

void trace_destroy(struct trace *trace)
{
    int saved = errno;

    if (trace)
        trace->methods->destroy(trace);
    errno = saved;
}
