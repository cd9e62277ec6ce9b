/* A loaded shared object and the checked copy of what it exports. */
#include "plugin/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

static void symbol_of(const char *name, char *symbol, size_t size)
{
    snprintf(symbol, size, "galerna_policy_%s", name);
    for (char *c = symbol; *c; c++)
        if (*c == '-')
            *c = '_';
}

/* The loader tells files apart by their path: a file that was replaced needs another one. A
 * descriptor that stays open as long as the module is loaded gives a path nobody else has. */
static int copy_privately(const char *path, struct error *err)
{
    struct stat status;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = memfd_create("galerna-policy", MFD_CLOEXEC);
    off_t left;

    if (from < 0 || to < 0 || fstat(from, &status) < 0)
        goto failed;
    for (left = status.st_size; left > 0;) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            goto failed;
        left -= n;
    }
    close(from);
    return to;

failed:
    error_set(err, errno ? errno : EIO, "%s: cannot be copied for loading: %s", path,
              strerror(errno ? errno : EIO));
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return -1;
}

static int open_object(struct module *module, bool through_copy, struct error *err)
{
    char copy[64];
    const char *path = module->path;

    if (through_copy) {
        module->copy = copy_privately(path, err);
        if (module->copy < 0)
            return -1;
        snprintf(copy, sizeof copy, "/proc/self/fd/%d", module->copy);
        path = copy;
    }
    module->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module->handle)
        return error_set(err, EINVAL, "%s: cannot be loaded: %s", module->path, dlerror());
    return 0;
}

struct module *module_load(const struct module_source *source, bool through_copy,
                           struct error *err)
{
    struct module *module = memory_new(1, sizeof *module);
    char symbol[MODULE_NAME_MAX + 16];
    const void *exported;

    module->copy = -1;
    module->path = memory_text(source->path);
    if (open_object(module, through_copy, err) < 0)
        goto failed;
    symbol_of(source->name, symbol, sizeof symbol);
    exported = dlsym(module->handle, symbol);
    if (!exported) {
        error_set(err, EINVAL,
                  "%s: has no symbol %s; a module exports one structure named after its file, "
                  "see GALERNA_POLICY in galerna_policy.h",
                  source->path, symbol);
        goto failed;
    }
    if (module_verify(module, exported, source, err) < 0)
        goto failed;
    return module;

failed:
    module_unload(module);
    return NULL;
}

struct module *module_wrap(const struct galerna_policy *exported, struct error *err)
{
    struct module *module = memory_new(1, sizeof *module);
    struct module_source source = {.path = "built in", .kind = 0};

    module->copy = -1;
    snprintf(source.name, sizeof source.name, "%s", exported->name);
    if (module_verify(module, exported, &source, err) < 0) {
        module_unload(module);
        return NULL;
    }
    return module;
}

void module_unload(struct module *module)
{
    int saved = errno;

    if (!module)
        return;
    if (module->handle)
        dlclose(module->handle);
    if (module->copy >= 0)
        close(module->copy);
    free(module->options);
    free(module->path);
    free(module);
    errno = saved;
}

const char *module_kind_name(unsigned kind)
{
    switch (kind) {
    case GALERNA_KIND_ADMISSION:
        return "admission";
    case GALERNA_KIND_PREEMPTION:
        return "preemption";
    case GALERNA_KIND_HOST_SELECTION:
        return "host-selection";
    default:
        return "unknown";
    }
}
