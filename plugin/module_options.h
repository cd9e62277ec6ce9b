/* module_options.h: checks configured options against a module's table of options. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plugin/galerna_policy.h"
#include "plugin/module.h"
#include "plugin/policy_host.h"
#include "util/error.h"

/* Values for one instance, and the texts they point to. */
struct option_values {
    union galerna_value *values;
    char **texts; /* one per option, NULL unless the value is a text */
    size_t n;
};

/* Is the row of a table valid: type, range, choices, and defaults that satisfy it? */
int option_check(const struct galerna_option *option, struct error *err);

/* Parses one value; text is not modified. Errors name the expected values. */
int option_parse(const struct galerna_option *option, const char *text, union galerna_value *value,
                 struct error *err);

/* "yes or no", "whole number, 1 to 10", "oldest-first or youngest-first", ... */
void option_expected(const struct galerna_option *option, char *text, size_t size);

/* The default in a mode, as text; NULL: the option is required. */
const char *option_default(const struct galerna_option *option, bool haizea_compatible);

/* Reads all values of a module: its defaults, overridden by the options in the settings for this
 * module (case and path are ignored), of which the last counts. Errors: EINVAL with file:line and
 * "did you mean". */
int option_values_read(struct option_values *values, const struct module *module,
                       const struct policy_host_settings *settings, struct error *err);
void option_values_finish(struct option_values *values);
