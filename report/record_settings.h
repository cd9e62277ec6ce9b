/* record_settings.h: writes the scheduler's settings as JSON. */
#pragma once

#include "configuration/configuration.h"
#include "core/settings.h"
#include "core/site.h"
#include "util/json_writer.h"

/* Writes the keys "behaviour" and "settings" with their objects. */
void record_settings(struct json_writer *json, const struct engine_settings *settings);

/* Calls visit with the name and value of each setting as text, except settings that are not set. If
 * visit returns another value than 0, stops and returns it. */
int settings_each(const struct engine_settings *settings,
                  int (*visit)(void *context, const char *name, const char *value), void *context);

struct run_inputs {
    const struct configuration *configuration;
    const struct site *site;
    struct output *requests; /* a spool of objects, separated by commas */
    uint64_t steps;
};

/* Writes the key "inputs" with its object. */
void record_inputs(struct json_writer *json, const struct run_inputs *inputs);
