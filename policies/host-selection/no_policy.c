/* Host selection policy: all hosts are equal. */
#include "galerna_policy.h"

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    (void)self, (void)result;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = GALERNA_SCORE_MAX;
    return GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMNS_SUFFICE,
    .score = score,
};

GALERNA_POLICY(no_policy) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "no-policy",
    .version = "1.0",
    .summary = "All hosts are equal: takes the first that fits",
    .host_selection = &operations,
};
