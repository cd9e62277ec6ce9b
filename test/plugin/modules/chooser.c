/* Preemption by choosing a set, rightly or wrongly, as its option says. */
#include "galerna_policy.h"

#include <stdlib.h>

#include "util/unqualified.h"

enum { HOW };
enum { GOOD, OUTSIDE, TWICE, TOO_FEW, TOO_MANY, NONE, EXTRA, WRITES };

static const struct galerna_option options[] = {
    {.name = "how", .type = GALERNA_CHOICE,
     .choices = "good|outside|twice|too-few|too-many|none|extra|writes", .default_value = "good",
     .description = "What is chosen"},
};

struct policy {
    uint32_t how;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    policy->how = values[HOW].choice;
    *self = policy;
    return GALERNA_OK;
}

static enum galerna_verdict choose(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result)
{
    const struct policy *policy = self;
    size_t n = 0;

    (void)result;
    /* Good: the last victims, one more until they are enough. */
    while (n < batch->n_victims && !batch->enough(batch, chosen, n)) {
        chosen[n] = batch->n_victims - 1 - n;
        n++;
    }
    *n_chosen = batch->enough(batch, chosen, n) ? n : 0;
    switch (policy->how) {
    case OUTSIDE:
        chosen[0] = batch->n_victims;
        break;
    case TWICE:
        chosen[1] = chosen[0];
        *n_chosen = 2;
        break;
    case TOO_FEW:
        *n_chosen = 1;
        break;
    case TOO_MANY:
        *n_chosen = batch->n_victims + 1;
        break;
    case EXTRA:
        chosen[batch->n_victims] = 0;
        break;
    case WRITES:
        ((struct galerna_victim *)unqualified(batch->victims))->overhead++;
        break;
    case NONE:
        *n_chosen = 0;
        break;
    default:
        break;
    }
    return GALERNA_OK;
}

static const struct galerna_preemption operations = {.size = sizeof operations, .choose = choose};

#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = NAME,
    .version = "1.0",
    .summary = "Chooses rightly or wrongly",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .preemption = &operations,
};
