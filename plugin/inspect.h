/* inspect.h: inspects a module without using it. */
#pragma once

#include "plugin/module.h"
#include "plugin/module_search.h"

/* Finds a module (by name or path), checks it, tries to load it in a child process, and loads it.
 * Calls none of its functions. The caller must unload it. Errors: as policy_host_create(). */
struct module *module_inspect(const struct search_path *path, const char *written,
                              struct error *err);
