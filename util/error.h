/* error.h: errors as a value the caller supplies: what failed, where, and what to do.
 *
 * A function that can fail takes a `struct error *` last (NULL: the caller does not want the text),
 * returns -1 or NULL and fills it once. The text says what was wrong, where (file:line:column or
 * lease id) and what to do; it has no trailing newline or full stop.
 */
#pragma once

enum { ERROR_TEXT_MAX = 512 };

struct error {
    int code;                  /* an errno value; 0 = no error */
    char text[ERROR_TEXT_MAX]; /* cut at the end when too long, always terminated */
};

/* Fill err (NULL is allowed) and set errno to code. Always returns -1, so that a function can end
 * with `return error_set(err, EINVAL, ...)`. */
int error_set(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a function that returns a pointer. Always returns NULL. */
void *error_null(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* error_set() for a system call that failed: the code is errno, and its text follows ": ". */
int error_errno(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "prefix: " in front of the text err already has. Always returns -1. */
int error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
