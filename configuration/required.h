/* required.h: what must be there, and what must go together. */
#pragma once

#include "configuration/configuration.h"

/* Whether a configuration whose values are stored is complete. In a file of Haizea's the options
 * are required that Haizea requires. Errors: EINVAL with the file and the option. */
int configuration_check(const struct configuration *configuration, struct error *err);
