/* lease_trace.h: prints how the decision about a lease was made. */
#pragma once

#include <jansson.h>

/* For people: the trace of an answer to lease-trace. */
void lease_trace_print(const json_t *trace);
