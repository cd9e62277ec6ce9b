/* Checks configured options against a module's table of options. */
#include "plugin/module_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugin/module_search.h"
#include "util/memory.h"
#include "util/suggest.h"

/* "file:line", or the module's section if a program set the option. */
static void place_of(const struct policy_option *given, char *text, size_t size)
{
    if (given->file)
        snprintf(text, size, "%s:%d", given->file, given->line);
    else
        snprintf(text, size, "%s.%s=%s", given->module, given->key, given->value);
}

static int find_option(const struct module *module, const char *key)
{
    for (uint32_t i = 0; i < module->policy.n_options; i++)
        if (strcasecmp(module->options[i].name, key) == 0)
            return (int)i;
    return -1;
}

static int unknown_option(const struct module *module, const struct policy_option *given,
                          struct error *err)
{
    struct suggestion suggestion;
    char where[256];

    place_of(given, where, sizeof where);
    suggestion_init(&suggestion, given->key);
    for (uint32_t i = 0; i < module->policy.n_options; i++)
        suggestion_offer(&suggestion, module->options[i].name);
    return error_set(err, EINVAL, "%s: policy %s has no option '%.64s'%s%s", where,
                     module->policy.name, given->key, suggestion_text(&suggestion),
                     module->policy.n_options ? "" : " (it has no options)");
}

static int store(struct option_values *values, size_t place, const struct galerna_option *option,
                 const char *text, struct error *err)
{
    char *copy = memory_text(text);

    if (option_parse(option, copy, &values->values[place], err) < 0) {
        free(copy);
        return -1;
    }
    free(values->texts[place]);
    values->texts[place] = copy;
    return 0;
}

static int read_defaults(struct option_values *values, const struct module *module,
                         bool haizea_compatible, struct error *err)
{
    for (size_t i = 0; i < values->n; i++) {
        const char *text = option_default(&module->options[i], haizea_compatible);

        if (text && store(values, i, &module->options[i], text, err) < 0)
            return error_prefix(err, "policy %s", module->policy.name);
    }
    return 0;
}

static int read_given(struct option_values *values, const struct module *module,
                      const struct policy_option *given, struct error *err)
{
    char where[256];
    int place = find_option(module, given->key);

    if (place < 0)
        return unknown_option(module, given, err);
    if (store(values, (size_t)place, &module->options[place], given->value, err) < 0) {
        place_of(given, where, sizeof where);
        return error_prefix(err, "%s: policy %s", where, module->policy.name);
    }
    return 0;
}

int option_values_read(struct option_values *values, const struct module *module,
                       const struct policy_host_settings *settings, struct error *err)
{
    values->n = module->policy.n_options;
    values->values = memory_new(values->n, sizeof *values->values);
    values->texts = memory_new(values->n, sizeof *values->texts);
    if (read_defaults(values, module, settings->haizea_compatible, err) < 0)
        goto failed;
    for (size_t i = 0; i < settings->n_options; i++) {
        char name[MODULE_NAME_MAX];

        search_name(settings->options[i].module, name, sizeof name);
        if (strcmp(name, module->policy.name) == 0 &&
            read_given(values, module, &settings->options[i], err) < 0)
            goto failed;
    }
    for (size_t i = 0; i < values->n; i++)
        if (!values->texts[i]) {
            error_set(err, EINVAL, "policy %s needs the option %s: %s", module->policy.name,
                      module->options[i].name, module->options[i].description);
            goto failed;
        }
    return 0;

failed:
    option_values_finish(values);
    return -1;
}

void option_values_finish(struct option_values *values)
{
    for (size_t i = 0; i < values->n; i++)
        free(values->texts[i]);
    free(values->texts);
    free(values->values);
    *values = (struct option_values){0};
}
