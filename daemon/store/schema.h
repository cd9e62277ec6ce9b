/* schema.h: the tables of the state file and their versions. */
#pragma once

#include "daemon/store/private.h"

/* The schema version that this program writes. */
extern const int store_schema_version;

enum { STORE_SUMMED_VERSION = 6 }; /* the first version with checksums */

/* Check that the open file is a valid state file, migrate it to this version, each step in its own
 * transaction, open its seal and prepare the checksums of its rows. Errors: EBADMSG (damaged),
 * EPROTO (not a state file, or of a newer version; the text gives advice), errors of SQLite. */
int store_schema_prepare(struct store *store, struct error *err);

/* Create the tables of a version in an empty file. */
int store_schema_create(const struct store *store, int version, struct error *err);
