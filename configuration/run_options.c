/* Lists the options that determine a replay. */
#include "configuration/run_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "configuration/option.h"
#include "util/decimal.h"
#include "util/instant.h"
#include "util/memory.h"

static const char *const sections[] = {"general",    "scheduling",           "simulation",
                                       "accounting", "deploy-imagetransfer", "tracefile",
                                       "galerna"};

/* Options of these sections that are locations, or belong to galernad or the results. */
static const char *const others[] = {
    "mode",      "wakeup-interval", "non-schedulable-interval",
    "resources", "hardware",        "templates",
    "networks",  "attributes",      "module-path",
};

static bool is_listed(const char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], word))
            return true;
    return false;
}

static bool decides(const struct configuration_option *option)
{
    return option->type != OPTION_ACCEPTED && option->type != OPTION_PATH &&
           is_listed(sections, sizeof sections / sizeof *sections, option->section) &&
           !is_listed(others, sizeof others / sizeof *others, option->name);
}

static bool is_policies(const char *name)
{
    return !strncmp(name, "policy-", 7);
}

static char *word_text(const char *words, int place)
{
    for (; place > 0; place--)
        words = strchr(words, '|') + 1;
    return memory_format("%.*s", (int)strcspn(words, "|"), words);
}

static char *time_text(int64_t seconds)
{
    time_t time = (time_t)seconds;
    struct tm parts;
    char text[64];

    gmtime_r(&time, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return memory_text(text);
}

static char *number_text(double number)
{
    char text[REAL_TEXT_MAX];

    return memory_format("%.*s", (int)real_text(number, text), text);
}

/* Turns "./mine.so*2,greedy" into "mine*2,greedy". */
static char *policies_text(const char *chain)
{
    char *copy = memory_text(chain), *rest = copy, *text = memory_text("");

    for (char *item; (item = strsep(&rest, ","));) {
        size_t length = strcspn(item, "*");
        const char *weight = item + length, *slash = memrchr(item, '/', length);
        const char *name = slash ? slash + 1 : item;
        char *longer;

        length = (size_t)(weight - name);
        if (length > 3 && !strncmp(name + length - 3, ".so", 3))
            length -= 3;
        longer = memory_format("%s%s%.*s%s", text, *text ? "," : "", (int)length, name, weight);
        free(text);
        text = longer;
    }
    free(copy);
    return text;
}

static char *text_of(const struct configuration_option *option,
                     const struct configuration *configuration)
{
    const void *place = (const char *)configuration + option->offset;
    const char *text = option->type == OPTION_TEXT ? *(char *const *)place : NULL;
    int64_t whole = SPAN_NONE;

    switch (option->type) {
    case OPTION_WORD:
        return word_text(option->words, *(const int *)place);
    case OPTION_BOOLEAN:
        return memory_text(*(const bool *)place ? "yes" : "no");
    case OPTION_NUMBER:
        return number_text(*(const double *)place);
    case OPTION_INTEGER:
    case OPTION_SECONDS:
    case OPTION_TIME:
        whole = *(const int64_t *)place;
        if (whole == SPAN_NONE)
            return NULL;
        return option->type == OPTION_TIME ? time_text(whole) : memory_format("%" PRId64, whole);
    default:
        return text && is_policies(option->name) ? policies_text(text) : memory_text(text);
    }
}

/* A Haizea file without the option accounting.probes has no probes. */
static char *value_of(const struct configuration_option *option,
                      const struct configuration *configuration)
{
    if (!strcmp(option->name, "probes") && !configuration->probes && configuration->is_haizea_file)
        return memory_text("");
    return text_of(option, configuration);
}

static void visit_cancellations(const struct configuration *configuration, run_option_visit *visit,
                                void *context)
{
    char *text = NULL;

    for (size_t i = 0; i < configuration->n_cancellations; i++) {
        const struct cancellation *next = &configuration->cancellations[i];
        char *longer = memory_format("%s%s%" PRId64 "@%" PRId64, text ? text : "", text ? " " : "",
                                     next->lease, next->at);

        free(text);
        text = longer;
    }
    if (text)
        visit(context, "oracle", "cancel", text);
    free(text);
}

void run_options_each(const struct configuration *configuration, run_option_visit *visit,
                      void *context)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct configuration_option *option = &option_table[i];
        char *text = decides(option) ? value_of(option, configuration) : NULL;

        if (text)
            visit(context, option->section, option->name, text);
        free(text);
    }
    visit_cancellations(configuration, visit, context);
    for (size_t i = 0; i < configuration->n_policy_settings; i++) {
        const struct policy_setting *setting = &configuration->policy_settings[i];
        char *section = memory_format("policy %s", setting->policy);

        visit(context, section, setting->name, setting->value);
        free(section);
    }
}

static int check_entry(const struct ini_entry *entry, struct error *err)
{
    const struct configuration_option *option = option_find(entry->section, entry->key);

    if (!strncmp(entry->section, "policy ", 7) ||
        (!strcmp(entry->section, "oracle") && !strcmp(entry->key, "cancel")))
        return 0;
    if (!option || !decides(option))
        return error_set(err, EINVAL, "%s.%s is not an option of a replay", entry->section,
                         entry->key);
    if (is_policies(entry->key) && strchr(entry->value, '/'))
        return error_set(err, EINVAL, "%s.%s names a file; expected names of policies",
                         entry->section, entry->key);
    return 0;
}

struct configuration *run_options_configuration(struct ini *ini, const char *name,
                                                struct error *err)
{
    for (size_t i = 0; i < ini->n_entries; i++)
        if (check_entry(&ini->entries[i], err) < 0)
            return NULL;
    return configuration_create(ini, name, NULL, err);
}
