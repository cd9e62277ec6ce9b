/* A policy host's own copy of its settings. */
#include "plugin/host_settings.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void policy_host_settings_init(struct policy_host_settings *settings)
{
    *settings = (struct policy_host_settings){
        .preflight = true,
        .preflight_limit = 10 * 1000,
        .faults_allowed = 10,
        .slow_call = 100000,
    };
}

void host_settings_copy(struct policy_host_settings *copy,
                        const struct policy_host_settings *settings)
{
    const char **directories = memory_new(settings->n_directories, sizeof *directories);
    struct policy_option *options = memory_new(settings->n_options, sizeof *options);

    *copy = *settings;
    copy->admission = memory_text(settings->admission);
    copy->preemption = memory_text(settings->preemption);
    copy->host_selection = memory_text(settings->host_selection);
    for (size_t i = 0; i < settings->n_directories; i++)
        directories[i] = memory_text(settings->directories[i]);
    copy->directories = directories;
    for (size_t i = 0; i < settings->n_options; i++)
        options[i] = (struct policy_option){
            .module = memory_text(settings->options[i].module),
            .key = memory_text(settings->options[i].key),
            .value = memory_text(settings->options[i].value),
            .file = memory_text(settings->options[i].file),
            .line = settings->options[i].line,
        };
    copy->options = options;
}

void host_settings_finish(struct policy_host_settings *copy)
{
    for (size_t i = 0; i < copy->n_options; i++) {
        memory_free(copy->options[i].module);
        memory_free(copy->options[i].key);
        memory_free(copy->options[i].value);
        memory_free(copy->options[i].file);
    }
    for (size_t i = 0; i < copy->n_directories; i++)
        memory_free(copy->directories[i]);
    memory_free(copy->options);
    memory_free(copy->directories);
    memory_free(copy->admission);
    memory_free(copy->preemption);
    memory_free(copy->host_selection);
    *copy = (struct policy_host_settings){0};
}

static bool is_used(const char *name, const struct chain_plan *plans, size_t n_plans)
{
    for (size_t i = 0; i < n_plans; i++)
        for (size_t j = 0; j < plans[i].n; j++)
            if (strcmp(plans[i].items[j].source.name, name) == 0)
                return true;
    return false;
}

int host_settings_check_options(const struct policy_host_settings *settings,
                                const struct chain_plan *plans, size_t n_plans,
                                const struct search_path *path, struct error *err)
{
    for (size_t i = 0; i < settings->n_options; i++) {
        const struct policy_option *option = &settings->options[i];
        struct module_source source = {0};
        char *file;

        search_name(option->module, source.name, sizeof source.name);
        if (is_used(source.name, plans, n_plans))
            continue;
        if (search_find(path, option->module, &source, &file, err) < 0) {
            if (option->file)
                error_prefix(err, "%s:%d: option %s", option->file, option->line, option->key);
            else
                error_prefix(err, "option %s.%s", option->module, option->key);
            return -1;
        }
        free(file);
    }
    return 0;
}
