/* inspect.h: look at a module without putting it to work. */
#pragma once

#include "plugin/module.h"
#include "plugin/module_search.h"

/* Find (by name or path), check and try to load a module, in a child process first, and load it.
 * Nothing of it is called. The caller unloads it. Errors: as policy_host_create(). */
struct module *module_inspect(const struct search_path *path, const char *written,
                              struct error *err);
