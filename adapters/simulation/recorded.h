/* recorded.h: reads the inputs of a run from its record (doc/record-format.md, "inputs").
 *
 * Records are not trusted. Inputs must be within the limits of traces and configurations, must not
 * name files, and must not request more VMs than the record has.
 */
#pragma once

#include <jansson.h>

#include "configuration/configuration.h"
#include "core/site.h"
#include "lwf/trace.h"

struct recorded_run {
    struct configuration *configuration;
    struct site site;    /* a stage takes over this and the trace */
    struct trace *trace; /* the requests read by the run */
    uint64_t steps;      /* of the engine */
    bool interrupted;    /* after these steps */
};

/* Reads the inputs. Call recorded_run_finish() after success. Errors: EINVAL (inputs that a run
 * does not write), with the position in the record, named `name`. */
int recorded_run_read(struct recorded_run *run, json_t *record, const char *name,
                      struct error *err);
void recorded_run_finish(struct recorded_run *run);
