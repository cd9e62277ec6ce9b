/* Converts OpenNebula's settings by a table. */
#include "configuration/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/configuration.h"
#include "util/memory.h"
#include "util/words.h"

/* Conversions of values. */
enum conversion { AS_IT_IS, BYTES_TO_MB, DEBUG_LEVEL, NO_LIMIT_IS_0, NEVER_IS_0, COLD_MODE };

struct rule {
    const char *name, *key; /* key NULL: any, or none */
    enum import_result result;
    const char *section, *option; /* IMPORT_OPTION */
    enum conversion conversion;
    const char *text;
};

#define BECOMES(option)  IMPORT_OPTION, "opennebula", option
#define NOT_NEEDED(why)  IMPORT_NOT_NEEDED, NULL, NULL, AS_IT_IS, why
#define UNSUPPORTED(why) IMPORT_UNSUPPORTED, NULL, NULL, AS_IT_IS, why

#define PLACES_ITSELF NOT_NEEDED("oned does not place VMs when galernad does, see galerna-setup(1)")

static const struct rule rules[] = {
    {"ONE_XMLRPC", NULL, BECOMES("endpoint"), AS_IT_IS, ""},
    {"TIMEOUT", NULL, BECOMES("timeout"), AS_IT_IS, ""},
    {"MESSAGE_SIZE", NULL, BECOMES("answer-limit"), BYTES_TO_MB, ""},
    {"HTTP_PROXY", NULL, UNSUPPORTED("galernad connects to oned directly")},
    {"SCHED_INTERVAL", NULL,
     NOT_NEEDED("galernad has no cycles; it reacts to events, and also polls OpenNebula every "
                "poll-interval")},
    {"MAX_VM", NULL, NOT_NEEDED("all waiting VMs are considered, the oldest first")},
    {"MAX_DISPATCH", NULL, BECOMES("actions-in-all"), NO_LIMIT_IS_0,
     "unfinished commands at any time, instead of VMs per cycle"},
    {"MAX_HOST", NULL,
     NOT_NEEDED("it spreads the VMs of a cycle; galernad ranks the hosts for each VM. "
                "actions-per-host limits unfinished commands on a host")},
    {"LIVE_RESCHEDS", NULL, BECOMES("live-rescheds"), AS_IT_IS, ""},
    {"COLD_MIGRATE_MODE", NULL, BECOMES("cold-moves"), COLD_MODE,
     "mode 2, without waiting for the guest, becomes mode 1"},
    {"MEMORY_SYSTEM_DS_SCALE", NULL, BECOMES("memory-system-ds-scale"), AS_IT_IS, ""},
    {"DIFFERENT_VNETS", NULL, BECOMES("different-networks"), AS_IT_IS, ""},
    {"DEFAULT_SCHED", "POLICY", BECOMES("host-policy"), AS_IT_IS, ""},
    {"DEFAULT_SCHED", "RANK", BECOMES("rank"), AS_IT_IS, ""},
    {"DEFAULT_DS_SCHED", "POLICY", BECOMES("datastore-policy"), AS_IT_IS, ""},
    {"DEFAULT_DS_SCHED", "RANK", BECOMES("datastore-rank"), AS_IT_IS, ""},
    {"DEFAULT_NIC_SCHED", "POLICY", BECOMES("network-policy"), AS_IT_IS, ""},
    {"DEFAULT_NIC_SCHED", "RANK", BECOMES("network-rank"), AS_IT_IS, ""},
    {"EXTERNAL_SCHEDULER", NULL,
     UNSUPPORTED("use a host selection module instead, see galerna-policy(7)")},
    {"VM_ATTRIBUTE", NULL,
     UNSUPPORTED("it belongs to EXTERNAL_SCHEDULER; modules read attributes "
                 "of VMs through the module interface")},
    {"LOG", "DEBUG_LEVEL", IMPORT_OPTION, "daemon", "log-level", DEBUG_LEVEL, ""},
    {"LOG", "SYSTEM",
     NOT_NEEDED("galernad logs to standard error, which the service sends to the "
                "journal")},
    /* oned.conf of 7.x */
    {"SCHED_MAD", NULL, NOT_NEEDED("it belongs to oned; see galerna-setup(1) for its value")},
    {"SCHED_MAX_WND_TIME", NULL, PLACES_ITSELF},
    {"SCHED_MAX_WND_LENGTH", NULL, PLACES_ITSELF},
    {"SCHED_RETRY_TIME", NULL, PLACES_ITSELF},
    {"MAX_ACTIONS_PER_HOST", NULL, BECOMES("actions-per-host"), NO_LIMIT_IS_0, ""},
    {"MAX_ACTIONS_PER_CLUSTER", NULL, BECOMES("actions-in-all"), NO_LIMIT_IS_0,
     "for all clusters together"},
    {"ACTION_TIMEOUT", NULL, BECOMES("stuck-after"), AS_IT_IS,
     "a command that takes longer no longer counts towards the limits; it is not abandoned"},
    {"DRS_INTERVAL", NULL, BECOMES("rebalance-interval"), NEVER_IS_0,
     "set it to -1 in oned.conf, so that oned does not move VMs as well"},
    {"VM_SUBMIT_ON_HOLD", NULL, BECOMES("submit-on-hold"), AS_IT_IS, ""},
};

static const struct rule *rule_of(const struct opennebula_setting *setting)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, setting->name) == 0 &&
            (!rules[i].key || (setting->key && strcmp(rules[i].key, setting->key) == 0)))
            return &rules[i];
    return NULL;
}

/* Converts a value; DEBUG_LEVEL has levels 0 to 5. */
static void convert(const struct rule *rule, const char *value, char *converted, size_t size)
{
    static const char *const levels[] = {"error", "warning", "info", "info", "debug", "debug"};
    char *end;
    long long number = strtoll(value, &end, 10);
    bool whole = end != value && *end == '\0' && number >= 0;

    if (rule->conversion == BYTES_TO_MB && whole)
        snprintf(converted, size, "%lld", number >> 20);
    else if (rule->conversion == DEBUG_LEVEL && whole && number <= 5)
        snprintf(converted, size, "%s", levels[number]);
    else if (rule->conversion == NEVER_IS_0 && end != value && *end == '\0' && number < 0)
        snprintf(converted, size, "0");
    else if (rule->conversion == COLD_MODE && whole && number <= 2)
        snprintf(converted, size, "%s", number == 0 ? "save" : "poweroff");
    else if (rule->conversion == NO_LIMIT_IS_0 && whole && number == 0)
        snprintf(converted, size, "%.0f", option_find(rule->section, rule->option)->most);
    else
        snprintf(converted, size, "%s", value);
}

/* Would the option accept this value in a configuration file? */
static bool is_valid(const struct configuration_option *option, const char *value,
                     struct error *err)
{
    struct configuration *scratch = memory_new(1, sizeof *scratch);
    const struct ini_entry entry = {
        .section = option->section, .key = option->name, .value = value, .origin = ""};
    bool valid = option_store(option, &entry, scratch, err) == 0;

    option_free_texts(scratch);
    free(scratch);
    return valid;
}

/* oned.conf uses these names for settings of oned itself. */
static bool is_oneds_own(const struct rule *rule)
{
    static const char *const names[] = {"LOG", "TIMEOUT", "MESSAGE_SIZE", "HTTP_PROXY"};

    return WORDS_HAVE(names, rule->name);
}

void import_setting(const struct opennebula_setting *setting, bool of_oned,
                    struct imported *imported)
{
    const struct rule *rule = rule_of(setting);
    struct error err = {0};
    char expects[200];

    if (rule && of_oned && is_oneds_own(rule))
        rule = NULL;
    *imported = (struct imported){.result = rule ? rule->result : IMPORT_OTHER};
    if (!rule)
        return;
    snprintf(imported->text, sizeof imported->text, "%s", rule->text);
    if (rule->result != IMPORT_OPTION)
        return;
    imported->option = option_find(rule->section, rule->option);
    if (!imported->option) {
        imported->result = IMPORT_UNSUPPORTED;
        snprintf(imported->text, sizeof imported->text, "galernad has no such setting");
        return;
    }
    convert(rule, setting->value, imported->value, sizeof imported->value);
    if (strpbrk(imported->value, "\n\r") || strlen(setting->value) >= sizeof imported->value ||
        !is_valid(imported->option, imported->value, &err)) {
        imported->result = IMPORT_INVALID;
        snprintf(imported->text, sizeof imported->text, "%s takes %s", imported->option->name,
                 option_expects(imported->option, expects, sizeof expects));
    }
}

bool import_is_of_oned(const struct opennebula_file *file)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->settings[i].name, "DB") == 0 ||
            strcmp(file->settings[i].name, "VM_MAD") == 0)
            return true;
    return false;
}
