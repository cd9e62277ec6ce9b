/* record_settings.h: writes the scheduler's settings as JSON. */
#pragma once

#include "core/settings.h"
#include "util/json_writer.h"

/* Writes the keys "behaviour" and "settings" with their objects. */
void record_settings(struct json_writer *json, const struct engine_settings *settings);

/* Calls visit with the name and value of each setting as text, except settings that are not set. If
 * visit returns another value than 0, stops and returns it. */
int settings_each(const struct engine_settings *settings,
                  int (*visit)(void *context, const char *name, const char *value), void *context);
