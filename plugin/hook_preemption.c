/* The engine's preemption hooks, over a chain of modules. */
#include <stddef.h>
#include <string.h>

#include "plugin/host_private.h"
#include "util/memory.h"

_Static_assert(offsetof(struct galerna_victim, lease) == offsetof(struct victim, lease) &&
                   offsetof(struct galerna_victim, overhead) == offsetof(struct victim, overhead) &&
                   offsetof(struct galerna_victim, started) == offsetof(struct victim, started) &&
                   offsetof(struct galerna_victim, runs_since) ==
                       offsetof(struct victim, runs_since),
               "victims are passed through");

/* The state with which a batch's `enough` calls the engine. */
struct victims_question {
    struct policy_host *host;
    const struct victim_test *test;
    const size_t *places; /* the engine's place of each victim in the batch; NULL: the same */
    size_t n;
};

static const struct galerna_lease *sdk_lease(const struct lease *lease)
{
    return (const struct galerna_lease *)(const void *)lease;
}

static struct galerna_victim_batch view_of(const struct victim_batch *batch)
{
    return (struct galerna_victim_batch){
        .size = sizeof(struct galerna_victim_batch),
        .victim_size = sizeof *batch->victims,
        .preemptor = sdk_lease(batch->preemptor),
        .at = batch->at,
        .n_victims = batch->n,
        .victims = (const struct galerna_victim *)(const void *)batch->victims,
    };
}

bool host_may_preempt(void *context, const struct lease *preemptor)
{
    struct policy_host *host = context;
    const struct chain *chain = host_chain(host, GALERNA_KIND_PREEMPTION);

    for (size_t i = 0; i < chain->n; i++) {
        const struct instance *instance = chain->instances[i];
        bool may;

        if (!instance->preemption->may_preempt)
            continue;
        instance_watch(instance, POLICY_CALL_MAY_PREEMPT);
        may = instance->preemption->may_preempt(instance->active_self, sdk_lease(preemptor));
        instance_watched(instance);
        if (!may)
            return false;
    }
    return true;
}

/* Calls one module; false: it has no opinion. */
static bool ask_score(struct instance *instance, struct galerna_victim_batch *batch,
                      int64_t *scores)
{
    const struct galerna_victim_batch kept = *batch;
    int64_t began = instance_call_begins(instance, POLICY_CALL_SCORE_LEASES, 1);
    enum galerna_verdict verdict = instance->preemption->score(instance->active_self, batch, scores,
                                                               instance_result(instance));

    instance_call_ended(instance, began, "score");
    instance_check_input(instance, "score", batch, &kept, sizeof kept);
    if (verdict == GALERNA_OK) {
        policy_check_scores(instance, scores, batch->n_victims);
        return true;
    }
    if (verdict == GALERNA_SKIP)
        return false;
    /* A failing module does not cause preemptions. */
    instance_fault_verdict(instance, "score", verdict);
    for (size_t i = 0; i < batch->n_victims; i++)
        scores[i] = GALERNA_VETO;
    return true;
}

void host_score_victims(void *context, const struct victim_batch *batch, int64_t *scores)
{
    struct policy_host *host = context;
    const struct chain *chain = host_chain(host, GALERNA_KIND_PREEMPTION);
    struct galerna_victim_batch view = view_of(batch);
    size_t n = batch->n;
    int64_t weights = 0;

    MEMORY_GROW(host->scores, host->scores_allocated, n);
    memset(scores, 0, n * sizeof *scores);
    for (size_t i = 0; i < chain->n; i++)
        if (chain->instances[i]->preemption->score &&
            ask_score(chain->instances[i], &view, host->scores)) {
            policy_add_scores(scores, host->scores, n, chain->instances[i]->weight);
            weights += chain->instances[i]->weight;
        }
    for (size_t i = 0; i < n; i++)
        if (weights == 0)
            scores[i] = POLICY_VETO;
        else if (scores[i] > 0)
            scores[i] /= weights;
}

/* Are these distinct places of the batch? */
static bool are_places(struct policy_host *host, const size_t *chosen, size_t n_chosen, size_t n)
{
    if (n_chosen > n)
        return false;
    MEMORY_GROW(host->seen, host->seen_allocated, n);
    memset(host->seen, 0, n);
    for (size_t i = 0; i < n_chosen; i++)
        if (chosen[i] >= n || host->seen[chosen[i]]++)
            return false;
    return true;
}

static bool ask_engine(const struct galerna_victim_batch *batch, const size_t *chosen,
                       size_t n_chosen)
{
    const struct victims_question *question = batch->context;
    struct policy_host *host = question->host;

    if (!are_places(host, chosen, n_chosen, question->n))
        return false;
    MEMORY_GROW(host->translated, host->translated_allocated, n_chosen);
    for (size_t i = 0; i < n_chosen; i++)
        host->translated[i] = question->places[chosen[i]];
    return question->test->enough(question->test, host->translated, n_chosen);
}

/* Collects the victims that no scoring module of the chain vetoes, and their places. */
static size_t offer(struct policy_host *host, struct galerna_victim_batch *all)
{
    const struct chain *chain = host_chain(host, GALERNA_KIND_PREEMPTION);
    size_t n = all->n_victims, kept = 0;

    MEMORY_GROW(host->scores, host->scores_allocated, n);
    MEMORY_GROW(host->offered, host->offered_allocated, n);
    MEMORY_GROW(host->places, host->places_allocated, n);
    for (size_t i = 0; i < n; i++)
        host->places[i] = i;
    kept = n;
    for (size_t i = 0; i < chain->n; i++) {
        struct instance *instance = chain->instances[i];
        size_t still = 0;

        if (instance->preemption->choose || !instance->preemption->score ||
            !ask_score(instance, all, host->scores))
            continue;
        for (size_t j = 0; j < kept; j++)
            if (host->scores[host->places[j]] >= 0)
                host->places[still++] = host->places[j];
        kept = still;
    }
    for (size_t i = 0; i < kept; i++)
        memcpy(&host->offered[i], galerna_victim(all, host->places[i]), sizeof *host->offered);
    return kept;
}

static struct instance *chooser_of(const struct chain *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->instances[i]->preemption->choose)
            return chain->instances[i];
    return NULL;
}

/* Translates the choice; false: it is invalid, which counts as a fault. */
static bool take_choice(struct policy_host *host, struct instance *instance,
                        const struct galerna_victim_batch *view, size_t *chosen, size_t n_chosen)
{
    if (!are_places(host, chosen, n_chosen, view->n_victims))
        instance_fault(
            instance,
            "choose named leases (%zu) that are not distinct ones of the candidates (%zu); "
            "nothing is preempted",
            n_chosen, (size_t)view->n_victims);
    else if (!ask_engine(view, chosen, n_chosen))
        instance_fault(
            instance,
            "choose named leases (%zu) that do not make enough room; nothing is preempted",
            n_chosen);
    else {
        memcpy(chosen, host->translated, n_chosen * sizeof *chosen);
        return true;
    }
    return false;
}

/* The module gets copies of the victims, which are compared with the engine's. */
static enum galerna_verdict ask_choose(struct instance *instance, struct galerna_victim_batch *view,
                                       const struct galerna_victim_batch *all, size_t *chosen,
                                       size_t *n_chosen)
{
    const struct victims_question *question = view->context;
    const struct galerna_victim_batch kept = *view;
    int64_t began = instance_call_begins(instance, POLICY_CALL_CHOOSE, 1);
    enum galerna_verdict verdict = instance->preemption->choose(
        instance->active_self, view, chosen, n_chosen, instance_result(instance));

    instance_call_ended(instance, began, "choose");
    instance_check_input(instance, "choose", view, &kept, sizeof kept);
    for (size_t i = 0; i < kept.n_victims; i++)
        instance_check_input(instance, "choose", &question->host->offered[i],
                             galerna_victim(all, question->places[i]), sizeof(struct victim));
    return verdict;
}

size_t host_choose_victims(void *context, const struct victim_batch *batch,
                           const struct victim_test *test, size_t *chosen)
{
    struct policy_host *host = context;
    struct instance *instance = chooser_of(host_chain(host, GALERNA_KIND_PREEMPTION));
    struct galerna_victim_batch all = view_of(batch), view = all;
    struct victims_question question = {.host = host, .test = test};
    enum galerna_verdict verdict;
    size_t n_chosen = 0;

    if (!instance) /* replaced by the built-in default */
        return 0;
    question.n = offer(host, &all);
    if (question.n == 0)
        return 0;
    question.places = host->places;
    view.victims = (const struct galerna_victim *)(const void *)host->offered;
    view.n_victims = question.n;
    view.enough = ask_engine;
    view.context = &question;
    verdict = ask_choose(instance, &view, &all, chosen, &n_chosen);
    if (verdict == GALERNA_SKIP || verdict == GALERNA_REFUSED_FOR_NOW ||
        verdict == GALERNA_REFUSED_FOR_GOOD || (verdict == GALERNA_OK && n_chosen == 0))
        return 0;
    if (verdict != GALERNA_OK) {
        instance_fault_verdict(instance, "choose", verdict);
        return 0;
    }
    return take_choice(host, instance, &view, chosen, n_chosen) ? n_chosen : 0;
}
