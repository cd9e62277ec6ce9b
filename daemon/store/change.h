/* change.h: write access to the records of a store, only for the owners of their fields: the store
 * itself, and lease_state.c and vm_state.c in daemon/state/ (a test counts the includes). All other
 * code holds `const` records.
 *
 * The store_change_ functions mark the record for the next commit. The store_note_ functions do
 * not: they are for fields that are not stored. The record must be in memory. O(1).
 */
#pragma once

#include "daemon/store/store.h"

struct lease_record *store_change_lease(struct store *store, const struct lease_record *lease);
struct lease_record *store_note_lease(struct store *store, const struct lease_record *lease);
struct vm_record *store_change_vm(struct store *store, const struct vm_record *vm);
struct vm_record *store_note_vm(struct store *store, const struct vm_record *vm);

/* Replace a record's text by a copy of at most `most` bytes, and free the old text; "" takes no
 * memory. *place: NULL, a constant "", or a text set by this function. */
void store_put_text(const char **place, const char *text, size_t most);

/* The hosts that the VM avoids, to be changed. */
struct avoided_hosts *store_avoided(struct vm_record *vm);
