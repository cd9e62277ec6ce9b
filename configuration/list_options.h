/* list_options.h: options whose values are lists: accounting.probes, scheduling.fair-shares. */
#pragma once

#include <stdint.h>

#include "configuration/ini.h"
#include "core/settings.h"
#include "util/error.h"

/* Reads the names of probes in entry, separated by blanks or commas, and stores the counters that
 * none of them keeps in *left_out: bit per enum accounting_counter. Additional names of Haizea 1.1
 * are accepted; their figures are always recorded. entry NULL: no probes. Errors: EINVAL with the
 * location of the unknown name and the nearest one. */
int probes_read(const struct ini_entry *entry, uint32_t *left_out, struct error *err);

/* Reads "user:5=2, group:100=10" into the weights. entry NULL: none. Errors: EINVAL with file:line.
 */
int fair_shares_read(const struct ini_entry *entry, struct fair_share_settings *settings,
                     struct error *err);
