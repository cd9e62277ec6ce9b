/* Reads the ONE_DRS attributes of a cluster. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "adapters/cloud/objects.h"
#include "daemon/state/rebalance_plan.h"
#include "util/decimal.h"

static int malformed(const struct cluster *cluster, const char *name, const char *value,
                     const char *expected, struct error *err)
{
    return error_set(err, EBADMSG, "cluster %d: %s is '%.40s': expected %s", cluster->id, name,
                     value, expected);
}

/* A missing attribute leaves *index unchanged. */
static int read_word(const struct cluster *cluster, const char *name, const char *const *words,
                     int n_words, int *index, struct error *err)
{
    const char *value = attributes_find(&cluster->attributes, name);

    for (int i = 0; value && i < n_words; i++)
        if (strcasecmp(value, words[i]) == 0) {
            *index = i;
            return 0;
        }
    return value ? malformed(cluster, name, value,
                             n_words == 2 ? "balance or pack" : "manual, partial or full", err)
                 : 0;
}

static int read_number(const struct cluster *cluster, const char *name, double *number,
                       struct error *err)
{
    const char *value = attributes_find(&cluster->attributes, name);

    if (value && decimal_parse_real(value, number) < 0)
        return malformed(cluster, name, value, "a number", err);
    return 0;
}

/* Weights from 0 to 1, scaled to a sum of 1. If all are 0, only the measured CPU counts, as in
 * OneDRS, which also does that if their sum exceeds 1. */
static int read_weights(const struct cluster *cluster, struct rebalance_settings *settings,
                        struct error *err)
{
    static const char *const names[] = {[MEASURE_CPU_USAGE] = "ONE_DRS/CPU_USAGE_WEIGHT",
                                        [MEASURE_CPU] = "ONE_DRS/CPU_WEIGHT",
                                        [MEASURE_MEMORY] = "ONE_DRS/MEMORY_WEIGHT",
                                        [MEASURE_NET] = "ONE_DRS/NET_WEIGHT",
                                        [MEASURE_DISK] = "ONE_DRS/DISK_WEIGHT"};
    double weights[REBALANCE_MEASURES] = {0}, sum = 0;

    for (int i = 0; i < REBALANCE_MEASURES; i++) {
        if (read_number(cluster, names[i], &weights[i], err) < 0)
            return -1;
        weights[i] = fmin(fmax(weights[i], 0), 1);
        sum += weights[i];
    }
    if (sum <= 0)
        weights[MEASURE_CPU_USAGE] = sum = 1;
    for (int i = 0; i < REBALANCE_MEASURES; i++)
        settings->weights[i] = llround(weights[i] / sum * USE_WHOLE);
    return 0;
}

static int read_limit(const struct cluster *cluster, const char *name, uint32_t *most,
                      struct error *err)
{
    double limit = -1;

    if (read_number(cluster, name, &limit, err) < 0)
        return -1;
    if (limit >= 0 && limit < *most)
        *most = (uint32_t)limit;
    return 0;
}

int rebalance_settings_read(const struct cluster *cluster, struct rebalance_settings *settings,
                            struct error *err)
{
    static const char *const policies[] = {"balance", "pack"};
    static const char *const automations[] = {"manual", "partial", "full"};
    int policy = REBALANCE_BALANCE, automation = AUTOMATION_MANUAL;

    *settings = (struct rebalance_settings){.most_moves = UINT32_MAX};
    if (read_word(cluster, "ONE_DRS/POLICY", policies, 2, &policy, err) < 0 ||
        read_word(cluster, "ONE_DRS/AUTOMATION", automations, 3, &automation, err) < 0 ||
        read_limit(cluster, "ONE_DRS/MIGRATION_THRESHOLD", &settings->most_moves, err) < 0 ||
        read_limit(cluster, "ONE_DRS/HOST_MIGRATION_THRESHOLD", &settings->most_moves, err) < 0 ||
        read_number(cluster, "ONE_DRS/PREDICTIVE", &settings->predictive, err) < 0)
        return -1;
    settings->predictive = fmin(fmax(settings->predictive, 0), 1);
    settings->policy = (enum rebalance_policy)policy;
    settings->automation = (enum rebalance_automation)automation;
    return read_weights(cluster, settings, err);
}
