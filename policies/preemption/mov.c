/* MOV, minimum overhead: chooses the candidate set with the least overhead; among equals, the
 * fewest leases, then the smallest ids. */
#include "candidate_choice.h"

static const struct galerna_option options[] = {CHOICE_OPTION_TABLE};

static enum galerna_verdict choose(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result)
{
    const struct choice_question question = {batch, chosen, n_chosen, result};

    return choice_by_goal(self, BY_OVERHEAD, GALERNA_NEVER, &question);
}

static const struct galerna_preemption operations = {
    .size = sizeof operations,
    .may_preempt = choice_may_preempt,
    .choose = choose,
};

GALERNA_POLICY(mov) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "mov",
    .version = "1.0",
    .summary = "Preempts the leases with the least total overhead (minimum overhead)",
    GALERNA_OPTIONS(options),
    .create = choice_create,
    .destroy = free,
    .preemption = &operations,
};
