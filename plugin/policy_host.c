/* Loads the configured policy modules, with a copy of its settings, and reports their status. */
#include "plugin/policy_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/chain.h"
#include "plugin/host_private.h"
#include "plugin/module_search.h"
#include "plugin/preflight.h"
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

/* Copies the settings with all texts; site, cache and contexts remain the caller's. */
static void host_settings_copy(struct policy_host_settings *copy,
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

static void host_settings_finish(struct policy_host_settings *copy)
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

/* Is every module with options in use, or at least known? Options of a known module that is not in
 * use are ignored. Errors: EINVAL with file:line and "did you mean". */
static int host_settings_check_options(const struct policy_host_settings *settings,
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

/* One attempt to load all chains. */
struct attempt {
    struct chain_plan plans[CHAINS];
    struct chain chains[CHAINS];
    struct chain_load load;
};

static const char *chain_text(const struct policy_host_settings *settings, size_t i)
{
    const char *const texts[CHAINS] = {settings->admission, settings->preemption,
                                       settings->host_selection};

    return texts[i];
}

static void attempt_finish(struct attempt *attempt)
{
    for (size_t i = 0; i < CHAINS; i++) {
        chain_finish(&attempt->chains[i], attempt->load.progress);
        chain_plan_finish(&attempt->plans[i]);
    }
}

static int load_chains(struct attempt *attempt, struct error *err)
{
    for (size_t i = 0; i < CHAINS; i++)
        if (chain_init(&attempt->chains[i], &attempt->plans[i], &attempt->load, err) < 0)
            return -1;
    return 0;
}

static void tell_parent(void *context, const char *path, const char *what)
{
    preflight_doing(context, path, what);
}

/* Runs in the child process: loads and destroys all chains without log messages. */
static int try_chains(void *context, struct preflight *preflight, struct error *err)
{
    struct attempt *attempt = context;
    const struct chain_progress progress = {.doing = tell_parent, .context = preflight};

    attempt->load.state->silent = true;
    attempt->load.progress = &progress;
    if (load_chains(attempt, err) < 0)
        return -1;
    attempt_finish(attempt);
    return 0;
}

static size_t count_files(const struct attempt *attempt)
{
    size_t n = 0;

    for (size_t i = 0; i < CHAINS; i++)
        n += attempt->plans[i].n;
    return n;
}

/* Tries the modules in a child process, then loads them in this process. */
static int try_and_load(struct policy_host *host, struct attempt *attempt, struct error *err)
{
    if (host->settings.preflight && count_files(attempt) > 0 &&
        preflight_run(try_chains, attempt, host->settings.preflight_limit, host->settings.stop,
                      err) < 0)
        return -1;
    return load_chains(attempt, err);
}

static int number_plans(struct chain_plan plans[CHAINS])
{
    size_t n = 0;

    for (size_t i = 0; i < CHAINS; i++)
        for (size_t j = 0; j < plans[i].n; j++)
            plans[i].items[j].number = n++;
    return 0;
}

/* Reads the chains and finds the files; makes all checks that are possible without loading them. */
static int make_plans(struct chain_plan plans[CHAINS], const struct policy_host_settings *settings,
                      struct error *err)
{
    struct search_path path;
    int status = 0;

    search_path_init(&path, settings->directories, settings->n_directories);
    for (size_t i = 0; i < CHAINS && status == 0; i++)
        status = chain_plan_init(&plans[i], (enum galerna_policy_kind)(GALERNA_KIND_ADMISSION + i),
                                 chain_text(settings, i), &path, err);
    if (status == 0)
        status = host_settings_check_options(settings, plans, CHAINS, &path, err);
    search_path_finish(&path);
    return status == 0 ? number_plans(plans) : -1;
}

static int plans_of(struct chain_plan plans[CHAINS], const struct policy_host_settings *settings,
                    struct error *err)
{
    if (!settings->modules)
        return make_plans(plans, settings, err);
    for (size_t i = 0; i < CHAINS; i++)
        chain_plan_of_modules(&plans[i], (enum galerna_policy_kind)(GALERNA_KIND_ADMISSION + i),
                              settings->modules, settings->n_modules);
    return 0;
}

int policy_modules_find(const struct policy_host_settings *settings, struct policy_module **modules,
                        size_t *n, struct error *err)
{
    struct chain_plan plans[CHAINS] = {{0}};
    size_t allocated = 0;
    int status = make_plans(plans, settings, err);

    *modules = NULL;
    *n = 0;
    for (size_t i = 0; i < CHAINS; i++) {
        for (size_t j = 0; j < plans[i].n && status == 0; j++) {
            MEMORY_GROW(*modules, allocated, *n + 1);
            (*modules)[(*n)++] =
                (struct policy_module){.kind = (enum policy_kind)plans[i].kind,
                                       .name = memory_text(plans[i].items[j].source.name),
                                       .file = memory_text(plans[i].items[j].file),
                                       .weight = plans[i].items[j].weight};
        }
        chain_plan_finish(&plans[i]);
    }
    return status;
}

void policy_modules_finish(struct policy_module *modules, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        memory_free(modules[i].name);
        memory_free(modules[i].file);
        memory_free(modules[i].outage);
    }
    free(modules);
}

const char *policy_call_text(enum policy_call call)
{
    static const char *const texts[POLICY_CALLS] = {POLICY_CALL_ROWS(WORDS_WORD)};

    return texts[call];
}

/* Fills host->chains; on failure they are empty. */
static int load(struct policy_host *host, struct error *err)
{
    struct attempt attempt = {.load = {.state = &host->state}};
    int status = plans_of(attempt.plans, &host->settings, err);

    if (status == 0)
        status = try_and_load(host, &attempt, err);
    if (status == 0)
        for (size_t i = 0; i < CHAINS; i++) {
            host->chains[i] = attempt.chains[i];
            attempt.chains[i] = (struct chain){0};
        }
    attempt_finish(&attempt);
    if (status == 0)
        host_hooks_init(host);
    return status;
}

struct policy_host *policy_host_create(const struct policy_host_settings *settings,
                                       struct error *err)
{
    struct policy_host *host = memory_new(1, sizeof *host);
    int status;

    host_settings_copy(&host->settings, settings);
    host->state = (struct policy_host_state){.settings = &host->settings, .site = settings->site};
    status = load(host, err);
    if (status == 0)
        return host;
    policy_host_destroy(host);
    return NULL;
}

void policy_host_destroy(struct policy_host *host)
{
    int saved = errno;

    if (!host)
        return;
    for (size_t i = 0; i < CHAINS; i++)
        chain_finish(&host->chains[i], NULL);
    host_settings_finish(&host->settings);
    free(host->scores);
    free(host->offered);
    free(host->places);
    free(host->translated);
    free(host->seen);
    free(host);
    errno = saved;
}

const struct policy_hooks *policy_host_hooks(const struct policy_host *host)
{
    return &host->hooks;
}

void policy_host_set_world(struct policy_host *host, const struct policy_world *world)
{
    host->state.world = *world;
}

void policy_host_set_site(struct policy_host *host, const struct site *site)
{
    host->state.site = site;
}

size_t policy_host_count(const struct policy_host *host)
{
    size_t n = 0;

    for (size_t i = 0; i < CHAINS; i++)
        n += host->chains[i].n;
    return n;
}

void policy_host_status(const struct policy_host *host, size_t i, struct policy_status *status)
{
    const struct chain *chain = host->chains;
    const struct instance *instance;

    while (i >= chain->n)
        i -= chain++->n;
    instance = chain->instances[i];
    *status = (struct policy_status){
        .kind = (enum policy_kind)instance->module->policy.kind,
        .name = instance->module->policy.name,
        .version = instance->module->policy.version,
        .path = instance->module->path,
        .weight = instance->weight,
        .calls = instance->calls,
        .faults = instance->faults,
        .slow_calls = instance->slow_calls,
        .unexplained = instance->unexplained,
        .replaced = instance->replaced,
        .last_fault = instance->last_fault,
    };
}
