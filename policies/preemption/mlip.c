/* MLIP, minimum leases involved in preemption: chooses the candidate set with the fewest leases;
 * among equals, the least overhead, then the smallest ids. */
#include "candidate_choice.h"

static const struct galerna_option options[] = {CHOICE_OPTION_TABLE};

static enum galerna_verdict choose(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result)
{
    const struct choice_question question = {batch, chosen, n_chosen, result};

    return choice_by_goal(self, BY_NUMBER, GALERNA_NEVER, &question);
}

static const struct galerna_preemption operations = {
    .size = sizeof operations,
    .may_preempt = choice_may_preempt,
    .choose = choose,
};

GALERNA_POLICY(mlip) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "mlip",
    .version = "1.0",
    .summary = "Preempts as few leases as possible (minimum leases involved in preemption)",
    GALERNA_OPTIONS(options),
    .create = choice_create,
    .destroy = free,
    .preemption = &operations,
};
