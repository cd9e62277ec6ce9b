/* Inspects a module without using it. */
#include "plugin/inspect.h"

#include <stdlib.h>

#include "plugin/preflight.h"

enum { TRIAL_LIMIT = 2000 }; /* milliseconds */

static int try_loading(void *context, struct preflight *preflight, struct error *err)
{
    const struct module_source *source = context;
    struct module *module;

    preflight_doing(preflight, source->path, "is loaded");
    module = module_load(source, err);
    module_unload(module);
    return module ? 0 : -1;
}

struct module *module_inspect(const struct search_path *path, const char *written,
                              struct error *err)
{
    struct module_source source = {0};
    struct module *module = NULL;
    char *file;

    if (search_find(path, written, &source, &file, err) < 0)
        return NULL;
    if (preflight_run(try_loading, &source, TRIAL_LIMIT, NULL, err) == 0)
        module = module_load(&source, err);
    free(file);
    return module;
}
