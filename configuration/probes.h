/* probes.h: option accounting.probes, the selection of recorded figures. */
#pragma once

#include <stdint.h>

#include "configuration/ini.h"
#include "util/error.h"

/* Reads the names of probes in entry, separated by blanks or commas, and stores the counters that
 * none of them keeps in *left_out: bit per enum accounting_counter. Additional names of Haizea 1.1
 * are accepted; their figures are always recorded. entry NULL: no probes. Errors: EINVAL with the
 * location of the unknown name and the nearest one. */
int probes_read(const struct ini_entry *entry, uint32_t *left_out, struct error *err);
