/* repair.h: rebuilds a damaged store from its valid rows. */
#pragma once

#include "util/error.h"

/* A line about lost or kept data: a sentence without a full stop. */
typedef void repair_report(void *context, const char *line);

/* Copy every row that matches its checksum to a new store, which replaces the damaged one; the
 * damaged one is kept beside it (store.db.damaged-1, ...). An unfinished lease with missing VMs is
 * left out with all its VMs: galernad adopts the VMs again. Losses are reported line by line; a
 * valid store is only migrated, without a report. -1 with err: as store_open(), and errors of the
 * file system. The damaged file is kept in any case; if only a step after its replacement fails
 * (renewing the seal, opening the new store), the new store is in its place. */
int store_repair(const char *directory, repair_report *report, void *context, struct error *err);
