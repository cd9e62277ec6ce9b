/* The policy modules of a configuration. */
#include "plugin/configured.h"

#include <stdlib.h>
#include <string.h>

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
