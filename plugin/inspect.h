/* inspect.h: inspects the file of a module without using it. */
#pragma once

#include "plugin/module.h"

/* Tries to load source->path in a child process, and loads it. Calls none of its functions. What
 * it prints goes to standard error. Errors: as policy_host_create(). */
struct module *inspect_file(const struct module_source *source, struct error *err);
void inspect_end(struct module *module); /* NULL is allowed */
