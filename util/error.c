/* Errors as a value the caller supplies: what failed, where, and what to do. */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct error *err, int code, const char *format, va_list args)
{
    errno = code;
    if (!err)
        return;
    vsnprintf(err->text, sizeof err->text, format, args);
    err->code = code;
}

int error_set(struct error *err, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, code, format, args);
    va_end(args);
    return -1;
}

void *error_null(struct error *err, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, code, format, args);
    va_end(args);
    return NULL;
}

int error_errno(struct error *err, const char *format, ...)
{
    int code = errno;
    va_list args;

    va_start(args, format);
    fill(err, code, format, args);
    va_end(args);
    if (err) {
        size_t length = strlen(err->text);

        snprintf(err->text + length, sizeof err->text - length, ": %s", strerror(code));
    }
    errno = code;
    return -1;
}

int error_prefix(struct error *err, const char *format, ...)
{
    if (err) {
        char joined[2 * ERROR_TEXT_MAX];
        va_list args;
        int length;

        va_start(args, format);
        length = vsnprintf(joined, ERROR_TEXT_MAX, format, args);
        va_end(args);
        if (length < 0)
            length = 0;
        if (length >= ERROR_TEXT_MAX)
            length = ERROR_TEXT_MAX - 1;
        snprintf(joined + length, sizeof joined - (size_t)length, ": %s", err->text);
        joined[ERROR_TEXT_MAX - 1] = '\0';
        memcpy(err->text, joined, ERROR_TEXT_MAX);
    }
    return -1;
}
