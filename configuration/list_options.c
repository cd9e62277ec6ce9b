/* Reads options accounting.probes and scheduling.fair-shares. */
#include "configuration/list_options.h"

#include <stdlib.h>
#include <string.h>

#include "core/accounting.h"
#include "util/memory.h"
#include "util/suggest.h"

#define COUNTER(name) (UINT32_C(1) << COUNTER_##name)

struct probe {
    const char *name;
    uint32_t counters;
};

static const struct probe probes[] = {
    {"ar", COUNTER(ACCEPTED_RESERVATIONS) | COUNTER(REJECTED_RESERVATIONS)},
    {"immediate", COUNTER(ACCEPTED_IMMEDIATE) | COUNTER(REJECTED_IMMEDIATE)},
    {"best-effort", COUNTER(BEST_EFFORT_COMPLETED) | COUNTER(QUEUE_SIZE)},
    {"cpu-utilization", COUNTER(CPU_UTILIZATION)},
    {"utilization", COUNTER(CPU_UTILIZATION)}, /* the name in Haizea's manual */
    {"disk-usage", COUNTER(DISK_USAGE)},
    {"lease", 0},
    {"lease-extras", 0},
    {"deadline", 0},
    {"price", 0},
};

static const struct probe *find(const char *name, struct suggestion *suggestion)
{
    suggestion_init(suggestion, name);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!strcmp(probes[i].name, name))
            return &probes[i];
        suggestion_offer(suggestion, probes[i].name);
    }
    return NULL;
}

int probes_read(const struct ini_entry *entry, uint32_t *left_out, struct error *err)
{
    char *names = memory_text(entry ? entry->value : ""), *rest = names;
    uint32_t kept = 0;
    int result = 0;

    for (char *name; result == 0 && (name = strsep(&rest, " \t,"));) {
        struct suggestion suggestion;
        const struct probe *probe = name[0] ? find(name, &suggestion) : NULL;

        if (probe)
            kept |= probe->counters;
        else if (name[0])
            result = ini_error(entry, err, "unknown accounting probe '%.60s'%s", name,
                               suggestion_text(&suggestion));
    }
    free(names);
    *left_out = ((UINT32_C(1) << ACCOUNTING_COUNTERS) - 1) & ~kept;
    return result;
}

enum { SHARES_MOST = 1000000 };

/* Parses a number at *text and moves *text past it; -1: no number. */
static int64_t take_number(const char **text, int64_t most)
{
    int64_t number = -1;

    for (; **text >= '0' && **text <= '9' && number <= most; ++*text)
        number = (number < 0 ? 0 : number * 10) + (**text - '0');
    return number <= most ? number : -1;
}

/* Parses "user:5=2". */
static bool read_weight(const char *text, struct fair_share_weight *weight)
{
    weight->is_group = strncmp(text, "group:", 6) == 0;
    if (!weight->is_group && strncmp(text, "user:", 5) != 0)
        return false;
    text += weight->is_group ? 6 : 5;
    weight->id = take_number(&text, INT32_MAX);
    if (weight->id < 0 || *text++ != '=')
        return false;
    weight->shares = take_number(&text, SHARES_MOST);
    return weight->shares > 0 && !*text;
}

static bool is_known(const struct fair_share_settings *settings,
                     const struct fair_share_weight *weight)
{
    for (size_t i = 0; i < settings->n_weights; i++)
        if (settings->weights[i].is_group == weight->is_group &&
            settings->weights[i].id == weight->id)
            return true;
    return false;
}

int fair_shares_read(const struct ini_entry *entry, struct fair_share_settings *settings,
                     struct error *err)
{
    char *texts = memory_text(entry ? entry->value : ""), *rest = texts;
    int result = 0;

    settings->n_weights = 0;
    for (char *text; result == 0 && (text = strsep(&rest, " \t,"));) {
        struct fair_share_weight weight;

        if (!text[0])
            continue;
        if (!read_weight(text, &weight))
            result = ini_error(entry, err,
                               "fair-shares: '%.60s': expected user:ID=SHARES or "
                               "group:ID=SHARES with 1 to %d shares",
                               text, SHARES_MOST);
        else if (is_known(settings, &weight))
            result =
                ini_error(entry, err, "fair-shares: '%.60s': its shares are already set", text);
        else if (settings->n_weights == FAIR_SHARE_WEIGHTS_MAX)
            result = ini_error(entry, err, "fair-shares: expected at most %d users and groups",
                               FAIR_SHARE_WEIGHTS_MAX);
        else
            settings->weights[settings->n_weights++] = weight;
    }
    free(texts);
    return result;
}
