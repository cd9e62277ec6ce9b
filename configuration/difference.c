/* Compares configurations, and copies reloaded options. */
#include "configuration/difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "configuration/ini.h"
#include "util/words.h"

/* Numbers and words that the daemon reads on each use. Values passed to other parts at their
 * creation are not included. */
#define RELOADED(OPTION)                                                                           \
    OPTION("opennebula", "poll-interval", poll_interval)                                           \
    OPTION("opennebula", "actions-in-all", actions_in_all)                                         \
    OPTION("opennebula", "stuck-after", stuck_after)                                               \
    OPTION("opennebula", "retry-limit", retry_limit)                                               \
    OPTION("opennebula", "retry-backoff", retry_backoff)                                           \
    OPTION("opennebula", "end-action", end_action)                                                 \
    OPTION("opennebula", "end-warning", end_warning)                                               \
    OPTION("opennebula", "unused-after", unused_after)                                             \
    OPTION("opennebula", "unused-cpu", unused_cpu)                                                 \
    OPTION("opennebula", "unlock", unlock)                                                         \
    OPTION("opennebula", "refusal", refusal)                                                       \
    OPTION("opennebula", "plain-vms", plain_vms)                                                   \
    OPTION("opennebula", "group-timeout", group_timeout)                                           \
    OPTION("daemon", "log-level", log_level)                                                       \
    OPTION("daemon", "log-format", log_format)                                                     \
    OPTION("daemon", "history-keep", history_keep)

/* Does the section's name equal the word or begin with it: [rights], [rights user:anna]? */
static bool is_section(const char *section, const char *word)
{
    size_t n = strlen(word);

    return strncmp(section, word, n) == 0 && (section[n] == '\0' || section[n] == ' ');
}

/* Options for loading policy modules. */
static bool is_of_policies(const char *section, const char *name)
{
    return is_section(section, "policy") ||
           (strcmp(section, "scheduling") == 0 &&
            (strcmp(name, "policy-admission") == 0 || strcmp(name, "policy-preemption") == 0 ||
             strcmp(name, "policy-host-selection") == 0)) ||
           (strcmp(section, "galerna") == 0 && strcmp(name, "module-path") == 0);
}

bool option_reloads(const char *section, const char *name)
{
    static const char *const names[][2] = {
#define NAMES(section, name, member) {section, name},
        RELOADED(NAMES)
#undef NAMES
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(section, names[i][0]) == 0 && strcmp(name, names[i][1]) == 0)
            return true;
    return is_section(section, "rights") || is_section(section, "notify") ||
           is_of_policies(section, name);
}

void configuration_take_over(struct configuration *configuration, const struct configuration *from)
{
#define COPY(section, name, member) configuration->live.member = from->live.member;
    RELOADED(COPY)
#undef COPY
}

/* Is the entry the effective one, and different or absent in the other file? */
static bool differs(const struct ini *ini, const struct ini_entry *entry, const struct ini *other)
{
    const struct ini_entry *there = ini_find(other, entry->section, entry->key);

    return ini_find(ini, entry->section, entry->key) == entry &&
           (!there || strcmp(there->value, entry->value) != 0);
}

void configuration_compare(const struct configuration *before, const struct configuration *after,
                           void (*visit)(void *context, const char *section, const char *name),
                           void *context)
{
    const struct ini *old = &before->ini, *new = &after->ini;

    for (size_t i = 0; i < new->n_entries; i++)
        if (differs(new, &new->entries[i], old))
            visit(context, new->entries[i].section, new->entries[i].key);
    for (size_t i = 0; i < old->n_entries; i++)
        if (!ini_find(new, old->entries[i].section, old->entries[i].key) &&
            differs(old, &old->entries[i], new))
            visit(context, old->entries[i].section, old->entries[i].key);
}

/* --- front-ends of one zone ------------------------------------------------------------------- */

static bool is_of_the_machine(const struct ini_entry *entry)
{
    static const char *const names[] = {"endpoint",  "host",    "port",
                                        "auth-file", "ca-file", "promise-key"};

    return is_section(entry->section, "daemon") || is_section(entry->section, "http") ||
           (strcmp(entry->section, "opennebula") == 0 && WORDS_HAVE(names, entry->key));
}

/* Includes the end of the text, to distinguish "a" "bc" from "ab" "c". */
static uint64_t mix(uint64_t digest, const char *text)
{
    do
        digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
    while (*text++);
    return digest;
}

/* Scatters the bits, because sums of plain digests would not notice two lines that exchange their
 * values. */
static uint64_t scatter(uint64_t digest)
{
    digest = (digest ^ digest >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    digest = (digest ^ digest >> 27) * UINT64_C(0x94d049bb133111eb);
    return digest ^ digest >> 31;
}

/* A name in a text whose separators it must not contain, nor quotes. */
static void add_name(const char *name, char *text, size_t size)
{
    size_t length = strlen(text);

    for (; *name && length + 1 < size; name++)
        text[length++] = strchr("=;/\"\\", *name) || (unsigned char)*name < ' ' ? '_' : *name;
    text[length] = '\0';
}

void configuration_digests(const struct configuration *configuration, char *text, size_t size)
{
    const struct ini *ini = &configuration->ini;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < ini->n_entries; i++) {
        const struct ini_entry *entry = &ini->entries[i];
        char section[INI_NAME_MAX] = "", key[INI_NAME_MAX] = "";
        int written;

        if (is_of_the_machine(entry) || ini_find(ini, entry->section, entry->key) != entry)
            continue;
        add_name(entry->section, section, sizeof section);
        add_name(entry->key, key, sizeof key);
        written = snprintf(text + length, size - length, "%s/%s=%08" PRIx32 ";", section, key,
                           (uint32_t)scatter(mix(UINT64_C(14695981039346656037), entry->value)));
        if ((size_t)written >= size - length) {
            text[length] = '\0';
            return;
        }
        length += (size_t)written;
    }
}

/* Names the options of `one` that `other` lacks; with `both`, also those with another value.
 * Returns how many do not fit. */
static size_t name_missing(const char *one, const char *other, bool both, char *text, size_t size)
{
    size_t n_left_out = 0;

    for (const char *end; (end = strchr(one, ';')); one = end + 1) {
        size_t length = (size_t)(end - one), name = strcspn(one, "=;"), used = strlen(text);
        bool found = false;

        for (const char *at = other, *stop; !found && (stop = strchr(at, ';')); at = stop + 1)
            found = strncmp(at, one, both ? length + 1 : name + 1) == 0;
        if (!found && used + name + 3 < size)
            snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", (int)name, one);
        else
            n_left_out += !found;
    }
    return n_left_out;
}

void configuration_name_differences(const char *own, const char *other, char *text, size_t size)
{
    enum { MORE_MAX = sizeof ", and 18446744073709551615 more" };
    size_t room = size - MORE_MAX, n, length;

    text[0] = '\0';
    n = name_missing(own, other, true, text, room);
    n += name_missing(other, own, false, text, room);
    length = strlen(text);
    if (n > 0)
        snprintf(text + length, size - length, "%s%zu more", length ? ", and " : "", n);
}

/* The fingerprint is a sum, independent of the order of the lines. */
void configuration_fingerprint(const struct configuration *configuration,
                               char text[CONFIGURATION_FINGERPRINT_MAX])
{
    const struct ini *ini = &configuration->ini;
    uint64_t sum = 0;

    for (size_t i = 0; i < ini->n_entries; i++) {
        const struct ini_entry *entry = &ini->entries[i];
        uint64_t digest;

        if (is_of_the_machine(entry) || ini_find(ini, entry->section, entry->key) != entry)
            continue;
        digest = mix(mix(UINT64_C(14695981039346656037), entry->section), entry->key);
        sum += scatter(mix(digest, entry->value));
    }
    snprintf(text, CONFIGURATION_FINGERPRINT_MAX, "%016" PRIx64, sum);
}
