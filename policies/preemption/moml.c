/* MOML, minimum overhead and minimum leases: among the candidate sets with an overhead of at most
 * alpha, chooses the one with the fewest leases; among equals, the least overhead, then the
 * smallest ids.
 *
 * alpha is the median of the overheads of all candidate sets (the lower middle of an even number;
 * sets of equal overhead count separately), the least (as mov), the largest (as mlip), or a number
 * of seconds. If all sets exceed this number, the one with the least overhead is taken.
 */
#include <math.h>

#include "candidate_choice.h"

enum option { ALPHA = CHOICE_OPTIONS };
enum alpha { MEDIAN, MINIMUM, MAXIMUM, NUMBER };

static const struct galerna_option options[] = {
    CHOICE_OPTION_TABLE,
    [ALPHA] = {.name = "alpha",
               .type = GALERNA_TEXT,
               .default_value = "median",
               .description = "Maximum overhead of a set: median, minimum or maximum of all "
                              "candidate sets, or a number of seconds over all VMs"},
};

struct policy {
    struct choice choice; /* first: see choice_may_preempt() */
    enum alpha alpha;
    int64_t seconds;
};

static bool read_alpha(struct policy *policy, const char *text)
{
    static const char *const words[] = {"median", "minimum", "maximum"};
    char *end;
    double number;

    for (int i = MEDIAN; i < NUMBER; i++)
        if (strcmp(text, words[i]) == 0) {
            policy->alpha = (enum alpha)i;
            return true;
        }
    number = strtod(text, &end);
    if (!*text || *end || !(number >= 0) || !(number < 9e18))
        return false;
    policy->alpha = NUMBER;
    policy->seconds = (int64_t)number;
    return true;
}

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = calloc(1, sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    choice_init(&policy->choice, host, values);
    if (!read_alpha(policy, values[ALPHA].text)) {
        free(policy);
        return host->answer(result, GALERNA_ERROR, "bad-alpha",
                            "alpha is '%.40s', expected median, minimum, maximum or a number of "
                            "seconds, 0 or more",
                            values[ALPHA].text);
    }
    *self = policy;
    return GALERNA_OK;
}

static int by_size(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* The lower median of the sets' overheads; -1: out of memory. */
static int64_t median(const struct sets_search *search)
{
    int64_t *overheads = calloc(search->n_sets, sizeof *overheads), result;

    if (!overheads)
        return -1;
    for (size_t i = 0; i < search->n_sets; i++)
        overheads[i] = search->sets[i].overhead;
    qsort(overheads, search->n_sets, sizeof *overheads, by_size);
    result = overheads[(search->n_sets - 1) / 2];
    free(overheads);
    return result;
}

/* False: out of memory. */
static bool choose_by_median(struct policy *policy, struct sets_search *search, size_t *chosen,
                             size_t *n_chosen)
{
    int64_t alpha;

    sets_find_all(search);
    choice_tell(&policy->choice, search);
    alpha = search->out_of_memory || search->n_sets == 0 ? -1 : median(search);
    if (alpha < 0)
        return false;
    search->goal = BY_NUMBER;
    search->limit = alpha;
    for (size_t i = 0; i < search->n_sets; i++)
        sets_offer(search, &search->sets[i]);
    choice_answer(search, &search->best, chosen, n_chosen);
    return true;
}

static enum galerna_verdict choose(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result)
{
    struct policy *policy = self;
    const struct choice_question question = {batch, chosen, n_chosen, result};
    struct sets_search search;
    bool done = true;

    if (policy->alpha != MEDIAN)
        return choice_by_goal(&policy->choice, policy->alpha == MINIMUM ? BY_OVERHEAD : BY_NUMBER,
                              policy->alpha == NUMBER ? policy->seconds : GALERNA_NEVER, &question);
    *n_chosen = 0;
    if (!choice_may_preempt(&policy->choice, batch->preemptor))
        return GALERNA_OK;
    if (!sets_init(&search, batch, policy->choice.tests))
        done = false;
    else if (choice_begin(&policy->choice, &search))
        done = choose_by_median(policy, &search, chosen, n_chosen);
    sets_finish(&search);
    if (!done)
        return policy->choice.host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    return GALERNA_OK;
}

static const struct galerna_preemption operations = {
    .size = sizeof operations,
    .may_preempt = choice_may_preempt,
    .choose = choose,
};

GALERNA_POLICY(moml) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "moml",
    .version = "1.0",
    .summary = "Preempts few leases among sets of moderate overhead (minimum overhead, minimum "
               "leases)",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .preemption = &operations,
};
