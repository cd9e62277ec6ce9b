/* verify_repeat.h: the run of a record once more. */
#pragma once

#include <jansson.h>

#include "cli/replay.h"

/* The record of the one run that the options ask for: a new reference, or NULL. */
json_t *verify_repeat(const struct replay_options *options, struct error *err);
