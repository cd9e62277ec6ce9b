/* seal.h: the expected number of commits of the store, in a file beside it (store.seal).
 *
 * SQLite treats the end of a damaged or cut log as never written: only this number shows that
 * commits are missing. The file is written after each commit, in place and without waiting for the
 * disk (about 2 us): the number may lag behind the store, but is never ahead.
 */
#pragma once

#include <stdint.h>

#include "util/error.h"

enum { SEAL_NONE = -1, SEAL_DAMAGED = -2, SEAL_FAILED = -3 };

/* The number; SEAL_NONE: file missing or empty; SEAL_DAMAGED; or SEAL_FAILED with err. */
int64_t seal_read(const char *path, struct error *err);

/* Open the file for writing. If it is missing or empty, the number 0 is on disk when this returns.
 * The descriptor, or -1 with err. */
int seal_open(const char *path, struct error *err);
int seal_write(int fd, int64_t commits, const char *path, struct error *err);
