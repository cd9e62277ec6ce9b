/* repair.h: rebuilds a damaged store from its valid rows. */
#pragma once

#include "util/error.h"

/* A line about something lost or kept: a sentence without a full stop. */
typedef void repair_report(void *context, const char *line);

/* Copy every row that matches its checksum to a new store, which replaces the damaged one; that is
 * kept beside it (store.db.damaged-1, ...). An unfinished lease with missing VMs is left out, and
 * so are the VMs it has: galernad adopts the VMs again. Losses are reported line by line; of a
 * valid store nothing is reported, and it is only migrated. -1 with err: as store_open(), and
 * errors of the file system. The damaged file is kept in any case; if only what follows its
 * replacement fails (renewing the seal, opening the new store), the new store is in its place. */
int store_repair(const char *directory, repair_report *report, void *context, struct error *err);
