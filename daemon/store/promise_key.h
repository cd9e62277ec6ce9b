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

/* Read the key, or make one (mode 0600) if the file does not exist; *made says which. Errors: EPERM
 * (others can read or write the file, or it is not this user's), EINVAL (it contains no key),
 * errors of the file system. */
int promise_key_load(const char *path, struct promise_key *key, bool *made, struct error *err);

/* Read the key and change nothing. Errors: EINVAL (it contains no key), errors of the file
 * system. */
int promise_key_read(const char *path, struct promise_key *key, struct error *err);

/* 16 characters by which keys can be compared; they do not help to sign. */
void promise_key_name(const struct promise_key *key, char text[PROMISE_KEY_NAME_MAX]);

/* Sign the first `length` bytes of the text. The signature has no terminating NUL. O(length). */
void promise_key_sign(const struct promise_key *key, const char *text, size_t length,
                      char signature[PROMISE_SIGNATURE_SIZE]);
