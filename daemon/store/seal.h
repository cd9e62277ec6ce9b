/* seal.h: how many commits the store must have, in a file beside it (store.seal).
 *
 * SQLite takes the end of a damaged or cut log for one that was never written: what is lost with it
 * is missed only by this number. The file is written after each commit, in place and without
 * waiting for the disk (about 2 us): it may be behind the store, never ahead.
 */
#ifndef GALERNA_DAEMON_STORE_SEAL_H
#define GALERNA_DAEMON_STORE_SEAL_H

#include <stdint.h>

#include "util/error.h"

enum { SEAL_NONE = -1, SEAL_DAMAGED = -2, SEAL_FAILED = -3 };

/* The number; SEAL_NONE: no such file, or an empty one; SEAL_DAMAGED; or SEAL_FAILED with err. */
int64_t seal_read(const char *path, struct error *err);

/* Open for writing. A file that is not there is created with the number 0, on the disk when this
 * returns. The descriptor, or -1 with err. */
int seal_open(const char *path, struct error *err);
int seal_write(int fd, int64_t commits, const char *path, struct error *err);

#endif
