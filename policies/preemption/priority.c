/* Leases of higher priority preempt leases of lower priority (Patel, Jethva: Priority based
 * scheduling for lease management in cloud computing).
 *
 * The paper uses preemption only for immediate and best-effort requests; reservations are accepted
 * if there is room. Where the paper leaves details open, this module decides: the scheduler uses
 * free room first; only strictly lower priorities are preempted, lowest first, youngest first among
 * equals, and no more than needed. The priority of waiting leases may grow with time (`ageing`), so
 * that no lease waits forever.
 */
#include "galerna_policy.h"

#include <stdlib.h>

enum option { RESERVATIONS, DEADLINES, RESPECT_TERMS, AGEING };
enum reservations { NEVER, BY_PRIORITY, ALWAYS };

static const struct galerna_option options[] = {
    [RESERVATIONS] = {.name = "reservations",
                      .type = GALERNA_CHOICE,
                      .choices = "never|by-priority|always",
                      .default_value = "never",
                      .default_haizea_1_0 = "always",
                      .description = "Whether advance reservations preempt best-effort leases: as "
                                     "the paper has it, when their priority is higher, or always, "
                                     "as in Haizea"},
    [DEADLINES] = {.name = "deadlines",
                   .type = GALERNA_BOOLEAN,
                   .default_value = "yes",
                   .default_haizea_1_0 = "no",
                   .description = "Deadline leases also preempt leases of lower priority"},
    [RESPECT_TERMS] = {.name = "respect-terms",
                       .type = GALERNA_BOOLEAN,
                       .default_value = "yes",
                       .default_haizea_1_0 = "no",
                       .description = "Spare non-preemptable leases"},
    [AGEING] =
        {.name = "ageing",
         .type = GALERNA_DURATION,
         .default_value = "0",
         .maximum = 1e11,
         .description =
             "Time since its request after which the priority of a lease rises by one; 0: never"},
};

struct policy {
    const struct galerna_host *host;
    enum reservations reservations;
    bool deadlines;
    bool respect_terms;
    int64_t ageing;
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
        .reservations = (enum reservations)values[RESERVATIONS].choice,
        .deadlines = values[DEADLINES].boolean,
        .respect_terms = values[RESPECT_TERMS].boolean,
        .ageing = values[AGEING].integer,
    };
    *self = policy;
    return GALERNA_OK;
}

static bool may_preempt(void *self, const struct galerna_lease *preemptor)
{
    const struct policy *policy = self;

    switch (policy->host->lease_kind(preemptor)) {
    case GALERNA_LEASE_RESERVATION:
        return policy->reservations != NEVER;
    case GALERNA_LEASE_DEADLINE:
        return policy->deadlines;
    default:
        return true;
    }
}

/* A lease's priority at a time, including ageing, in thousandths. */
static int64_t priority_at(const struct policy *policy, const struct galerna_lease *lease,
                           int64_t at)
{
    int64_t age = at - policy->host->lease_submit(lease);

    return policy->host->lease_priority_thousandths(lease) +
           (policy->ageing > 0 && age > 0 ? age / policy->ageing * 1000 : 0);
}

struct rank {
    size_t place;
    int64_t priority, submit;
};

/* Reverse order of preemption: highest priority first, then oldest. */
static int by_rank(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;

    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return (a->submit > b->submit) - (a->submit < b->submit);
}

static bool gives_way(const struct policy *policy, const struct galerna_victim_batch *batch,
                      const struct galerna_lease *victim)
{
    const struct galerna_host *host = policy->host;
    bool is_best_effort = host->lease_kind(victim) == GALERNA_LEASE_BEST_EFFORT;

    if (policy->respect_terms && host->lease_terms(victim) == GALERNA_TERMS_NON_PREEMPTABLE)
        return false;
    /* Leases with a promised time are spared. */
    if (!is_best_effort && host->lease_kind(victim) != GALERNA_LEASE_IMMEDIATE)
        return false;
    if (host->lease_kind(batch->preemptor) == GALERNA_LEASE_RESERVATION &&
        policy->reservations == ALWAYS)
        return is_best_effort;
    return priority_at(policy, victim, batch->at) <
           priority_at(policy, batch->preemptor, batch->at);
}

static enum galerna_verdict score(void *self, const struct galerna_victim_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    const struct policy *policy = self;
    bool may = may_preempt(self, batch->preemptor);
    struct rank *ranks = malloc((batch->n_victims + 1) * sizeof *ranks);
    size_t n = 0;

    if (!ranks)
        return policy->host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    for (size_t i = 0; i < batch->n_victims; i++) {
        const struct galerna_lease *victim = galerna_victim(batch, i)->lease;

        scores[i] = GALERNA_VETO;
        if (may && gives_way(policy, batch, victim))
            ranks[n++] = (struct rank){i, priority_at(policy, victim, batch->at),
                                       policy->host->lease_submit(victim)};
    }
    qsort(ranks, n, sizeof *ranks, by_rank);
    for (size_t i = 0; i < n; i++)
        scores[ranks[i].place] = i > 0 && by_rank(&ranks[i - 1], &ranks[i]) == 0
                                     ? scores[ranks[i - 1].place]
                                     : (int64_t)i;
    free(ranks);
    return GALERNA_OK;
}

static const struct galerna_preemption operations = {
    .size = sizeof operations,
    .may_preempt = may_preempt,
    .score = score,
};

GALERNA_POLICY(priority) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_PREEMPTION),
    .name = "priority",
    .version = "1.0",
    .summary = "Immediate and best-effort leases preempt leases of lower priority",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .preemption = &operations,
};
