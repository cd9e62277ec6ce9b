/* Haizea's greedy policy: prefers hosts with few leases at the start, then hosts that stay
 * unchanged for the duration of the lease, so that later leases find whole gaps.
 *
 *     0.5 * (4 - min(4, n)) / 4 + 0.25 + 0.25 * d
 *
 * n: distinct leases on the host at the start. d: the share of this duration for which the host
 * does not change. The score is this double, bit for bit, times 2^54: the conversion is exact
 * in [1/4, 1], so hosts have equal scores exactly if they do in Haizea.
 */
#include "galerna_policy.h"

enum { LEASES_COUNTED = 4 };

/* The sums of the first two terms, exact in binary. */
static const double by_leases[LEASES_COUNTED + 1] = {0.75, 0.625, 0.5, 0.375, 0.25};

static int64_t to_score(double share)
{
    return (int64_t)(share * (double)GALERNA_SCORE_MAX);
}

/* For leases without an end or with a duration of 0, the share is 1 or 0. */
static void score_all_or_nothing(const struct galerna_host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++) {
        int32_t n = batch->leases_present[i];
        bool unchanged = batch->duration <= 0 || batch->unchanged_until[i] == GALERNA_NEVER;

        scores[i] =
            to_score(by_leases[n < LEASES_COUNTED ? n : LEASES_COUNTED] + (unchanged ? 0.25 : 0.0));
    }
}

static void score_limited(const struct galerna_host_batch *batch, int64_t *scores)
{
    const int64_t at = batch->at, end = batch->at + batch->duration;
    const double duration = (double)batch->duration;

    for (size_t i = 0; i < batch->n_hosts; i++) {
        int32_t n = batch->leases_present[i];
        int64_t until = batch->unchanged_until[i];
        /* If the host is unchanged until the end, both numbers are equal and the quotient is
         * exactly 1. */
        double share = (double)((until < end ? until : end) - at) / duration;

        scores[i] = to_score(by_leases[n < LEASES_COUNTED ? n : LEASES_COUNTED] + 0.25 * share);
    }
}

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    int64_t end;

    (void)self, (void)result;
    if (batch->duration <= 0 || batch->duration == GALERNA_UNLIMITED ||
        __builtin_add_overflow(batch->at, batch->duration, &end))
        score_all_or_nothing(batch, scores);
    else
        score_limited(batch, scores);
    return GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMN_LEASES | GALERNA_COLUMN_CHANGE | GALERNA_COLUMNS_SUFFICE,
    .score = score,
};

GALERNA_POLICY(greedy) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "greedy",
    .version = "1.0",
    .summary =
        "Prefers hosts with few leases, and free for the time of the lease (Haizea's default)",
    .host_selection = &operations,
};
