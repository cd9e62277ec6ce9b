/* record_settings.h: the scheduler's settings, as JSON. Internal to the record. */
#pragma once

#include "core/settings.h"
#include "util/json_writer.h"

/* The keys "behaviour" and "settings" with their objects. */
void record_settings(struct json_writer *json, const struct engine_settings *settings);

/* Call visit for each setting with its name and value as text; settings that are not set are left
 * out. `context` is the caller's. Stops and returns what visit returns when that is not 0. */
int settings_each(const struct engine_settings *settings,
                  int (*visit)(void *context, const char *name, const char *value), void *context);
