/* Reads whole files, and recognizes files. */
#include "util/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_regular(const char *path, struct stat *status)
{
    return path && strcmp(path, "-") != 0 && stat(path, status) == 0 && S_ISREG(status->st_mode);
}

int file_keep_input(const char *output, const char *input, struct error *err)
{
    struct stat written, read;

    if (!is_regular(output, &written) || !is_regular(input, &read) ||
        written.st_dev != read.st_dev || written.st_ino != read.st_ino)
        return 0;
    return error_set(err, EINVAL, "%s: is an input as well; choose another file for the output",
                     output);
}
