/* fair_shares.h: option scheduling.fair-shares, the shares of users and groups. */
#pragma once

#include "configuration/ini.h"
#include "core/settings.h"
#include "util/error.h"

/* Reads "user:5=2, group:100=10" into the weights. entry NULL: none. Errors: EINVAL with file:line.
 */
int fair_shares_read(const struct ini_entry *entry, struct fair_share_settings *settings,
                     struct error *err);
