/* record_inputs.h: writes the inputs of a run as JSON. Internal to the record. */
#pragma once

#include "configuration/configuration.h"
#include "core/site.h"
#include "util/json_writer.h"

struct run_inputs {
    const struct configuration *configuration;
    const struct site *site;
    struct output *requests; /* a spool of objects, separated by commas */
    uint64_t steps;
};

/* Writes the key "inputs" with its object. */
void record_inputs(struct json_writer *json, const struct run_inputs *inputs);
