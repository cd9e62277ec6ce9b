/* Sections [notify NAME]: read and checked. */
#include "daemon/notify/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/decimal.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/words.h"

enum { ADDRESS_MAX = 254, SECONDS_MOST = 86400, ATTEMPTS_MOST = 100 };

#define SECTION "notify"

const char *const notice_event_words[NOTICE_EVENTS] = {
    [NOTICE_START] = "start",     [NOTICE_END] = "end",   [NOTICE_PREEMPTION] = "preemption",
    [NOTICE_REFUSAL] = "refusal", [NOTICE_LATE] = "late", [NOTICE_CHANGE] = "change",
    [NOTICE_ENDED] = "ended"};

const char *const notify_kind_words[NOTIFY_KINDS] = {
#define ROW(name, word, function) [NOTIFY_##name] = (word),
    NOTIFY_RECEIVERS(ROW)
#undef ROW
};

struct notify_settings {
    struct ini ini; /* has the texts */
    struct notify_target *targets;
    size_t n, allocated;
};

/* --- values ----------------------------------------------------------------------------------- */

bool notify_is_address(const char *text)
{
    const char *at = strchr(text, '@');

    if (!at || at == text || !at[1] || strlen(text) > ADDRESS_MAX || *text == '-')
        return false;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && c != at &&
            !strchr(c < at ? "!#$%&'*+-/=?^_`{|}~." : "-.", *c))
            return false;
    return true;
}

static int wrong(const struct ini_entry *entry, const char *expected, struct error *err)
{
    return ini_error(entry, err, "%s of [%s] is '%.60s', expected %s", entry->key, entry->section,
                     entry->value, expected);
}

/* Calls take() with each word of a list separated by commas and blanks. */
static int each_word(const char *list, int (*take)(void *context, const char *word), void *context)
{
    char *copy = memory_text(list), *rest = copy;
    int result = 0;

    for (char *word; result == 0 && (word = strsep(&rest, NOTIFY_SEPARATORS));)
        if (*word)
            result = take(context, word);
    free(copy);
    return result;
}

static int take_event(void *context, const char *word)
{
    int event = words_find(notice_event_words, NOTICE_EVENTS, word);

    *(uint32_t *)context |= event < 0 ? 0 : UINT32_C(1) << event;
    return event < 0 ? -1 : 0;
}

static int take_address(void *context, const char *word)
{
    (void)context;
    return strcmp(word, "owner") == 0 || notify_is_address(word) ? 0 : -1;
}

static int read_number(const struct ini_entry *entry, int64_t most, int64_t *number,
                       struct error *err)
{
    char expected[64];

    if (decimal_parse(entry->value, 0, number) == 0 && *number >= 1 && *number <= most)
        return 0;
    snprintf(expected, sizeof expected, "a whole number from 1 to %lld", (long long)most);
    return wrong(entry, expected, err);
}

static int read_path(const struct ini_entry *entry, const char **path, struct error *err)
{
    *path = entry->value;
    return *entry->value == '/' ? 0 : wrong(entry, "an absolute path", err);
}

/* --- options ---------------------------------------------------------------------------------- */

static int read_on(struct notify_target *target, const struct ini_entry *entry, struct error *err)
{
    target->events = 0;
    return each_word(entry->value, take_event, &target->events) < 0
               ? wrong(entry, "some of start, end, preemption, refusal, late, change, ended", err)
               : 0;
}

static int set_kind(struct notify_target *target, enum notify_kind kind,
                    const struct ini_entry *entry, struct error *err)
{
    if (target->where)
        return ini_error(entry, err, "[%s]: set only one of mail, webhook and program",
                         entry->section);
    target->kind = kind;
    target->where = entry->value;
    return 0;
}

static int read_mail(struct notify_target *target, const struct ini_entry *entry, struct error *err)
{
    if (!*entry->value || each_word(entry->value, take_address, NULL) < 0)
        return wrong(entry, "addresses or the word owner, separated by commas", err);
    return set_kind(target, NOTIFY_MAIL, entry, err);
}

static int read_webhook(struct notify_target *target, const struct ini_entry *entry,
                        struct error *err)
{
    if (strncmp(entry->value, "http://", 7) != 0 && strncmp(entry->value, "https://", 8) != 0)
        return wrong(entry, "a URL starting with https:// or http://", err);
    return set_kind(target, NOTIFY_WEBHOOK, entry, err);
}

static int read_program(struct notify_target *target, const struct ini_entry *entry,
                        struct error *err)
{
    const char *path;

    return read_path(entry, &path, err) < 0 ? -1 : set_kind(target, NOTIFY_PROGRAM, entry, err);
}

static int read_sendmail(struct notify_target *target, const struct ini_entry *entry,
                         struct error *err)
{
    return read_path(entry, &target->sendmail, err);
}

static int read_from(struct notify_target *target, const struct ini_entry *entry, struct error *err)
{
    target->from = entry->value;
    return notify_is_address(entry->value) ? 0 : wrong(entry, "an address", err);
}

static int read_key_file(struct notify_target *target, const struct ini_entry *entry,
                         struct error *err)
{
    return read_path(entry, &target->key_file, err);
}

static int read_pause(struct notify_target *target, const struct ini_entry *entry,
                      struct error *err)
{
    return read_number(entry, SECONDS_MOST, &target->retry_pause, err);
}

static int read_limit(struct notify_target *target, const struct ini_entry *entry,
                      struct error *err)
{
    return read_number(entry, ATTEMPTS_MOST, &target->retry_limit, err);
}

static const struct {
    const char *key;
    int (*read)(struct notify_target *target, const struct ini_entry *entry, struct error *err);
} options[] = {
    {"on", read_on},
    {"mail", read_mail},
    {"webhook", read_webhook},
    {"program", read_program},
    {"sendmail", read_sendmail},
    {"from", read_from},
    {"key-file", read_key_file},
    {"retry-pause", read_pause},
    {"retry-limit", read_limit},
};

static int read_entry(struct notify_target *target, const struct ini_entry *entry,
                      struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, entry->key);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].key, entry->key) == 0)
            return options[i].read(target, entry, err);
        suggestion_offer(&suggestion, options[i].key);
    }
    if (entry->inherited)
        return 0;
    return ini_error(entry, err, "unknown option '%.60s' in section [%s]%s", entry->key,
                     entry->section, suggestion_text(&suggestion));
}

/* --- sections --------------------------------------------------------------------------------- */

static struct notify_target *add_target(struct notify_settings *settings, const char *name)
{
    struct notify_target *target;

    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->targets[i].name, name) == 0)
            return &settings->targets[i];
    MEMORY_GROW(settings->targets, settings->allocated, settings->n + 1);
    target = &settings->targets[settings->n++];
    *target = (struct notify_target){.name = name,
                                     .events = (UINT32_C(1) << NOTICE_EVENTS) - 1,
                                     .sendmail = "/usr/sbin/sendmail",
                                     .retry_pause = 60,
                                     .retry_limit = 8};
    return target;
}

/* The NAME of [notify NAME]; NULL: another section. */
static const char *name_of(const char *section)
{
    size_t n = sizeof SECTION - 1;

    if (strncmp(section, SECTION, n) != 0 || (section[n] && section[n] != ' '))
        return NULL;
    return section + n + strspn(section + n, " ");
}

static int check(const struct notify_settings *settings, struct error *err)
{
    for (size_t i = 0; i < settings->n; i++) {
        const struct notify_target *target = &settings->targets[i];

        if (!*target->name)
            return error_set(err, EINVAL, "[notify] needs a name, as in [notify NAME]");
        if (!target->where)
            return error_set(err, EINVAL, "[notify %.60s]: set mail, webhook or program",
                             target->name);
        if (target->kind == NOTIFY_WEBHOOK && !target->key_file)
            return error_set(
                err, EINVAL,
                "[notify %.60s]: set key-file, the file with the key that signs the webhook",
                target->name);
    }
    return 0;
}

struct notify_settings *notify_settings_create(const struct ini *ini, struct error *err)
{
    struct notify_settings *settings = memory_new(1, sizeof *settings);

    ini_init(&settings->ini);
    for (size_t i = 0; i < ini->n_entries; i++)
        if (name_of(ini->entries[i].section))
            ini_add(&settings->ini, &ini->entries[i]);
    for (size_t i = 0; i < settings->ini.n_entries; i++) {
        const struct ini_entry *entry = &settings->ini.entries[i];

        /* The last value of an option counts. */
        if (ini_find(&settings->ini, entry->section, entry->key) == entry &&
            read_entry(add_target(settings, name_of(entry->section)), entry, err) < 0)
            goto failed;
    }
    if (check(settings, err) == 0)
        return settings;
failed:
    notify_settings_destroy(settings);
    return NULL;
}

void notify_settings_destroy(struct notify_settings *settings)
{
    if (!settings)
        return;
    ini_finish(&settings->ini);
    free(settings->targets);
    free(settings);
}

size_t notify_targets(const struct notify_settings *settings)
{
    return settings->n;
}

const struct notify_target *notify_target(const struct notify_settings *settings, size_t i)
{
    return &settings->targets[i];
}

const struct notify_target *notify_target_named(const struct notify_settings *settings,
                                                const char *name)
{
    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->targets[i].name, name) == 0)
            return &settings->targets[i];
    return NULL;
}
