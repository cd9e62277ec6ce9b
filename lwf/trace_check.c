/* Finds all errors and suspicious requests in a trace. */
#include "lwf/trace_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/old_reader.h"
#include "lwf/trace_methods.h"
#include "util/memory.h"

/* Kinds of hosts by capacity. Sites with more kinds, which are rare, are not compared with leases.
 */
enum { HOST_KINDS_MAX = 64 };

struct host_kind {
    struct amounts capacity;
    int64_t count;
};

struct trace_checker {
    struct trace_check *check;
    size_t limit, allocated;
    const struct site *site;
    struct host_kind kinds[HOST_KINDS_MAX];
    size_t n_kinds;
    bool site_known;
};

/* False: the limit is reached. */
static bool add_finding(struct trace_checker *checker, enum lwf_severity severity,
                        struct lwf_place place, const char *text)
{
    struct trace_check *check = checker->check;

    if (severity == LWF_ERROR)
        check->n_errors++;
    else
        check->n_warnings++;
    if (check->n_findings < checker->limit) {
        MEMORY_GROW(check->findings, checker->allocated, check->n_findings + 1);
        check->findings[check->n_findings++] =
            (struct trace_finding){severity, place, memory_text(text)};
    }
    if (check->n_findings == checker->limit)
        check->stopped = true;
    return !check->stopped;
}

__attribute__((format(printf, 3, 4))) static void
warn(struct trace_checker *checker, struct lwf_place place, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_finding(checker, LWF_WARNING, place, text);
}

static bool on_finding(void *context, const struct lwf_finding *finding)
{
    return add_finding(context, finding->severity, finding->place, finding->text);
}

static void learn_site(struct trace_checker *checker, const struct site *site)
{
    checker->site_known = site != NULL;
    for (size_t i = 0; site && i < site->n_hosts; i++) {
        size_t kind = 0;

        while (kind < checker->n_kinds &&
               memcmp(&checker->kinds[kind].capacity, &site->hosts[i].capacity,
                      sizeof(struct amounts)) != 0)
            kind++;
        if (kind == HOST_KINDS_MAX) {
            checker->site_known = false;
            return;
        }
        if (kind == checker->n_kinds)
            checker->kinds[checker->n_kinds++].capacity = site->hosts[i].capacity;
        checker->kinds[kind].count++;
    }
}

/* The number of VMs of a set that fit on the empty site. */
static int64_t room_for(const struct trace_checker *checker, const struct node_set *set)
{
    int64_t room = 0;

    for (size_t i = 0; i < checker->n_kinds; i++) {
        int64_t on_one = INT32_MAX;

        for (int type = 0; type < RESOURCE_TYPES_MAX; type++) {
            int64_t need = set->amounts.of[type];
            int64_t has = checker->kinds[i].capacity.of[type];

            if (need > 0 && has / need < on_one)
                on_one = has / need;
        }
        room += on_one * checker->kinds[i].count;
    }
    return room;
}

static void check_room(struct trace_checker *checker, const struct lease_request *request,
                       struct lwf_place place)
{
    for (size_t i = 0; i < request->n_node_sets; i++) {
        const struct node_set *set = &request->node_sets[i];
        int64_t room = room_for(checker, set);

        if (room < set->count) {
            warn(checker, place,
                 "lease %" PRId64 " is larger than the site: it requests %" PRIu32
                 "%s, and the empty site holds %" PRId64,
                 request->id, set->count, set->count == 1 ? " VM" : " equal VMs", room);
            return;
        }
    }
}

static void check_times(struct trace_checker *checker, const struct lease_request *request,
                        struct lwf_place place)
{
    const struct trace_census *census = &checker->check->census;
    bool has_start = request->kind == LEASE_RESERVATION || request->kind == LEASE_DEADLINE;
    int64_t from = request->start > request->submit ? request->start : request->submit;

    if (census->total > 0 && request->submit < census->last_submit)
        warn(checker, place,
             "lease %" PRId64 " arrives at %" PRId64 " s, before the one above it (%" PRId64
             " s): a trace must be sorted by arrival",
             request->id, request->submit, census->last_submit);
    if (has_start && request->start < request->submit)
        warn(checker, place,
             "lease %" PRId64 " starts at %" PRId64 " s, before its request (%" PRId64 " s)",
             request->id, request->start, request->submit);
    if (request->deadline != INSTANT_NONE &&
        instant_add(from, request->duration) > request->deadline)
        warn(checker, place,
             "the deadline of lease %" PRId64 " cannot be met: %" PRId64
             " s is before the end of its duration after its earliest start",
             request->id, request->deadline);
}

static void check_request(struct trace_checker *checker, const struct lease_request *request,
                          struct lwf_place place)
{
    check_times(checker, request, place);
    trace_census_add(&checker->check->census, request);
    if (checker->site_known)
        check_room(checker, request, place);
}

/* "name:12:3: text" -> place and text. */
static const char *split_location(const char *name, const char *text, struct lwf_place *place)
{
    size_t length = strlen(name);
    int used = 0;

    place->line = place->column = 0;
    if (strncmp(text, name, length) != 0)
        return text;
    if (sscanf(text + length, ":%ld:%ld: %n", &place->line, &place->column, &used) == 2 && used > 0)
        return text + length + used;
    return text;
}

static struct lwf_place place_of(const struct trace *trace, enum trace_format format)
{
    switch (format) {
    case TRACE_FORMAT_LWF:
        return lwf_request_place(trace);
    case TRACE_FORMAT_SWF:
        return (struct lwf_place){swf_line(trace), 1};
    default:
        return (struct lwf_place){old_line(trace), 1};
    }
}

/* Reads to the end. Readers of line formats continue after a malformed line; the LWF reader has
 * already reported its errors. */
static int check_trace(struct trace_checker *checker, struct trace *trace, const char *name,
                       struct error *err)
{
    bool is_lwf = checker->check->format == TRACE_FORMAT_LWF;
    struct lease_request request;
    struct lwf_place place = {0, 0};

    learn_site(checker, trace_site(trace));
    while (!checker->check->stopped) {
        struct error own;
        int more = trace_next(trace, &request, &own);

        if (more == 0)
            break;
        if (more > 0) {
            check_request(checker, &request, place_of(trace, checker->check->format));
        } else if (own.code == EINVAL && !is_lwf) {
            const char *text = split_location(name, own.text, &place);

            add_finding(checker, LWF_ERROR, place, text);
        } else {
            return error_set(err, own.code, "%s", own.text);
        }
    }
    swf_counts(trace, &checker->check->jobs);
    if (checker->check->census.total == 0 && checker->check->n_errors == 0)
        warn(checker, (struct lwf_place){0, 0}, "the trace has no leases");
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct trace_finding *a = left, *b = right;

    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return (int)a->severity - (int)b->severity;
}

int trace_check_source(struct trace_check *check, struct source *source,
                       const struct trace_options *options, size_t limit, struct error *err)
{
    struct trace_checker checker = {.check = check, .limit = limit};
    struct trace_options reading;
    struct trace *trace;
    char *name = memory_text(source_name(source));
    int format, result;

    memset(check, 0, sizeof *check);
    check->census.sorted = true;
    trace_options_init(&reading);
    if (options)
        reading = *options;
    reading.lwf.report = on_finding;
    reading.lwf.report_context = &checker;
    format = trace_format_of(source, err);
    if (format < 0) {
        source_close(source);
        free(name);
        return -1;
    }
    check->format = (enum trace_format)format;
    trace = trace_open_source(source, &reading, err);
    result = trace ? check_trace(&checker, trace, name, err) : -1;
    trace_destroy(trace);
    free(name);
    if (result < 0) {
        trace_check_finish(check);
        return -1;
    }
    if (check->n_findings > 0)
        qsort(check->findings, check->n_findings, sizeof *check->findings, compare);
    return 0;
}

int trace_check_file(struct trace_check *check, const char *path,
                     const struct trace_options *options, size_t limit, struct error *err)
{
    struct source *source = source_open(path, err);

    return source ? trace_check_source(check, source, options, limit, err) : -1;
}

void trace_check_finish(struct trace_check *check)
{
    for (size_t i = 0; i < check->n_findings; i++)
        free(check->findings[i].text);
    free(check->findings);
    check->findings = NULL;
    check->n_findings = 0;
}
