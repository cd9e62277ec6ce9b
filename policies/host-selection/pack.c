/* Fills hosts one after the other: gaps stay whole, and empty hosts can be switched off. */
#include "fullness.h"

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    const struct galerna_host *host = self;

    (void)result;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = fullness_score(fullness(host, batch, i));
    return GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMN_FREE | GALERNA_COLUMNS_SUFFICE,
    .score = score,
};

GALERNA_POLICY(pack) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "pack",
    .version = "1.0",
    .summary = "Prefers the fullest host that fits",
    .create = remember_host,
    .host_selection = &operations,
};
