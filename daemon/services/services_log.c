/* Showing and setting the levels of the log while galernad runs. */
#include <errno.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/control/jansson_values.h"
#include "daemon/services/services.h"
#include "util/suggest.h"

#define LOG_SUBSYSTEM LOG_OF_CONTROL

void services_log_levels(void *context, json_t *object)
{
    (void)context;
    for (int i = 0; i < LOG_SUBSYSTEM_COUNT; i++)
        json_put(object, log_subsystem_words[i],
                 json_string(log_level_words[log_subsystem_level((enum log_subsystem)i)]));
}

/* The index of a word in the list; -1 with err. */
static int find_word(const char *word, const char *const *words, int n, struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, word);
    for (int i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
        suggestion_offer(&suggestion, words[i]);
    }
    return error_set(err, EINVAL, "unknown level or subsystem '%.60s'%s", word,
                     suggestion_text(&suggestion));
}

/* "configured" stands for the level in the configuration. */
static int find_level(const char *word, int *level, struct error *err)
{
    if (strcmp(word, "configured") == 0) {
        *level = LOG_LEVEL_CONFIGURED;
        return 0;
    }
    *level = find_word(word, log_level_words, LOG_LEVEL_COUNT, err);
    return *level < 0 ? error_prefix(err, "level") : 0;
}

int services_log_set(void *context, const char *level, const char *subsystem, struct error *err)
{
    int wanted, only = -1;

    (void)context;
    if (find_level(level, &wanted, err) < 0)
        return -1;
    if (subsystem) {
        only = find_word(subsystem, log_subsystem_words, LOG_SUBSYSTEM_COUNT, err);
        if (only < 0)
            return error_prefix(err, "subsystem");
    }
    for (int i = 0; i < LOG_SUBSYSTEM_COUNT; i++)
        if (only < 0 || i == only)
            log_set_subsystem_level((enum log_subsystem)i, wanted);
    log_info("log level of %s: %s", subsystem ? subsystem : "all subsystems", level);
    return 0;
}
