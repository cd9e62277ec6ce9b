/* The scores of modules: checked and added up. */
#include "plugin/host_private.h"

void policy_check_scores(struct instance *instance, int64_t *scores, size_t n)
{
    uint64_t outside = 0;

    /* The sign bit of score - VETO is set below the range, that of MAX - score above it. */
    for (size_t i = 0; i < n; i++)
        outside |= ((uint64_t)scores[i] - (uint64_t)GALERNA_VETO) |
                   ((uint64_t)GALERNA_SCORE_MAX - (uint64_t)scores[i]);
    if (!(outside >> 63))
        return;
    for (size_t i = 0; i < n; i++)
        if (scores[i] < GALERNA_VETO || scores[i] > GALERNA_SCORE_MAX) {
            int64_t clamped = scores[i] < GALERNA_VETO ? 0 : GALERNA_SCORE_MAX;

            instance_fault(instance, "score gave score %lld%s, outside -1 to %lld; taken as %lld",
                           (long long)scores[i],
                           scores[i] == INT64_MIN ? " (what NaN becomes as an integer)" : "",
                           (long long)GALERNA_SCORE_MAX, (long long)clamped);
            scores[i] = clamped;
        }
}

void policy_add_scores(int64_t *sums, const int64_t *scores, size_t n, unsigned weight)
{
    for (size_t i = 0; i < n; i++)
        sums[i] =
            sums[i] < 0 || scores[i] < 0 ? POLICY_VETO : sums[i] + scores[i] * (int64_t)weight;
}
