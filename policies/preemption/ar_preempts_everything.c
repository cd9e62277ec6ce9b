/* Keeps reservations at the expense of best-effort leases. Options, with the rules of Haizea 1.0:
 *
 *                        default         haizea-1.0
 *   order                youngest-first  oldest-first  Haizea uses its list of victims from the end
 *   respect-terms        yes             no            Haizea ignores `preemptible`
 *   max-age              0 (no limit)    7d            older leases are spared
 *   deadlines-preempt    yes             no            Haizea 1.0 has no deadline leases
 */
#include "galerna_policy.h"

#include <stdlib.h>

enum option { ORDER, RESPECT_TERMS, MAX_AGE, DEADLINES_PREEMPT };
enum order { OLDEST_FIRST, YOUNGEST_FIRST };

static const struct galerna_option options[] = {
    [ORDER] = {.name = "order",
               .type = GALERNA_CHOICE,
               .choices = "oldest-first|youngest-first",
               .default_value = "youngest-first",
               .default_haizea_1_0 = "oldest-first",
               .description =
                   "Order of victims by their time of request; the youngest lose the least work"},
    [RESPECT_TERMS] = {.name = "respect-terms",
                       .type = GALERNA_BOOLEAN,
                       .default_value = "yes",
                       .default_haizea_1_0 = "no",
                       .description = "Spare non-preemptable leases"},
    [MAX_AGE] = {.name = "max-age",
                 .type = GALERNA_DURATION,
                 .default_value = "0",
                 .default_haizea_1_0 = "7d",
                 .description = "Spare leases that were requested at least this long before the "
                                "reservation's start; 0: spare none"},
    [DEADLINES_PREEMPT] = {.name = "deadlines-preempt",
                           .type = GALERNA_BOOLEAN,
                           .default_value = "yes",
                           .default_haizea_1_0 = "no",
                           .description =
                               "Deadline leases may also preempt suspendable best-effort leases"},
};

struct policy {
    const struct galerna_host *host;
    enum order order;
    bool respect_terms;
    int64_t max_age;
    bool deadlines_preempt;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct policy){
        .host = host,
        .order = (enum order)values[ORDER].choice,
        .respect_terms = values[RESPECT_TERMS].boolean,
        .max_age = values[MAX_AGE].integer,
        .deadlines_preempt = values[DEADLINES_PREEMPT].boolean,
    };
    *self = policy;
    return GALERNA_OK;
}

static bool may_preempt(void *self, const struct galerna_lease *preemptor)
{
    const struct policy *policy = self;
    enum galerna_lease_kind kind = policy->host->lease_kind(preemptor);

    return kind == GALERNA_LEASE_RESERVATION ||
           (kind == GALERNA_LEASE_DEADLINE && policy->deadlines_preempt);
}

static bool is_preemptable(const struct policy *policy, const struct galerna_lease *victim,
                           bool suspendable_only)
{
    enum galerna_terms terms = policy->host->lease_terms(victim);

    if (policy->host->lease_kind(victim) != GALERNA_LEASE_BEST_EFFORT)
        return false;
    if (suspendable_only)
        return terms == GALERNA_TERMS_SUSPENDABLE;
    return !policy->respect_terms || terms != GALERNA_TERMS_NON_PREEMPTABLE;
}

/* The score differs for different ages, like Haizea's (31 days - age) / 31 days. */
static int64_t by_age(const struct policy *policy, int64_t age)
{
    const int64_t middle = GALERNA_SCORE_MAX / 2;
    int64_t limited = age < -middle ? -middle : age > middle ? middle : age;

    return policy->order == OLDEST_FIRST ? middle + limited : middle - limited;
}

static enum galerna_verdict score(void *self, const struct galerna_victim_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    const struct policy *policy = self;
    bool suspendable_only = policy->host->lease_kind(batch->preemptor) != GALERNA_LEASE_RESERVATION;
    bool never = !may_preempt(self, batch->preemptor);

    (void)result;
    for (size_t i = 0; i < batch->n_victims; i++) {
        const struct galerna_lease *victim = galerna_victim(batch, i)->lease;
        int64_t age = batch->at - policy->host->lease_submit(victim);

        if (never || !is_preemptable(policy, victim, suspendable_only) ||
            (policy->max_age > 0 && age >= policy->max_age))
            scores[i] = GALERNA_VETO;
        else
            scores[i] = by_age(policy, age);
    }
    return GALERNA_OK;
}

static const struct galerna_preemption operations = {
    .size = sizeof operations,
    .may_preempt = may_preempt,
    .score = score,
};

GALERNA_POLICY(ar_preempts_everything) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "ar-preempts-everything",
    .version = "1.0",
    .summary = "Reservations preempt best-effort leases",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .preemption = &operations,
};
