/* file.h: whole files in memory, and files that are the same. */
#pragma once

#include <stddef.h>

#include "util/error.h"

/* The content of a file, terminated, to be freed; *length without the terminator. NULL with err,
 * "PATH: cannot be read: ...": errors of fopen(3) and fread(3), EFBIG (more than `most` bytes). */
char *file_read(const char *path, size_t most, size_t *length, struct error *err);

/* EINVAL with err, "OUTPUT: is an input as well; ...", if both paths lead to one regular file,
 * which the output would replace. NULL and "-" lead to no file. */
int file_keep_input(const char *output, const char *input, struct error *err);
