/* Checks that a trace could have the requests of a record: finds requests that the readers of
 * traces and the options of [tracefile] never give. */
#include "adapters/simulation/recorded_check.h"

#include <errno.h>
#include <stdlib.h>

#include "adapters/simulation/stage_trace.h"
#include "lwf/trace_combine.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/search.h"

static int is_none(struct error *err, const struct lease_request *request, const char *what)
{
    return error_set(err, EINVAL, "no trace has the request of lease %lld: %s",
                     (long long)request->id, what);
}

/* Haizea's traces lack Galerna's terms. */
static bool has_only_haizeas_terms(const struct lease_request *request)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (!lease_terms[i].of_haizea && i != TERM_ID_terms &&
            !term_is_usual(&lease_terms[i], &request->term_values))
            return false;
    return request->terms == lease_terms_usual(request->preemptible) && request->user < 0;
}

static int check_request(const struct configuration *configuration,
                         const struct lease_request *request, struct error *err)
{
    bool haizea = configuration->compatibility == COMPATIBILITY_HAIZEA_1_0;

    if (request->kind == LEASE_IMMEDIATE && request->start != INSTANT_NONE)
        return is_none(err, request, "it is to start at once, and at a time");
    if (haizea && request->kind == LEASE_BEST_EFFORT && request->start != INSTANT_NONE)
        return is_none(err, request, "it has an earliest start, which Haizea does not read");
    if (haizea && (request->deadline != INSTANT_NONE || !has_only_haizeas_terms(request)))
        return is_none(err, request, "it has terms that Haizea does not read");
    if (request->kind == LEASE_RESERVATION && request->deadline != INSTANT_NONE)
        return is_none(err, request, "it has a deadline, but is not a deadline lease");
    if (!haizea && request->duration < 1)
        return is_none(err, request, "it has no duration");
    if (!haizea && request->duration_known != SPAN_NONE &&
        request->duration_known > request->duration)
        return is_none(err, request, "it runs longer than it may");
    if (request->image && !*request->image)
        return is_none(err, request, "its disk image has no name");
    return 0;
}

static int check_memory(const struct configuration *configuration,
                        const struct lease_request *request, struct error *err)
{
    int64_t memory = configuration->override_memory;

    for (size_t i = 0; memory >= 0 && i < request->n_node_sets; i++)
        if (request->node_sets[i].amounts.of[RESOURCE_MEMORY] != memory)
            return is_none(err, request, "its memory is not that of tracefile.override-memory");
    return 0;
}

/* Checks durations, which follow from the original ones or, in Haizea, from the actual ones. */
static int check_durations(const struct configuration *configuration, const struct trace_list *list,
                           struct error *err)
{
    struct trace_overheads overheads = stage_trace_overheads(configuration);
    struct lease_request *before = memory_new(list->n, sizeof *before), after;
    struct trace *trace;
    int result = 0;

    for (size_t i = 0; i < list->n; i++) {
        before[i] = list->items[i].request;
        before[i].duration = before[i].duration_original;
        if (overheads.of_actual_durations && before[i].duration_known != SPAN_NONE)
            before[i].duration_known -= overheads.boot_seconds;
        else
            before[i].duration_known = SPAN_NONE;
    }
    trace = trace_with_overheads(trace_from_requests(before, list->n, NULL), &overheads, err);
    for (size_t i = 0; trace && result == 0 && i < list->n; i++) {
        const struct lease_request *request = &list->items[i].request;

        if (trace_next(trace, &after, err) < 1)
            result = -1;
        else if (after.duration != request->duration)
            result = is_none(err, request, "its duration is not the original one with overheads");
    }
    trace_destroy(trace);
    free(before);
    return trace ? result : -1;
}

/* Checks ids: traces number their leases 1, 2, ... */
static int check_ids(const struct trace_list *list, bool all_read, struct error *err)
{
    int64_t *ids = memory_new(list->n, sizeof *ids);
    int result = 0;

    for (size_t i = 0; i < list->n; i++)
        ids[i] = list->items[i].request.id;
    qsort(ids, list->n, sizeof *ids, search_by_number);
    for (size_t i = 0; i < list->n && result == 0; i++)
        if (i > 0 && ids[i] == ids[i - 1])
            result = error_set(err, EINVAL, "lease %lld is requested twice", (long long)ids[i]);
        else if (all_read && ids[i] != (int64_t)i + 1)
            result = error_set(err, EINVAL, "lease %zu is not requested, but lease %lld is", i + 1,
                               (long long)ids[i]);
    free(ids);
    return result;
}

int recorded_check(const struct configuration *configuration, const struct trace_list *list,
                   bool all_read, struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct lease_request *request = &list->items[i].request;

        if (check_request(configuration, request, err) < 0 ||
            check_memory(configuration, request, err) < 0)
            return -1;
    }
    if (check_ids(list, all_read, err) < 0)
        return -1;
    return check_durations(configuration, list, err);
}
