/* repair.h: a store that starts again, from what is sound of a damaged one. */
#ifndef GALERNA_DAEMON_STORE_REPAIR_H
#define GALERNA_DAEMON_STORE_REPAIR_H

#include "util/error.h"

/* One thing that is lost, or where something is; a sentence without a full stop. */
typedef void repair_report(void *context, const char *line);

/* Copy every row that matches its checksum to a new store, which takes the place of the damaged
 * one; that is kept beside it (store.db.damaged-1, ...). Leases whose VMs are not all there are
 * left out with them: galernad adopts the VMs again. What is lost is reported line by line; nothing
 * is, and nothing is written, when the store is sound. -1 with err: as store_open(), and those of
 * the file system; the store is as it was. */
int store_repair(const char *directory, repair_report *report, void *context, struct error *err);

#endif
