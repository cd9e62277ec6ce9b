/* state_directory.h: access to the state directory, and its lock.
 *
 * The file `lock` in the directory is locked (flock) while a daemon uses the directory, and
 * contains that daemon's process id. The kernel releases the lock when the process ends, in
 * whatever way.
 */
#pragma once

#include "util/error.h"

/* Create the directory if needed (mode 0700, its parent must exist), check that it belongs to this
 * user and that no other users have access (an empty one is made private), and lock it. Returns the
 * lock's descriptor, to be closed at the end; or -1: EBUSY (names the process), EPERM, errors of
 * the file system. */
int store_state_lock(const char *directory, struct error *err);

/* Make a directory for this user only; below $HOME, also its missing parents: elsewhere, a missing
 * parent may be a file system that is not mounted. Also returns 0 if the name exists; -1 with errno
 * of mkdir(2). */
int store_make_directory(const char *path);

/* Lock a file, created if needed, until the returned descriptor is closed. Only trusted users may
 * be able to write to its directory. what: the subject of the lock, for the message. -1 with err:
 * as store_state_lock(). */
int store_state_take(const char *path, const char *what, struct error *err);

/* Rename a database of earlier versions, book.db, and its log to store.db, unless store.db exists.
 * After an interruption the next call continues. The lock must be held. Errors: those of the file
 * system. */
int store_state_take_over(const char *directory, struct error *err);

/* Make sure that the file exists and only this user can read it, before another user creates it.
 * Errors: EPERM (other users can read or write it, or it belongs to another user), ELOOP (a
 * symbolic link), errors of the file system. */
int store_state_make_private(const char *path, struct error *err);
