/* promise_key.h: the file with the key that signs promises: 64 hexadecimal digits and a newline. */
#ifndef GALERNA_DAEMON_PROMISE_KEY_H
#define GALERNA_DAEMON_PROMISE_KEY_H

#include "daemon/live/promise.h"
#include "util/error.h"

/* Read the key, or make one (mode 0600) if the file does not exist; *made says which. Errors: EPERM
 * (others can read or write the file, or it is not this user's), EINVAL (it contains no key),
 * errors of the file system. */
int promise_key_load(const char *path, struct promise_key *key, bool *made, struct error *err);

#endif
