/* required.h: required options, and options that must be set together. */
#pragma once

#include "configuration/configuration.h"

/* Checks that a configuration is complete, after all values have been stored. A Haizea file needs
 * the options that Haizea requires. Errors: EINVAL with the file and the option. */
int configuration_check(const struct configuration *configuration, struct error *err);
