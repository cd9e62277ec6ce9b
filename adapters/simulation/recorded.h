/* recorded.h: the inputs of a run, from its record (doc/record-format.md, "inputs").
 *
 * Records come from anywhere. What is read here has the limits of traces and configurations, names
 * no files, and asks for no more VMs than the record has.
 */
#pragma once

#include <jansson.h>

#include "configuration/configuration.h"
#include "core/site.h"
#include "lwf/trace.h"

struct recorded_run {
    struct configuration *configuration;
    struct site site;    /* this and the trace are the stage's when it has taken them */
    struct trace *trace; /* the requests that were read */
    uint64_t steps;      /* of the engine */
    bool interrupted;    /* after these steps */
};

/* Reads them; errors name the place in the record, which they call `name`. recorded_run_finish() it
 * after success. Errors: EINVAL (nothing that a run writes). */
int recorded_run_read(struct recorded_run *run, json_t *record, const char *name,
                      struct error *err);
void recorded_run_finish(struct recorded_run *run);
