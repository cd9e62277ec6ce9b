/* Preemption policy: no lease is preempted. */
#include "galerna_policy.h"

static bool may_preempt(void *self, const struct galerna_lease *preemptor)
{
    (void)self, (void)preemptor;
    return false;
}

static enum galerna_verdict score(void *self, const struct galerna_victim_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    (void)self, (void)result;
    for (size_t i = 0; i < batch->n_victims; i++)
        scores[i] = GALERNA_VETO;
    return GALERNA_OK;
}

static const struct galerna_preemption operations = {
    .size = sizeof operations, .may_preempt = may_preempt, .score = score};

GALERNA_POLICY(no_preemption) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION), .name = "no-preemption",   .version = "1.0",
    .summary = "Never preempts a lease",          .preemption = &operations,
};
