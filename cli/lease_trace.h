/* lease_trace.h: prints the trace of the decision about a lease. */
#pragma once

#include <jansson.h>

/* Prints the trace in an answer to lease-trace as text. */
void lease_trace_print(const json_t *trace);
