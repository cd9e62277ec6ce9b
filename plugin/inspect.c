/* Inspects a module without using it. */
#include "plugin/inspect.h"

#include "plugin/preflight.h"
#include "util/standard_output.h"

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

struct module *inspect_file(const struct module_source *source, struct error *err)
{
    struct module_source copy = *source;
    struct module *module = NULL;
    int saved = standard_output_divert(); /* its constructors may print */

    if (preflight_run(try_loading, &copy, TRIAL_LIMIT, NULL, err) == 0)
        module = module_load(source, err);
    standard_output_restore(saved);
    return module;
}

void inspect_end(struct module *module)
{
    int saved = standard_output_divert();

    module_unload(module);
    standard_output_restore(saved);
}
