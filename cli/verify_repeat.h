/* verify_repeat.h: repeats the run of a record, for `galerna verify`. */
#pragma once

#include <jansson.h>

#include "cli/replay.h"
#include "verify/verify.h"

/* The record that the run of these arguments gives; a new reference. NULL: errors of the
 * configuration, the trace or the run, which must be one run. */
json_t *verify_repeat(const struct replay_options *options, struct error *err);

/* Carries out the run of the record's own inputs and compares. Modules are searched for in
 * policy_path (folders with ':' between them, or NULL) and where Galerna's own are, never where the
 * record says. What is not possible is noted in verification, as not checked. Errors: EINTR, those
 * of writing the repeated record. */
int verify_repeat_recorded(json_t *record, const char *name, const char *policy_path,
                           struct verification *verification, struct error *err);
