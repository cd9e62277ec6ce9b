/* The host selection hooks, the hot path. Columns are passed without copies; a single module writes
 * its scores directly into the engine's array. */

#include "plugin/host_private.h"
#include "util/memory.h"

_Static_assert((int)GALERNA_COLUMN_LEASES == (int)HOST_COLUMN_LEASES &&
                   (int)GALERNA_COLUMN_CHANGE == (int)HOST_COLUMN_CHANGE &&
                   (int)GALERNA_COLUMN_FREE == (int)HOST_COLUMN_FREE &&
                   (int)GALERNA_COLUMNS_SUFFICE == (int)HOST_COLUMNS_SUFFICE,
               "columns are passed through");

/* One call in this many is timed. */
enum { MEASURE_EVERY = 1024 };

static void fill(int64_t *scores, size_t n, int64_t score)
{
    for (size_t i = 0; i < n; i++)
        scores[i] = score;
}

/* Calls one module; false: it has no opinion. */
static bool ask(struct instance *instance, struct galerna_host_batch *batch, int64_t *scores)
{
    const struct galerna_host_batch kept = *batch;
    int64_t began = instance_call_begins(instance, POLICY_CALL_SCORE_HOSTS, MEASURE_EVERY);
    enum galerna_verdict verdict = instance->host_selection->score(
        instance->active_self, batch, scores, instance_result(instance));

    instance_call_ended(instance, began, "score");
    instance_check_input(instance, "score", batch, &kept, sizeof kept);
    if (verdict == GALERNA_OK) {
        policy_check_scores(instance, scores, batch->n_hosts);
        return true;
    }
    if (verdict != GALERNA_SKIP)
        instance_fault_verdict(instance, "score", verdict);
    return false;
}

static void score_chain(struct policy_host *host, const struct chain *chain,
                        struct galerna_host_batch *batch, int64_t *scores)
{
    int64_t weights = 0;

    MEMORY_GROW(host->scores, host->scores_allocated, batch->n_hosts);
    fill(scores, batch->n_hosts, 0);
    for (size_t i = 0; i < chain->n; i++)
        if (ask(chain->instances[i], batch, host->scores)) {
            policy_add_scores(scores, host->scores, batch->n_hosts, chain->instances[i]->weight);
            weights += chain->instances[i]->weight;
        }
    for (size_t i = 0; i < batch->n_hosts && weights > 1; i++)
        if (scores[i] > 0)
            scores[i] /= weights;
}

void host_score_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    struct policy_host *host = context;
    const struct chain *chain = host_chain(host, GALERNA_KIND_HOST_SELECTION);
    struct galerna_host_batch view = {
        .size = sizeof view,
        .n_types = (uint32_t)batch->site->types.count,
        .lease = (const struct galerna_lease *)(const void *)batch->lease,
        .at = batch->at,
        .duration = batch->duration,
        .n_hosts = batch->n_hosts,
        .hosts = batch->hosts,
        .leases_present = batch->leases_present,
        .unchanged_until = batch->unchanged_until,
        .free = batch->free,
        .capacity = batch->site->hosts[0].capacity.of,
        .capacity_stride = sizeof batch->site->hosts[0],
    };

    host->state.site = batch->site;
    if (chain->n > 1)
        score_chain(host, chain, &view, scores);
    else if (!ask(chain->instances[0], &view, scores))
        fill(scores, batch->n_hosts, POLICY_SCORE_MAX);
}

/* -1: no opinion. */
static int64_t ask_estimate(struct instance *instance, struct galerna_estimate *view)
{
    const struct galerna_estimate kept = *view;
    int64_t milliseconds = -1, began;
    enum galerna_verdict verdict;

    if (instance->replaced || !instance->module->host_selection.estimate)
        return -1;
    began = instance_call_begins(instance, POLICY_CALL_ESTIMATE, 1);
    verdict = instance->module->host_selection.estimate(instance->active_self, view, &milliseconds,
                                                        instance_result(instance));
    instance_call_ended(instance, began, "estimate");
    instance_check_input(instance, "estimate", view, &kept, sizeof kept);
    if (verdict == GALERNA_OK && milliseconds >= 0)
        return milliseconds;
    if (verdict == GALERNA_OK)
        instance_fault(instance, "estimate gave %lld milliseconds", (long long)milliseconds);
    else if (verdict != GALERNA_SKIP)
        instance_fault_verdict(instance, "estimate", verdict);
    return -1;
}

int64_t host_estimate(void *context, const struct lease_estimate *question)
{
    struct policy_host *host = context;
    const struct chain *chain = host_chain(host, GALERNA_KIND_HOST_SELECTION);
    struct galerna_estimate view = {
        .size = sizeof view,
        .n_vms = question->lease->n_vms,
        .lease = (const struct galerna_lease *)(const void *)question->lease,
        .at = question->at,
        .hosts = question->hosts,
        .from = question->from,
        .overhead = question->overhead,
    };
    int64_t milliseconds = -1;

    host->state.site = question->site;
    for (size_t i = 0; i < chain->n && milliseconds < 0; i++)
        milliseconds = ask_estimate(chain->instances[i], &view);
    return milliseconds;
}
