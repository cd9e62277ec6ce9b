/* module_search.h: finds modules, and checks whether their files can be trusted. */
#pragma once

#include <stddef.h>

#include "plugin/module.h"
#include "util/error.h"

/* The directories to search, in order. */
struct search_path {
    char **directories;
    size_t n;
    size_t allocated;
    size_t n_own; /* the first ones, not of the installation */
};

/* The given directories, then $GALERNA_POLICY_PATH, then the build tree of the program, then the
 * installed directory. Directories that do not exist are kept: errors name them. */
void search_path_init(struct search_path *path, const char *const *directories, size_t n);
void search_path_finish(struct search_path *path);

/* The policy's name from a configured name or path: last component, without .so, in lower case,
 * with - for _. Truncated if too long. */
void search_name(const char *written, char *name, size_t size);

/* Finds a policy by name or, if `written` contains a /, by path. Fills source; *file owns the
 * resolved path, to be freed with free(). Errors: ENOENT (with the directories searched, the
 * existing modules and a suggestion), EACCES. source->kind limits the modules listed by an error;
 * 0: all kinds. */
int search_find(const struct search_path *path, const char *written, struct module_source *source,
                char **file, struct error *err);

/* The file of a policy that is found by name in a directory that is not of the installation, to be
 * freed with free(); NULL: it is not there. */
char *search_own(const struct search_path *path, const char *name);

/* Finds a module and inspects it (inspect.h). The caller ends this with inspect_end(). */
struct module *module_inspect(const struct search_path *path, const char *written,
                              struct error *err);

/* Calls visit for the file of each module on the path, by directory and name, without files hidden
 * by an earlier file of the same name. */
void search_each(const struct search_path *path,
                 void (*visit)(void *context, const char *name, const char *file), void *context);

/* Refuses a file if users other than root and the current user may write it or its directory. The
 * path must be resolved. Errors: ENOENT, EACCES with a remedy. */
int trust_check(const char *file, struct error *err);
