/* The policies of one kind, in order, with their weights. */
#include "plugin/chain.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static char *trimmed(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* Removes "*weight" from the end of an item. */
static int take_weight(char *item, unsigned *weight, struct error *err)
{
    char *star = strrchr(item, '*');
    char *end;
    long value;

    *weight = 1;
    if (!star)
        return 0;
    errno = 0;
    value = strtol(star + 1, &end, 10);
    if (!isdigit((unsigned char)star[1]) || *trimmed(end) || errno || value < 1 ||
        value > WEIGHT_MAX)
        return error_set(err, EINVAL, "weight '%.40s' is not a whole number from 1 to %d", star + 1,
                         WEIGHT_MAX);
    *weight = (unsigned)value;
    *star = '\0';
    return 0;
}

static int add_item(struct chain_plan *plan, char *text, const struct search_path *path,
                    struct error *err)
{
    struct chain_item item = {0};
    char *name;

    text = trimmed(text);
    if (take_weight(text, &item.weight, err) < 0)
        return -1;
    name = trimmed(text);
    if (!*name)
        return error_set(err, EINVAL, "a policy's name is missing beside a comma or a weight");
    item.source.kind = plan->kind;
    if (search_find(path, name, &item.source, &item.file, err) < 0)
        return -1;
    MEMORY_GROW(plan->items, plan->allocated, plan->n + 1);
    plan->items[plan->n++] = item;
    return 0;
}

int chain_plan_init(struct chain_plan *plan, enum galerna_policy_kind kind, const char *text,
                    const struct search_path *path, struct error *err)
{
    char *copy = memory_text(text ? text : "");
    unsigned weights = 0;
    int status = 0;

    *plan = (struct chain_plan){.kind = kind};
    if (*trimmed(copy))
        for (char *at = copy; at && status == 0;) {
            char *comma = strchr(at, ',');

            if (comma)
                *comma = '\0';
            status = add_item(plan, at, path, err);
            at = comma ? comma + 1 : NULL;
        }
    free(copy);
    for (size_t i = 0; i < plan->n; i++)
        weights += plan->items[i].weight;
    if (status == 0 && weights > CHAIN_WEIGHT_MAX)
        status = error_set(err, EINVAL, "the weights sum up to %u, more than %d", weights,
                           CHAIN_WEIGHT_MAX);
    if (status < 0) {
        error_prefix(err, "policies for %s", module_kind_name(kind));
        chain_plan_finish(plan);
    }
    return status;
}

void chain_plan_of_modules(struct chain_plan *plan, enum galerna_policy_kind kind,
                           const struct policy_module *modules, size_t n)
{
    *plan = (struct chain_plan){.kind = kind};
    for (size_t i = 0; i < n; i++) {
        struct chain_item item = {.file = memory_text(modules[i].file),
                                  .weight = modules[i].weight,
                                  .number = i,
                                  .outage = modules[i].outage};

        if ((unsigned)modules[i].kind != (unsigned)kind)
            continue;
        search_name(modules[i].name, item.source.name, sizeof item.source.name);
        item.source.kind = kind;
        MEMORY_GROW(plan->items, plan->allocated, plan->n + 1);
        plan->items[plan->n++] = item;
    }
}

void chain_plan_finish(struct chain_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        free(plan->items[i].file);
    free(plan->items);
    *plan = (struct chain_plan){.kind = plan->kind};
}

static void tell(const struct chain_progress *progress, const char *path, const char *what)
{
    if (progress)
        progress->doing(progress->context, path, what);
}

static int add_instance(struct chain *chain, struct module *module, const struct chain_load *load,
                        const struct instance_place *place, struct error *err)
{
    struct instance *instance;

    if (!module)
        return -1;
    tell(load->progress, module->path, "is created");
    instance = instance_create(module, load->state, place, err);
    if (!instance)
        return -1;
    chain->instances[chain->n++] = instance;
    return 0;
}

static int add_builtin(struct chain *chain, enum galerna_policy_kind kind,
                       const struct chain_load *load, struct instance_place place,
                       struct error *err)
{
    if (!place.name)
        place.name = builtin_policy(kind)->name;
    return add_instance(chain, module_wrap(builtin_policy(kind), err), load, &place, err);
}

static int add_module(struct chain *chain, struct chain_item *item, const struct chain_load *load,
                      struct error *err)
{
    const struct policy_watch *watch = load->state->settings->watch;
    const struct instance_place place = {.name = item->source.name,
                                         .in_chain = chain->n,
                                         .number = item->number,
                                         .weight = item->weight,
                                         .outage = item->outage};
    struct module *module;

    if (item->outage)
        return add_builtin(chain, item->source.kind, load, place, err);
    tell(load->progress, item->file, "is loaded");
    if (watch)
        watch->calls(watch->context, item->number, POLICY_CALL_LOAD);
    item->source.path = item->file;
    module = module_load(&item->source, err);
    if (watch)
        watch->returned(watch->context);
    return add_instance(chain, module, load, &place, err);
}

/* At most one module may choose: its choice is final. */
static int check_choosers(const struct chain *chain, struct error *err)
{
    const struct instance *first = NULL;

    for (size_t i = 0; i < chain->n; i++) {
        const struct instance *instance = chain->instances[i];

        if (!instance->module->preemption.choose)
            continue;
        if (first)
            return error_set(err, EINVAL,
                             "policies for preemption: both %s and %s choose among sets of "
                             "leases; only one policy of a chain can",
                             first->module->policy.name, instance->module->policy.name);
        first = instance;
    }
    return 0;
}

int chain_init(struct chain *chain, const struct chain_plan *plan, const struct chain_load *load,
               struct error *err)
{
    *chain = (struct chain){.instances = memory_new(plan->n + 1, sizeof *chain->instances)};
    for (size_t i = 0; i < plan->n; i++)
        if (add_module(chain, &plan->items[i], load, err) < 0)
            goto failed;
    if (plan->n == 0 &&
        add_builtin(chain, plan->kind, load, (struct instance_place){.weight = 1}, err) < 0)
        goto failed;
    if (check_choosers(chain, err) < 0)
        goto failed;
    return 0;

failed:
    chain_finish(chain, load->progress);
    return -1;
}

void chain_finish(struct chain *chain, const struct chain_progress *progress)
{
    for (size_t i = 0; i < chain->n; i++) {
        tell(progress, chain->instances[i]->module->path, "is destroyed");
        instance_destroy(chain->instances[i]);
    }
    free(chain->instances);
    *chain = (struct chain){0};
}

bool chain_is_builtin(const struct chain *chain)
{
    return chain->n == 1 && !chain->instances[0]->module->path && !chain->instances[0]->outage;
}
