/* A loaded shared object and the checked copy of its exported structure. */
#include "plugin/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/memory.h"

static void symbol_of(const char *name, char *symbol, size_t size)
{
    snprintf(symbol, size, "galerna_policy_%s", name);
    for (char *c = symbol; *c; c++)
        if (*c == '-')
            *c = '_';
}

struct module *module_load(const struct module_source *source, struct error *err)
{
    struct module *module = memory_new(1, sizeof *module);
    char symbol[MODULE_NAME_MAX + 16];
    const void *exported;

    module->path = memory_text(source->path);
    module->handle = dlopen(source->path, RTLD_NOW | RTLD_LOCAL);
    if (!module->handle) {
        error_set(err, EINVAL, "%s: cannot be loaded: %s", source->path, dlerror());
        goto failed;
    }
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
    free(module->options);
    free(module->path);
    free(module);
    errno = saved;
}
