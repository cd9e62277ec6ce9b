/* Makes a configuration of the options that were read: checks and completes them. */
#include "configuration/configuration.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/interpolate.h"
#include "configuration/list_options.h"
#include "configuration/option.h"
#include "configuration/required.h"
#include "util/instant.h"
#include "util/memory.h"

const char *configuration_policy_of_section(const char *section)
{
    if (strncmp(section, "policy", 6) || (section[6] != ' ' && section[6] != '.'))
        return NULL;
    section += 7;
    while (*section == ' ')
        section++;
    return *section ? section : NULL;
}

/* The daemon reads [rights], [rights WHO] and [notify NAME] from the configuration's `ini`. */
static bool is_of_daemon(const char *section)
{
    size_t n = strcspn(section, " ");

    return n == 6 && (!strncmp(section, "rights", n) || !strncmp(section, "notify", n));
}

static bool section_is_known(const char *section)
{
    if (!strcmp(section, "oracle") || !strcmp(section, INI_DEFAULT_SECTION) ||
        configuration_policy_of_section(section) || is_of_daemon(section))
        return true;
    for (size_t i = 0; i < option_count; i++)
        if (!strcmp(option_table[i].section, section))
            return true;
    return false;
}

static int check_sections(const struct ini *ini, struct error *err)
{
    for (size_t i = 0; i < ini->n_sections; i++) {
        const struct ini_section *section = &ini->sections[i];
        char where[256];

        if (section_is_known(section->name))
            continue;
        if (section->line)
            snprintf(where, sizeof where, "%s:%d", ini->file, section->line);
        else
            snprintf(where, sizeof where, "--set");
        return option_unknown_section(where, section->name, err);
    }
    return 0;
}

/* Parses "lease@second lease@second ...". */
static int read_cancellations(struct configuration *configuration, const struct ini_entry *entry,
                              struct error *err)
{
    size_t allocated = configuration->n_cancellations;
    const char *at = entry->value;

    while (*at) {
        struct cancellation cancellation;
        char *end;

        if (isspace((unsigned char)*at) || *at == ',') {
            at++;
            continue;
        }
        errno = 0;
        cancellation.lease = strtoll(at, &end, 10);
        if (end == at || *end != '@' || cancellation.lease < 1 || !isdigit((unsigned char)end[1]))
            goto wrong;
        cancellation.at = strtoll(end + 1, &end, 10);
        if (errno || (*end && !isspace((unsigned char)*end) && *end != ','))
            goto wrong;
        MEMORY_GROW(configuration->cancellations, allocated, configuration->n_cancellations + 1);
        configuration->cancellations[configuration->n_cancellations++] = cancellation;
        at = end;
    }
    return 0;

wrong:
    return ini_error(entry, err, "oracle.cancel has '%.40s', expected lease@second ...", at);
}

static int earlier(const void *a, const void *b)
{
    const struct cancellation *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->lease > y->lease) - (x->lease < y->lease);
}

static void keep_policy_setting(struct configuration *configuration, const struct ini_entry *entry)
{
    size_t allocated = configuration->n_policy_settings;

    MEMORY_GROW(configuration->policy_settings, allocated, configuration->n_policy_settings + 1);
    configuration->policy_settings[configuration->n_policy_settings++] =
        (struct policy_setting){.policy = configuration_policy_of_section(entry->section),
                                .name = entry->key,
                                .value = entry->value,
                                .origin = entry->origin,
                                .line = entry->line};
}

static int store_entry(struct configuration *configuration, const struct ini_entry *entry,
                       struct error *err)
{
    const struct configuration_option *option;

    if (!strcmp(entry->section, INI_DEFAULT_SECTION) || is_of_daemon(entry->section))
        return 0;
    if (configuration_policy_of_section(entry->section)) {
        if (entry->inherited)
            return 0;
        keep_policy_setting(configuration, entry);
        return 0;
    }
    if (!strcmp(entry->section, "oracle") && !strcmp(entry->key, "cancel"))
        return read_cancellations(configuration, entry, err);
    option = option_find(entry->section, entry->key);
    if (!option && entry->inherited)
        return 0;
    if (!option)
        return option_unknown(entry, err);
    return option_store(option, entry, configuration, err);
}

static int store_defaults(struct configuration *configuration, struct error *err)
{
    configuration->start_time = INSTANT_NONE;
    for (size_t i = 0; i < option_count; i++) {
        const struct configuration_option *option = &option_table[i];
        struct ini_entry entry = {.section = option->section,
                                  .key = option->name,
                                  .value = option->otherwise,
                                  .origin = "default"};

        if (option->otherwise && option_store(option, &entry, configuration, err) < 0)
            return -1;
    }
    return 0;
}

/* Adds "section.option=value". */
static int add_override(struct ini *ini, const char *text, struct error *err)
{
    const char *equals = strchr(text, '='), *dot = equals;
    char *section, *key;

    while (dot && dot > text && *dot != '.')
        dot--;
    if (!equals || dot == text || dot + 1 == equals)
        return error_set(err, EINVAL, "--set %.80s: expected section.option=value", text);
    section = memory_copy(text, (size_t)(dot - text) + 1);
    section[dot - text] = '\0';
    key = memory_copy(dot + 1, (size_t)(equals - dot));
    key[equals - dot - 1] = '\0';
    ini_add(ini, &(struct ini_entry){
                     .section = section, .key = key, .value = equals + 1, .origin = "--set"});
    free(section);
    free(key);
    return 0;
}

static void add_own_option(struct ini *ini, const struct ini_entry *entry)
{
    if (entry->value)
        ini_add(ini, entry);
}

static int add_overrides(struct ini *ini, const struct configuration_overrides *overrides,
                         struct error *err)
{
    if (!overrides)
        return 0;
    for (size_t i = 0; i < overrides->n_set; i++)
        if (add_override(ini, overrides->set[i], err) < 0)
            return -1;
    add_own_option(ini, &(struct ini_entry){.section = "simulation",
                                            .key = "resources",
                                            .value = overrides->site,
                                            .origin = "--site"});
    add_own_option(ini, &(struct ini_entry){.section = "tracefile",
                                            .key = "tracefile",
                                            .value = overrides->trace,
                                            .origin = "command line"});
    add_own_option(ini, &(struct ini_entry){.section = "galerna",
                                            .key = "compatibility",
                                            .value = overrides->compatibility,
                                            .origin = "--compatibility"});
    return 0;
}

static int refuse_class_names(const struct configuration *configuration, struct error *err)
{
    static const char *const names[] = {"policy-admission", "policy-preemption",
                                        "policy-host-selection", "mapper"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ini_entry *entry = ini_find(&configuration->ini, "scheduling", names[i]);
        char *words = entry ? memory_text(entry->value) : NULL, *rest = words;
        int result = 0;

        for (char *word; result == 0 && (word = strsep(&rest, ", \t"));)
            if (memchr(word, '.', strcspn(word, "*")) && !strchr(word, '/') && !strstr(word, ".so"))
                result = ini_error(entry, err,
                                   "scheduling.%s names '%.80s', a Python class of Haizea; give "
                                   "the name of a policy module, or the path of one (./name.so)",
                                   names[i], word);
        free(words);
        if (result < 0)
            return -1;
    }
    if (strcmp(configuration->mapper, "greedy") && strcmp(configuration->mapper, "deadline"))
        return ini_error(ini_find(&configuration->ini, "scheduling", "mapper"), err,
                         "unknown mapper '%.60s', expected greedy", configuration->mapper);
    return 0;
}

/* Haizea 1.1 had two more preemption policies: one was a copy, the other moved deadline leases,
 * which Galerna's engine does itself. */
static void translate_haizea_1_1(struct configuration *configuration)
{
    char **name = &configuration->policy_preemption;

    if (strcmp(*name, "ar-preempts-be") && strcmp(*name, "deadline"))
        return;
    free(*name);
    *name = memory_text("ar-preempts-everything");
}

/* All figures are kept unless probes are configured; a Haizea file without probes keeps none, as in
 * Haizea. */
static int apply_probes(struct configuration *configuration, struct error *err)
{
    const struct ini_entry *entry = ini_find(&configuration->ini, "accounting", "probes");

    if (!entry && !configuration->is_haizea_file)
        return 0;
    return probes_read(entry, &configuration->counters_left_out, err);
}

static void apply_compatibility(struct configuration *configuration)
{
    const struct ini *ini = &configuration->ini;

    configuration->settings.seed = (uint64_t)configuration->seed;
    if (configuration->compatibility == COMPATIBILITY_HAIZEA_1_0)
        behaviour_haizea_1_0(&configuration->settings.behaviour);
    else
        behaviour_default(&configuration->settings.behaviour);
    if (configuration->is_haizea_file && !ini_find(ini, "scheduling", "backfilling"))
        configuration->settings.backfilling = BACKFILLING_OFF;
}

struct configuration *configuration_create(struct ini *ini, const char *name,
                                           const struct configuration_overrides *overrides,
                                           struct error *err)
{
    struct configuration *configuration = memory_new(1, sizeof *configuration);

    configuration->ini = *ini;
    ini_init(ini);
    configuration->name = memory_text(name);
    configuration->file = memory_text(configuration->ini.file);
    configuration->is_haizea_file =
        configuration->file && !ini_has_section(&configuration->ini, "galerna");
    engine_settings_init(&configuration->settings);
    if (add_overrides(&configuration->ini, overrides, err) < 0 ||
        check_sections(&configuration->ini, err) < 0 || store_defaults(configuration, err) < 0)
        goto error;
    for (size_t i = 0; i < configuration->ini.n_entries; i++)
        if (store_entry(configuration, &configuration->ini.entries[i], err) < 0)
            goto error;
    if (configuration->n_cancellations)
        qsort(configuration->cancellations, configuration->n_cancellations,
              sizeof *configuration->cancellations, earlier);
    if (refuse_class_names(configuration, err) < 0 || configuration_check(configuration, err) < 0 ||
        live_configuration_check(configuration, err) < 0 || apply_probes(configuration, err) < 0 ||
        fair_shares_read(ini_find(&configuration->ini, "scheduling", "fair-shares"),
                         &configuration->settings.fair_share, err) < 0)
        goto error;
    translate_haizea_1_1(configuration);
    apply_compatibility(configuration);
    return configuration;

error:
    configuration_destroy(configuration);
    return NULL;
}

void configuration_destroy(struct configuration *configuration)
{
    if (!configuration)
        return;
    option_free_texts(configuration);
    free(configuration->name);
    free(configuration->file);
    free(configuration->policy_settings);
    free(configuration->cancellations);
    ini_finish(&configuration->ini);
    free(configuration);
}
