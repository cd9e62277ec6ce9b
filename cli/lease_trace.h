/* lease_trace.h: prints what the decision about a lease consists of. */
#pragma once

#include <jansson.h>

/* For people: the trace of an answer to lease-trace. */
void lease_trace_print(const json_t *trace);
