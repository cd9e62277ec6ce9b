/* Reads whole files. */
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/memory.h"

enum { CHUNK = 65536 };

char *file_read(const char *path, size_t most, size_t *length, struct error *err)
{
    FILE *file = fopen(path, "re");
    size_t allocated = 0, n;
    char *text = NULL;

    *length = 0;
    if (!file) {
        error_errno(err, "%s: cannot be read", path);
        return NULL;
    }
    do {
        text = memory_grow(text, &allocated, *length + CHUNK + 1, 1);
        n = fread(text + *length, 1, CHUNK, file);
        *length += n;
    } while (n > 0 && *length <= most);
    text[*length] = '\0';
    if (ferror(file) || *length > most) {
        errno = ferror(file) ? errno : EFBIG;
        error_errno(err, "%s: cannot be read", path);
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}
