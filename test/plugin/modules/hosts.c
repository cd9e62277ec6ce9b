/* Host selection that answers as its options say. */
#include <stdlib.h>
#include <unistd.h>

#include "galerna_policy.h"

enum { SCORE, VERDICT, VETO_PLACE, SLEEP, ESTIMATE };

static const struct galerna_option options[] = {
    {.name = "score", .type = GALERNA_INTEGER, .default_value = "5",
     .description = "For each host"},
    {.name = "verdict", .type = GALERNA_CHOICE, .choices = "ok|skip|error|nonsense",
     .default_value = "ok", .description = "What score returns"},
    {.name = "veto-place", .type = GALERNA_INTEGER, .default_value = "-1",
     .description = "The host that is never taken; -1: none"},
    {.name = "sleep", .type = GALERNA_INTEGER, .default_value = "0",
     .description = "Microseconds that a call takes"},
    {.name = "estimate", .type = GALERNA_INTEGER, .default_value = "-1",
     .description = "Milliseconds for each VM; -1: no opinion"},
};

struct policy {
    const struct galerna_host *host;
    int64_t score;
    uint32_t verdict;
    int64_t veto_place, sleep, estimate;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct policy){host, values[SCORE].integer, values[VERDICT].choice,
                              values[VETO_PLACE].integer, values[SLEEP].integer,
                              values[ESTIMATE].integer};
    *self = policy;
    return GALERNA_OK;
}

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    static const int verdicts[] = {GALERNA_OK, GALERNA_SKIP, GALERNA_ERROR, 77};
    const struct policy *policy = self;

    if (policy->sleep)
        usleep((useconds_t)policy->sleep);
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i] == policy->veto_place ? GALERNA_VETO : policy->score;
    if (policy->verdict == 2)
        return policy->host->answer(result, GALERNA_ERROR, "tired", "no more %s today", "scores");
    return (enum galerna_verdict)verdicts[policy->verdict];
}

static enum galerna_verdict estimate(void *self, const struct galerna_estimate *estimate,
                                     int64_t *milliseconds, struct galerna_result *result)
{
    const struct policy *policy = self;

    (void)result;
    *milliseconds = policy->estimate * (int64_t)estimate->n_vms + estimate->hosts[0] -
                    estimate->from[0] + estimate->overhead;
    return policy->estimate == -1 ? GALERNA_SKIP : GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations, .score = score, .estimate = estimate};

#ifndef SYMBOL
#define SYMBOL hosts
#define NAME "hosts"
#endif
#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = NAME,
    .version = "1.0",
    .summary = "Answers as its options say",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .host_selection = &operations,
};
