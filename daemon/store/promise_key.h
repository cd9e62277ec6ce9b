/* promise_key.h: the key that signs promises, and its file: 64 hexadecimal digits and a newline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum {
    PROMISE_KEY_SIZE = 32,       /* bytes */
    PROMISE_SIGNATURE_SIZE = 44, /* characters: HMAC-SHA256 in base64 */
    PROMISE_KEY_NAME_MAX = 24,
};

struct promise_key {
    unsigned char bytes[PROMISE_KEY_SIZE];
};

/* Read the key, or create one (mode 0600) if the file does not exist, and set *made. Errors: EPERM
 * (other users can read or write the file, or it belongs to another user), EINVAL (the file
 * contains no key), errors of the file system. */
int promise_key_load(const char *path, struct promise_key *key, bool *made, struct error *err);

/* Read the key without changing anything. Errors: EINVAL (the file contains no key), errors of the
 * file system. */
int promise_key_read(const char *path, struct promise_key *key, struct error *err);

/* 16 characters to compare keys with; they do not help to sign. */
void promise_key_name(const struct promise_key *key, char text[PROMISE_KEY_NAME_MAX]);

/* Sign the first `length` bytes of the text. The signature has no terminating NUL. O(length). */
void promise_key_sign(const struct promise_key *key, const char *text, size_t length,
                      char signature[PROMISE_SIGNATURE_SIZE]);
