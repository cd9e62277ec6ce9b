/* files.h: the static files of galerna-web: the page, and the description of the API. They are read
 * at the start. */
#pragma once

#include <stddef.h>

#include "util/error.h"

struct file {
    const char *path; /* in URLs: "/", "/calendar.js" */
    const char *type;
    char *text;
    size_t length;
};

struct files; /* opaque */

/* NULL with err: a file of `directory` cannot be read. */
struct files *files_create(const char *directory, struct error *err);
void files_destroy(struct files *files); /* NULL is allowed */

/* NULL: there is no such file. */
const struct file *files_find(const struct files *files, const char *path);
