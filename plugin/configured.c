/* The policy modules of a configuration. */
#include "plugin/configured.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/module_search.h"
#include "util/memory.h"

/* The folders of module-path; they point into *copy. */
static size_t split_path(const char *path, char **copy, const char ***folders)
{
    size_t n = 0, allocated = 0;
    char *rest;

    *folders = NULL;
    *copy = rest = memory_text(path);
    for (char *folder; (folder = strsep(&rest, ":"));)
        if (*folder) {
            MEMORY_GROW(*folders, allocated, n + 1);
            (*folders)[n++] = folder;
        }
    return n;
}

static struct policy_option *options_of(const struct configuration *configuration)
{
    struct policy_option *options = memory_new(configuration->n_policy_settings, sizeof *options);

    for (size_t i = 0; i < configuration->n_policy_settings; i++) {
        const struct policy_setting *setting = &configuration->policy_settings[i];

        options[i] = (struct policy_option){.module = setting->policy,
                                            .key = setting->name,
                                            .value = setting->value,
                                            .file = setting->line ? setting->origin : NULL,
                                            .line = setting->line};
    }
    return options;
}

void policy_configured_init(struct policy_configured *configured,
                            const struct configuration *configuration)
{
    struct policy_host_settings *settings = &configured->settings;

    policy_host_settings_init(settings);
    settings->admission = configuration->policy_admission;
    settings->preemption = configuration->policy_preemption;
    settings->host_selection = configuration->policy_host_selection;
    settings->options = configured->options = options_of(configuration);
    settings->n_options = configuration->n_policy_settings;
    settings->n_directories =
        split_path(configuration->module_path, &configured->path, &configured->folders);
    settings->directories = configured->folders;
    settings->haizea_compatible = configuration->compatibility == COMPATIBILITY_HAIZEA_1_0;
    settings->seed = configuration->settings.seed;
}

void policy_configured_finish(struct policy_configured *configured)
{
    free(configured->options);
    free(configured->folders);
    free(configured->path);
}

static void each_of_chain(const char *chain, void (*visit)(void *context, const char *name),
                          void *context)
{
    char *words = memory_text(chain ? chain : ""), *rest = words;

    for (char *word; (word = strsep(&rest, ","));) {
        char name[MODULE_NAME_MAX];

        word += strspn(word, " \t");
        word[strcspn(word, "* \t")] = '\0';
        search_name(word, name, sizeof name);
        if (*name)
            visit(context, name);
    }
    free(words);
}

void policy_configured_each(const struct configuration *configuration,
                            void (*visit)(void *context, const char *name), void *context)
{
    each_of_chain(configuration->policy_admission, visit, context);
    each_of_chain(configuration->policy_preemption, visit, context);
    each_of_chain(configuration->policy_host_selection, visit, context);
}

struct wanted {
    char name[MODULE_NAME_MAX];
    bool found;
};

static void compare(void *context, const char *name)
{
    struct wanted *wanted = context;

    wanted->found |= !strcmp(wanted->name, name);
}

bool policy_configured_loads(const struct configuration *configuration, const char *written)
{
    struct wanted wanted = {.found = false};

    search_name(written, wanted.name, sizeof wanted.name);
    policy_configured_each(configuration, compare, &wanted);
    return wanted.found;
}

struct policy_host *policy_host_configured(const struct configuration *configuration,
                                           const struct policy_driver *driver, struct error *err)
{
    struct policy_configured configured;
    struct policy_host *host;

    policy_configured_init(&configured, configuration);
    configured.settings.site = driver->site;
    configured.settings.log = driver->log;
    configured.settings.log_context = driver->log_context;
    configured.settings.watch = driver->watch;
    configured.settings.stop = driver->stop;
    host = policy_host_create(&configured.settings, err);
    policy_configured_finish(&configured);
    return host;
}
