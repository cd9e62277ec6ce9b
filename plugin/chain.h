/* chain.h: the policies of one kind, in order, with their weights. */
#pragma once

#include <stddef.h>

#include "plugin/galerna_policy.h"
#include "plugin/instance.h"
#include "plugin/module_search.h"
#include "util/error.h"

enum { WEIGHT_MAX = 100, CHAIN_WEIGHT_MAX = 400 };

/* One policy of a chain as configured, and its file. */
struct chain_item {
    struct module_source source;
    char *file; /* NULL: the built-in default */
    unsigned weight;
    size_t number;      /* among the policies of all chains */
    const char *outage; /* why it is not loaded; NULL: it is loaded */
};

struct chain_plan {
    enum galerna_policy_kind kind;
    struct chain_item *items;
    size_t n;
    size_t allocated;
};

/* Reads "name*weight,name,..." and finds the files. NULL or "": the built-in default. */
int chain_plan_init(struct chain_plan *plan, enum galerna_policy_kind kind, const char *text,
                    const struct search_path *path, struct error *err);
/* A plan of the modules of that kind among those from policy_modules_find(). */
void chain_plan_of_modules(struct chain_plan *plan, enum galerna_policy_kind kind,
                           const struct policy_module *modules, size_t n);
void chain_plan_finish(struct chain_plan *plan);

struct chain {
    struct instance **instances;
    size_t n;
};

/* Reports the progress of a trial: called before each step that may fail. */
struct chain_progress {
    void (*doing)(void *context, const char *path, const char *what);
    void *context;
};

struct chain_load {
    struct policy_host_state *state;
    const struct chain_progress *progress; /* NULL: not reported */
};

/* Loads the modules and creates the instances. On failure, the chain is empty. */
int chain_init(struct chain *chain, const struct chain_plan *plan, const struct chain_load *load,
               struct error *err);
void chain_finish(struct chain *chain, const struct chain_progress *progress);

/* Does the chain consist of the built-in default only? */
bool chain_is_builtin(const struct chain *chain);
