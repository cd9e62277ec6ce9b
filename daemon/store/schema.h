/* store_schema.h: the tables of the state file and their versions. */
#ifndef GALERNA_DAEMON_STORE_SCHEMA_H
#define GALERNA_DAEMON_STORE_SCHEMA_H

#include "daemon/store/private.h"

/* The version that this program writes. */
extern const int store_schema_version;

/* Check that the open file is a sound state file, and bring it up to this version, each step in a
 * transaction of its own. Errors: EPROTO (damaged, something else's, or from a newer version: says
 * what to do), those of SQLite. */
int store_schema_prepare(struct store *store, struct error *err);

#endif
