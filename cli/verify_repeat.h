/* verify_repeat.h: repeats the run of a record, for `galerna verify`. */
#pragma once

#include <jansson.h>

#include "cli/replay.h"
#include "verify/verify.h"

/* The record of the run with these arguments; a new reference. NULL: errors of the configuration,
 * the trace or the run; the arguments must give exactly one run. */
json_t *verify_repeat(const struct replay_options *options, struct error *err);

/* Does the record contain the inputs of its run? Those of versions 1 to 3 do not. */
bool verify_has_inputs(json_t *record);

/* Repeats the run with the record's own inputs, and compares the records. Modules are searched for
 * in policy_path (folders separated by ':', or NULL) and in Galerna's own folders, but not in
 * folders from the record. A repetition that is impossible is a violation, since a record could
 * be made to prevent it. Errors: EINTR, errors of writing the repeated record. */
int verify_repeat_recorded(json_t *record, const char *name, const char *policy_path,
                           struct verification *verification, struct error *err);
