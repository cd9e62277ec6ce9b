/* module.h: a loaded shared object and the checked copy of its exported structure. */
#pragma once

#include <stddef.h>

#include "plugin/galerna_policy.h"
#include "util/error.h"

enum { MODULE_NAME_MAX = 64 };

/* The size of struct galerna_policy in ABI 1.0: the minimum for a module. */
#define MODULE_SIZE_1_0 offsetof(struct galerna_policy, event)

struct module {
    char *path;                   /* NULL: built in */
    void *handle;                 /* of dlopen(); NULL: built in */
    struct galerna_policy policy; /* a copy of the module's structure; zero beyond its size */
    struct galerna_admission admission;
    struct galerna_preemption preemption;
    struct galerna_host_selection host_selection;
    struct galerna_option *options; /* policy.n_options of this host's size; owned */
};

/* The module to load. */
struct module_source {
    const char *path;
    char name[MODULE_NAME_MAX];    /* from the symbol, with - for _ */
    enum galerna_policy_kind kind; /* 0: any */
};

/* Loads source->path with RTLD_NOW | RTLD_LOCAL and makes all checks that are possible without
 * calling the module. Errors: EINVAL, with the path and the loader's message, the symbol, or both
 * versions. */
struct module *module_load(const struct module_source *source, struct error *err);

/* The same checks for a structure that is already in memory (built in). */
struct module *module_wrap(const struct galerna_policy *exported, struct error *err);

void module_unload(struct module *module); /* NULL is allowed */

/* "admission", "preemption", "host-selection", or "unknown". */
const char *module_kind_name(unsigned kind);

/* Verifies an exported structure and fills module's copies. Errors name source->path. */
int module_verify(struct module *module, const void *exported, const struct module_source *source,
                  struct error *err);
