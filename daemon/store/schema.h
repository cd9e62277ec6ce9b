/* store_schema.h: the tables of the state file and their versions. */
#ifndef GALERNA_DAEMON_STORE_SCHEMA_H
#define GALERNA_DAEMON_STORE_SCHEMA_H

#include "daemon/store/private.h"

/* The version that this program writes. */
extern const int store_schema_version;

enum { STORE_SUMMED_VERSION = 6 }; /* the first with checksums */

/* Check that the open file is a sound state file, and bring it up to this version, each step in a
 * transaction of its own. Errors: EBADMSG (damaged), EPROTO (something else's, or from a newer
 * version: says what to do), those of SQLite. */
int store_schema_prepare(struct store *store, struct error *err);

/* In an empty file: the tables of a version. */
int store_schema_create(const struct store *store, int version, struct error *err);

#endif
