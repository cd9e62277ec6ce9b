/* probes.h: accounting.probes, the figures that Haizea was asked to keep. */
#pragma once

#include <stdint.h>

#include "configuration/ini.h"
#include "util/error.h"

/* Read the names of probes in entry, separated by blanks or commas, and store in *left_out the
 * counters that none of them keeps: bit per enum accounting_counter. The names that Haizea 1.1 adds
 * are accepted; their figures are always recorded. entry NULL: no probes. Errors: EINVAL with where
 * the unknown name is and the nearest one. */
int probes_read(const struct ini_entry *entry, uint32_t *left_out, struct error *err);
