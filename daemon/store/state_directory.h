/* store_state.h: the state directory: who may see it, and who has it.
 *
 * A file `lock` in it is locked (flock) as long as a daemon uses the directory, and holds that
 * daemon's process id. The lock goes with the process, however it ends.
 */
#ifndef GALERNA_DAEMON_STORE_STATE_H
#define GALERNA_DAEMON_STORE_STATE_H

#include "util/error.h"

/* Make the directory if need be (mode 0700, its parent must exist), check that it is this user's
 * and no others may use it (an empty one is made so), and lock it. Returns the lock's descriptor,
 * to be closed at the end; or -1: EBUSY (names the process), EPERM, those of the file system. */
int store_state_lock(const char *directory, struct error *err);

/* Lock a file, which is made if need be, for the life of this process. Its directory must be one
 * that only trusted users may write to. what: what it stands for, for the message. As
 * store_state_lock().
 */
int store_state_take(const char *path, const char *what, struct error *err);

/* A state whose database is still called book.db is taken over: it is renamed to store.db, with its
 * log, unless there is a store.db. After an interruption the next call goes on. The lock must be
 * held. Errors: those of the file system. */
int store_state_take_over(const char *directory, struct error *err);

/* Make sure that a file is there that only this user can read, before another user creates it.
 * Errors: EPERM (others can read or write it, or it is not this user's), ELOOP (a symbolic link),
 * those of the file system. */
int store_state_make_private(const char *path, struct error *err);

#endif
