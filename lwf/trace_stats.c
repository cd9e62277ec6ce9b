/* Computes statistics of a trace. */
#include "lwf/trace_stats.h"

#include <stdlib.h>
#include <string.h>

#include "lwf/trace_methods.h"
#include "util/memory.h"

/* Values and the number of their occurrences. */
struct sample {
    struct weighted {
        int64_t value, weight;
    } * items;
    size_t n, allocated;
};

struct collection {
    struct sample vms, duration, real_duration, interarrival, cpu, memory;
    struct sample users;
    double requested_work, real_work;
};

static void sample_add(struct sample *sample, int64_t value, int64_t weight)
{
    struct weighted *last = sample->n > 0 ? &sample->items[sample->n - 1] : NULL;

    if (last && last->value == value) {
        last->weight += weight;
        return;
    }
    MEMORY_GROW(sample->items, sample->allocated, sample->n + 1);
    sample->items[sample->n++] = (struct weighted){value, weight};
}

static int compare(const void *left, const void *right)
{
    const struct weighted *a = left, *b = right;

    return (a->value > b->value) - (a->value < b->value);
}

static void sample_sort(struct sample *sample)
{
    if (sample->n > 0)
        qsort(sample->items, sample->n, sizeof *sample->items, compare);
}

/* The smallest value that a fraction `share` of all values does not exceed. */
static int64_t quantile(const struct sample *sample, int64_t n, double share)
{
    int64_t seen = 0;

    for (size_t i = 0; i < sample->n; i++) {
        seen += sample->items[i].weight;
        if ((double)seen >= share * (double)n)
            return sample->items[i].value;
    }
    return sample->n > 0 ? sample->items[sample->n - 1].value : 0;
}

static void describe(struct sample *sample, struct distribution *distribution)
{
    double sum = 0;

    memset(distribution, 0, sizeof *distribution);
    if (sample->n == 0)
        return;
    sample_sort(sample);
    for (size_t i = 0; i < sample->n; i++) {
        distribution->n += sample->items[i].weight;
        sum += (double)sample->items[i].value * (double)sample->items[i].weight;
    }
    distribution->minimum = sample->items[0].value;
    distribution->maximum = sample->items[sample->n - 1].value;
    distribution->median = quantile(sample, distribution->n, 0.5);
    distribution->p95 = quantile(sample, distribution->n, 0.95);
    distribution->mean = sum / (double)distribution->n;
}

static void count_terms(struct trace_stats *stats, const struct lease_request *request)
{
    stats->preemptible += request->terms != TERMS_NON_PREEMPTABLE;
    stats->with_image += request->image != NULL;
    stats->with_deadline += request->deadline != INSTANT_NONE;
    stats->with_earliest_start +=
        request->kind == LEASE_BEST_EFFORT && request->start != INSTANT_NONE;
    stats->unlimited += request->duration == SPAN_UNLIMITED;
}

static void count_work(struct collection *collection, const struct lease_request *request)
{
    int64_t real =
        request->duration_known != SPAN_NONE ? request->duration_known : request->duration;
    int64_t vms = 0;
    double cpu = 0;

    for (size_t i = 0; i < request->n_node_sets; i++) {
        const struct node_set *set = &request->node_sets[i];

        vms += set->count;
        cpu += (double)set->count * (double)set->amounts.of[RESOURCE_CPU];
        sample_add(&collection->cpu, set->amounts.of[RESOURCE_CPU], set->count);
        sample_add(&collection->memory, set->amounts.of[RESOURCE_MEMORY], set->count);
    }
    sample_add(&collection->vms, vms, 1);
    if (request->duration_known != SPAN_NONE)
        sample_add(&collection->real_duration, request->duration_known, 1);
    if (request->duration == SPAN_UNLIMITED)
        return;
    sample_add(&collection->duration, request->duration, 1);
    collection->requested_work += cpu * (double)request->duration;
    collection->real_work += cpu * (double)(real < request->duration ? real : request->duration);
}

static int collect(struct trace_stats *stats, struct collection *collection, struct trace *trace,
                   struct error *err)
{
    struct trace_census *census = &stats->census;
    struct lease_request request;
    int64_t before = 0;
    int more;

    census->sorted = true;
    while ((more = trace_next(trace, &request, err)) > 0) {
        if (census->total == 0)
            stats->first_submit = request.submit;
        else
            sample_add(&collection->interarrival, request.submit - before, 1);
        before = request.submit;
        if (request.submit < stats->first_submit)
            stats->first_submit = request.submit;
        trace_census_add(census, &request);
        if (request.user >= 0)
            sample_add(&collection->users, request.user, 1);
        count_terms(stats, &request);
        count_work(collection, &request);
    }
    stats->last_submit = census->last_submit;
    return more;
}

static void compute_load(struct trace_stats *stats, const struct collection *collection,
                         const struct site *site)
{
    double span = (double)(stats->last_submit - stats->first_submit);

    stats->requested_load = stats->real_load = -1;
    if (!site)
        return;
    stats->hosts = (int64_t)site->n_hosts;
    for (size_t i = 0; i < site->n_hosts; i++)
        stats->cpu_total += site->hosts[i].capacity.of[RESOURCE_CPU];
    if (span <= 0 || stats->cpu_total <= 0)
        return;
    stats->requested_load = collection->requested_work / (span * (double)stats->cpu_total);
    stats->real_load = collection->real_work / (span * (double)stats->cpu_total);
}

static void collection_finish(struct collection *collection)
{
    free(collection->vms.items);
    free(collection->duration.items);
    free(collection->real_duration.items);
    free(collection->interarrival.items);
    free(collection->cpu.items);
    free(collection->memory.items);
    free(collection->users.items);
}

int trace_stats_take(struct trace_stats *stats, struct trace *trace, const struct site *site,
                     struct error *err)
{
    struct collection collection = {0};
    int result;

    memset(stats, 0, sizeof *stats);
    result = collect(stats, &collection, trace, err);
    if (result == 0) {
        describe(&collection.vms, &stats->vms);
        describe(&collection.duration, &stats->duration);
        describe(&collection.real_duration, &stats->real_duration);
        describe(&collection.interarrival, &stats->interarrival);
        describe(&collection.cpu, &stats->cpu);
        describe(&collection.memory, &stats->memory);
        sample_sort(&collection.users);
        for (size_t i = 0; i < collection.users.n; i++)
            if (i == 0 || collection.users.items[i].value != collection.users.items[i - 1].value)
                stats->users++;
        compute_load(stats, &collection, site ? site : trace_site(trace));
    }
    collection_finish(&collection);
    return result;
}
