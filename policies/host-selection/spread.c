/* Spreads the load: VMs get the least used host, and the loss of a host affects fewer of them. */
#include "fullness.h"

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    const struct galerna_host *host = self;

    (void)result;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = fullness_score(1 - fullness(host, batch, i));
    return GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMN_FREE | GALERNA_COLUMNS_SUFFICE,
    .score = score,
};

GALERNA_POLICY(spread) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "spread",
    .version = "1.0",
    .summary = "Prefers the emptiest host that fits",
    .create = remember_host,
    .host_selection = &operations,
};
