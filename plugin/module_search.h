/* module_search.h: where modules are, and whether their files can be trusted. */
#pragma once

#include <stddef.h>

#include "plugin/module.h"
#include "util/error.h"

/* The directories that are searched, in order. */
struct search_path {
    char **directories;
    size_t n;
    size_t allocated;
};

/* The given directories, then $GALERNA_POLICY_PATH, then the build tree the program runs from, then
 * the installed directory. Directories that do not exist are kept: errors name them. */
void search_path_init(struct search_path *path, const char *const *directories, size_t n);
void search_path_finish(struct search_path *path);

/* The policy's name from a configured name or path: last component, without .so, in lower case,
 * with - for _. Truncated when too long. */
void search_name(const char *written, char *name, size_t size);

/* Find a policy by name or, when `written` contains a /, by path. Fills source; *file owns the path
 * (resolved, free()). Errors: ENOENT (where it searched, which modules exist, did you mean),
 * EACCES. source->kind limits the modules that such an error lists; 0: all kinds. */
int search_find(const struct search_path *path, const char *written, struct module_source *source,
                char **file, struct error *err);

/* Call visit for the file of every module on the path, by directory and name; a file behind one of
 * the same name is not visited. */
void search_each(const struct search_path *path,
                 void (*visit)(void *context, const char *name, const char *file), void *context);

/* Refuse a file, or one in a directory, that others than root and the user may write. The file is a
 * resolved path. Errors: ENOENT, EACCES with what to do. */
int trust_check(const char *file, struct error *err);
