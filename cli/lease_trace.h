/* lease_trace.h: prints what the decision about a lease consists of. */
#ifndef GALERNA_CLI_LEASE_TRACE_H
#define GALERNA_CLI_LEASE_TRACE_H

#include <jansson.h>

/* For people: the trace of an answer to lease-trace. */
void lease_trace_print(const json_t *trace);

#endif
