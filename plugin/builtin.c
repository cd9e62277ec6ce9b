/* The built-in defaults: accept all requests, preempt no lease, all hosts equal. They are modules
 * like any other, except that they are linked in. */
#include "plugin/instance.h"

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    (void)self, (void)request, (void)result;
    return GALERNA_OK;
}

static bool may_preempt(void *self, const struct galerna_lease *preemptor)
{
    (void)self, (void)preemptor;
    return false;
}

static enum galerna_verdict score_victims(void *self, const struct galerna_victim_batch *batch,
                                          int64_t *scores, struct galerna_result *result)
{
    (void)self, (void)result;
    for (size_t i = 0; i < batch->n_victims; i++)
        scores[i] = GALERNA_VETO;
    return GALERNA_OK;
}

static enum galerna_verdict score_hosts(void *self, const struct galerna_host_batch *batch,
                                        int64_t *scores, struct galerna_result *result)
{
    (void)self, (void)result;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = GALERNA_SCORE_MAX;
    return GALERNA_OK;
}

static const struct galerna_admission admission = {.size = sizeof admission, .admit = admit};
static const struct galerna_preemption preemption = {
    .size = sizeof preemption, .may_preempt = may_preempt, .score = score_victims};
static const struct galerna_host_selection host_selection = {.size = sizeof host_selection,
                                                             .score = score_hosts};

static const struct galerna_policy accept_all = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "built-in-accept-all",
    .version = "1.0",
    .summary = "Accepts every lease",
    .admission = &admission,
};

static const struct galerna_policy no_preemption = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "built-in-no-preemption",
    .version = "1.0",
    .summary = "Never preempts a lease",
    .preemption = &preemption,
};

static const struct galerna_policy all_equal = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "built-in-all-equal",
    .version = "1.0",
    .summary = "All hosts are equal",
    .host_selection = &host_selection,
};

const struct galerna_policy *builtin_policy(enum galerna_policy_kind kind)
{
    switch (kind) {
    case GALERNA_KIND_ADMISSION:
        return &accept_all;
    case GALERNA_KIND_PREEMPTION:
        return &no_preemption;
    default:
        return &all_equal;
    }
}
