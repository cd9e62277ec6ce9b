/* Finds modules, and checks whether their files can be trusted. */
#include "plugin/module_search.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/inspect.h"
#include "util/memory.h"
#include "util/suggest.h"

#ifndef GALERNA_POLICY_DIRECTORY
#define GALERNA_POLICY_DIRECTORY  "/usr/lib/galerna/policies"
#define GALERNA_LIBRARY_DIRECTORY "lib"
#endif

static void add_directory(struct search_path *path, const char *directory, size_t length)
{
    char *copy;

    if (length == 0)
        return;
    copy = memory_new(length + 1, 1);
    memcpy(copy, directory, length);
    for (size_t i = 0; i < path->n; i++)
        if (strcmp(path->directories[i], copy) == 0) {
            free(copy);
            return;
        }
    MEMORY_GROW(path->directories, path->allocated, path->n + 1);
    path->directories[path->n++] = copy;
}

/* The modules of <build>/bin/galerna are in <build>/lib/galerna/policies; those of an installed
 * program are below the same prefix, even if the tree was moved. */
static void add_beside_program(struct search_path *path)
{
    static const char *const libraries[] = {"lib", GALERNA_LIBRARY_DIRECTORY};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return;
    program[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            return;
        *slash = '\0';
    }
    for (size_t i = 0; i < 2; i++) {
        char directory[PATH_MAX + 64];

        if (libraries[i][0] == '/')
            continue;
        snprintf(directory, sizeof directory, "%s/%s/galerna/policies", program, libraries[i]);
        add_directory(path, directory, strlen(directory));
    }
}

void search_path_init(struct search_path *path, const char *const *directories, size_t n)
{
    const char *listed = getenv("GALERNA_POLICY_PATH");

    *path = (struct search_path){0};
    for (size_t i = 0; i < n; i++)
        add_directory(path, directories[i], strlen(directories[i]));
    while (listed && *listed) {
        size_t length = strcspn(listed, ":");

        add_directory(path, listed, length);
        listed += length + (listed[length] == ':');
    }
    path->n_own = path->n;
    add_beside_program(path);
    add_directory(path, GALERNA_POLICY_DIRECTORY, strlen(GALERNA_POLICY_DIRECTORY));
}

void search_path_finish(struct search_path *path)
{
    for (size_t i = 0; i < path->n; i++)
        free(path->directories[i]);
    free(path->directories);
    *path = (struct search_path){0};
}

void search_name(const char *written, char *name, size_t size)
{
    const char *slash = strrchr(written, '/');
    size_t length;

    if (slash)
        written = slash + 1;
    length = strlen(written);
    if (length > 3 && strcmp(written + length - 3, ".so") == 0)
        length -= 3;
    if (length >= size)
        length = size - 1;
    for (size_t i = 0; i < length; i++)
        name[i] = written[i] == '_' ? '-' : (char)tolower((unsigned char)written[i]);
    name[length] = '\0';
}

static int is_module_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 3 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 3, ".so") == 0;
}

static bool is_hidden(const struct search_path *path, size_t before, const char *file)
{
    for (size_t i = 0; i < before; i++) {
        char earlier[PATH_MAX];

        snprintf(earlier, sizeof earlier, "%s/%s", path->directories[i], file);
        if (access(earlier, F_OK) == 0)
            return true;
    }
    return false;
}

void search_each(const struct search_path *path,
                 void (*visit)(void *context, const char *name, const char *file), void *context)
{
    for (size_t i = 0; i < path->n; i++) {
        struct dirent **entries = NULL;
        int n = scandir(path->directories[i], &entries, is_module_file, alphasort);

        for (int j = 0; j < n; j++) {
            char file[PATH_MAX], name[MODULE_NAME_MAX];

            snprintf(file, sizeof file, "%s/%s", path->directories[i], entries[j]->d_name);
            search_name(entries[j]->d_name, name, sizeof name);
            if (!is_hidden(path, i, entries[j]->d_name))
                visit(context, name, file);
            free(entries[j]);
        }
        free(entries);
    }
}

/* The known names listed by an error about an unknown name. */
struct names {
    uint32_t kind; /* 0: all */
    struct suggestion suggestion;
    char text[ERROR_TEXT_MAX / 2];
    char (*kept)[MODULE_NAME_MAX]; /* suggestions outlive the visit */
    size_t n, allocated;
};

static struct module *inspect_known(const char *file)
{
    char *resolved = realpath(file, NULL);
    struct module_source source = {.path = resolved};
    struct module *module = NULL;

    search_name(file, source.name, sizeof source.name);
    if (resolved && trust_check(resolved, NULL) == 0)
        module = inspect_file(&source, NULL);
    free(resolved);
    return module;
}

static void collect_name(void *context, const char *name, const char *file)
{
    struct names *names = context;
    struct module *module = names->kind ? inspect_known(file) : NULL;
    bool wanted = !names->kind || (module && module->policy.kind == names->kind);

    inspect_end(module);
    if (!wanted)
        return;
    MEMORY_GROW(names->kept, names->allocated, names->n + 1);
    snprintf(names->kept[names->n++], MODULE_NAME_MAX, "%s", name);
}

static void append(char *text, size_t size, const char *join, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used ? join : "", more);
}

static int not_found(const struct search_path *path, const char *written,
                     const struct module_source *source, struct error *err)
{
    struct names names = {.kind = source->kind};
    char searched[ERROR_TEXT_MAX / 2] = "";

    if (access(written, F_OK) == 0)
        return error_set(err, ENOENT,
                         "unknown policy '%.64s'; to load the file, did you mean './%.64s'?",
                         written, written);
    for (size_t i = 0; i < path->n; i++)
        append(searched, sizeof searched, ":", path->directories[i]);
    search_each(path, collect_name, &names);
    suggestion_init(&names.suggestion, source->name);
    for (size_t i = 0; i < names.n; i++) {
        suggestion_offer(&names.suggestion, names.kept[i]);
        append(names.text, sizeof names.text, ", ", names.kept[i]);
    }
    error_set(err, ENOENT, "unknown policy '%.64s'%s (available: %s; searched: %s)", written,
              suggestion_text(&names.suggestion), names.n ? names.text : "none", searched);
    free(names.kept);
    return -1;
}

/* In the first n directories. */
static char *find_by_name(const struct search_path *path, size_t n, const char *name)
{
    char *underscored = memory_text(name);
    char *found = NULL;

    for (char *c = underscored; *c; c++)
        if (*c == '-')
            *c = '_';
    for (size_t i = 0; i < n && !found; i++) {
        char file[PATH_MAX];

        snprintf(file, sizeof file, "%s/%s.so", path->directories[i], name);
        found = realpath(file, NULL);
        if (found)
            break;
        snprintf(file, sizeof file, "%s/%s.so", path->directories[i], underscored);
        found = realpath(file, NULL);
    }
    free(underscored);
    return found;
}

char *search_own(const struct search_path *path, const char *name)
{
    char plain[MODULE_NAME_MAX];

    search_name(name, plain, sizeof plain);
    return find_by_name(path, path->n_own, plain);
}

int search_find(const struct search_path *path, const char *written, struct module_source *source,
                char **file, struct error *err)
{
    bool by_path = strchr(written, '/');

    search_name(written, source->name, sizeof source->name);
    *file = by_path ? realpath(written, NULL) : find_by_name(path, path->n, source->name);
    if (!*file)
        return by_path ? error_errno(err, "%s", written) : not_found(path, written, source, err);
    if (trust_check(*file, err) < 0) {
        free(*file);
        *file = NULL;
        return -1;
    }
    source->path = *file;
    return 0;
}

struct module *module_inspect(const struct search_path *path, const char *written,
                              struct error *err)
{
    struct module_source source = {0};
    struct module *module;
    char *file;

    if (search_find(path, written, &source, &file, err) < 0)
        return NULL;
    module = inspect_file(&source, err);
    free(file);
    return module;
}
