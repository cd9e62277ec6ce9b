/* state_file.h: the pool in an SQLite file, as in OpenNebula: changes are durable before the call
 * is answered. */
#pragma once

#include "sandbox/pools.h"

/* Open or make the file; it must belong to the same version. NULL when it cannot be used. */
struct oned_store *oned_store_open(const struct oned *oned, const char *path, struct error *err);
void oned_store_close(struct oned_store *store);

/* Whether the file has a pool already, and that pool. */
bool oned_store_is_empty(const struct oned_store *store);
int oned_store_load(struct oned *oned, struct error *err);

/* Write all that has changed since the last time; nothing without a store. A file that cannot be
 * written ends the process: nothing may be lost. */
void oned_store_commit(struct oned *oned);
