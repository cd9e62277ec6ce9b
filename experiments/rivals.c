/* Preemption policies that are called in addition to the deciding one, for comparison. */
#include "experiments/rivals.h"

#include <stdlib.h>

#include "util/memory.h"

static bool admit(void *context, const struct lease *lease, int64_t now, struct reason *reason)
{
    const struct policy_hooks *decider = ((const struct rivals *)context)->decider;

    return decider->admit(decider->context, lease, now, reason);
}

static bool may_preempt(void *context, const struct lease *preemptor)
{
    const struct policy_hooks *decider = ((const struct rivals *)context)->decider;

    return decider->may_preempt(decider->context, preemptor);
}

static void score_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    const struct policy_hooks *decider = ((const struct rivals *)context)->decider;

    decider->score_hosts(decider->context, batch, scores);
}

static struct rival_count count_of(const struct victim *victims, const size_t *chosen, size_t n)
{
    struct rival_count count = {.leases = (int64_t)n};

    for (size_t i = 0; i < n; i++) {
        count.vms += victims[chosen[i]].lease->n_vms;
        count.overhead += victims[chosen[i]].overhead;
    }
    return count;
}

static void compare(struct rival_count *sum, const struct rival_count *theirs,
                    const struct rival_count *mine)
{
    sum->fewer_leases += theirs->leases < mine->leases;
    sum->more_leases += theirs->leases > mine->leases;
    sum->less_overhead += theirs->overhead < mine->overhead;
    sum->more_overhead += theirs->overhead > mine->overhead;
}

static void add(struct rival_count *sum, const struct rival_count *more)
{
    sum->leases += more->leases;
    sum->vms += more->vms;
    sum->overhead += more->overhead;
}

static size_t choose_victims(void *context, const struct victim_batch *batch,
                             const struct victim_test *test, size_t *chosen)
{
    struct rivals *rivals = context;
    const struct policy_hooks *decider = rivals->decider;
    struct rival_count mine, theirs;
    size_t *answer = memory_new(batch->n, sizeof *answer), n_chosen;
    bool in_common = true;

    n_chosen = decider->choose_victims(decider->context, batch, test, chosen);
    mine = count_of(batch->victims, chosen, n_chosen);
    for (size_t i = 0; n_chosen > 0 && i < rivals->n_others; i++) {
        const struct policy_hooks *other = rivals->others[i];

        theirs = count_of(batch->victims, answer,
                          other->choose_victims(other->context, batch, test, answer));
        in_common = in_common && theirs.leases == mine.leases && theirs.overhead == mine.overhead;
        add(&rivals->count->of[i + 1], &theirs);
        compare(&rivals->count->of[i + 1], &theirs, &mine);
    }
    free(answer);
    rivals->count->choices += n_chosen > 0;
    rivals->count->in_common += n_chosen > 0 && in_common;
    add(&rivals->count->of[0], &mine);
    return n_chosen;
}

void rivals_init(struct rivals *rivals, const struct policy_hooks *decider,
                 const struct policy_hooks *const *others, size_t n_others,
                 struct rivals_count *count)
{
    *rivals = (struct rivals){
        .hooks = *decider, .decider = decider, .n_others = n_others, .count = count};
    rivals->hooks.context = rivals;
    rivals->hooks.admit = decider->admit ? admit : NULL;
    rivals->hooks.may_preempt = decider->may_preempt ? may_preempt : NULL;
    rivals->hooks.score_hosts = decider->score_hosts ? score_hosts : NULL;
    rivals->hooks.choose_victims = choose_victims;
    rivals->hooks.score_victims = NULL;
    rivals->hooks.estimate = NULL;
    for (size_t i = 0; i < n_others; i++)
        rivals->others[i] = others[i];
}
