/* Reads the Standard Workload Format 2.2 as a stream: one lease per job. */
#include "lwf/swf_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lwf/lines.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"
#include "util/memory.h"

enum swf_field {
    FIELD_SUBMIT = 1,
    FIELD_RUN_TIME = 3,
    FIELD_ALLOCATED = 4,
    FIELD_USED_MEMORY = 6,
    FIELD_REQUESTED = 7,
    FIELD_REQUESTED_TIME = 8,
    FIELD_REQUESTED_MEMORY = 9,
    FIELD_STATUS = 10,
    FIELD_USER = 11,
    FIELDS = 18
};

enum { STATUS_FAILED = 0, STATUS_CANCELLED = 5 };

struct swf_header {
    int64_t max_nodes, max_processors, max_runtime; /* 0: not given */
};

struct swf_reader {
    struct trace trace;
    struct source *source;
    struct lines lines;
    struct swf_options asked, options; /* as given; completed from the header */
    struct swf_header header;
    struct swf_counts counts;
    struct site site;
    bool has_line; /* the first job line, read with the header */
    const char *line, *line_end;
    int64_t zero;
    struct node_set set;
};

void swf_options_init(struct swf_options *options)
{
    memset(options, 0, sizeof *options);
    options->processors_per_node = 1;
    options->cpu_per_node = 100;
    options->memory_per_node = 1024;
    options->preemptible = true;
}

static const struct swf_reader *reader_of(const struct trace *trace)
{
    return (const struct swf_reader *)trace;
}

static int complain(const struct swf_reader *reader, const char *where, const char *what,
                    struct error *err)
{
    return error_set(err, EINVAL, "%s:%ld:%td: %s", source_name(reader->source),
                     reader->lines.number, where - reader->line + 1, what);
}

/* A number with an exponent, rounded up, and at most just above what any field may have. */
static const char *scan_exponent(const char *text, int64_t *value)
{
    char *end;
    double number = strtod(text, &end);

    number = number > TRACE_AMOUNT_MAX ? TRACE_AMOUNT_MAX + 1 : number;
    number = number < -TRACE_AMOUNT_MAX ? -TRACE_AMOUNT_MAX - 1 : number;
    *value = (int64_t)number;
    *value += number > (double)*value;
    return end;
}

/* A number, rounded up to a whole one (of the relevant fields, only submission and run times of a
 * few logs have fractions). NULL: not a number. */
static const char *scan_number(const char *p, int64_t *value)
{
    const char *begin = p;
    bool negative = false, has_digits = false, has_rest = false;
    int64_t whole = 0;

    if (*p == '-' || *p == '+')
        negative = *p++ == '-';
    for (; *p >= '0' && *p <= '9'; p++) {
        whole = whole * 10 + (*p - '0');
        has_digits = true;
        if (whole > TRACE_AMOUNT_MAX)
            return NULL;
    }
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) {
            has_digits = true;
            has_rest |= *p != '0';
        }
    if (has_digits && (*p == 'e' || *p == 'E'))
        return scan_exponent(begin, value);
    *value = negative ? -whole : whole + has_rest;
    return has_digits ? p : NULL;
}

/* Scans stop at line_end, which is a newline. */
static int scan_fields(const struct swf_reader *reader, int64_t fields[FIELDS], struct error *err)
{
    const char *p = reader->line;
    char text[96];

    for (int i = 0; i < FIELDS; i++) {
        const char *next;

        while (value_is_blank(*p))
            p++;
        if (p == reader->line_end) {
            snprintf(text, sizeof text, "the line ends after %d fields: expected %d", i, FIELDS);
            return complain(reader, p, text, err);
        }
        next = scan_number(p, &fields[i]);
        if (!next || (!value_is_blank(*next) && next != reader->line_end)) {
            snprintf(text, sizeof text, "field %d is not a number of at most 12 digits", i + 1);
            return complain(reader, p, text, err);
        }
        p = next;
    }
    while (value_is_blank(*p))
        p++;
    if (p != reader->line_end)
        return complain(reader, p, "unexpected text after the 18th field", err);
    return 0;
}

/* "; MaxProcs: 128" */
static void read_comment(struct swf_reader *reader)
{
    static const struct {
        const char *name;
        size_t offset;
    } known[] = {
        {"MaxNodes:", offsetof(struct swf_header, max_nodes)},
        {"MaxProcs:", offsetof(struct swf_header, max_processors)},
        {"MaxRuntime:", offsetof(struct swf_header, max_runtime)},
    };
    const char *p = reader->line;

    while (p < reader->line_end && (*p == ';' || value_is_blank(*p)))
        p++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].name);
        int64_t value;

        if ((size_t)(reader->line_end - p) < length || strncasecmp(p, known[i].name, length) != 0)
            continue;
        for (p += length; value_is_blank(*p);)
            p++;
        if (scan_number(p, &value) && value > 0)
            *(int64_t *)((char *)&reader->header + known[i].offset) = value;
        return;
    }
}

/* Reads the next line with a job into reader->line: 1, 0, -1. */
static int next_line(struct swf_reader *reader, struct error *err)
{
    int more;

    while ((more = lines_next(&reader->lines, &reader->line, &reader->line_end, err)) > 0) {
        const char *p = reader->line;

        reader->counts.lines++;
        while (value_is_blank(*p))
            p++;
        if (*p == ';')
            read_comment(reader);
        else if (p != reader->line_end)
            return 1;
    }
    return more;
}

static bool is_too_large(const struct swf_header *header, const int64_t fields[FIELDS])
{
    return header->max_processors > 0 && (fields[FIELD_REQUESTED] > header->max_processors ||
                                          fields[FIELD_ALLOCATED] > header->max_processors);
}

static bool is_wanted(struct swf_reader *reader, const int64_t fields[FIELDS])
{
    struct swf_counts *counts = &reader->counts;
    int64_t status = fields[FIELD_STATUS];

    if (status >= 2 && status <= 4) {
        counts->partial++;
        return false;
    }
    if (reader->options.skip_without_run_time && fields[FIELD_RUN_TIME] <= 0) {
        counts->without_run_time++;
        return false;
    }
    if (reader->options.skip_too_large && is_too_large(&reader->header, fields)) {
        counts->too_large++;
        return false;
    }
    if (status == STATUS_FAILED && reader->options.skip_failed) {
        counts->failed++;
        return false;
    }
    if (status == STATUS_CANCELLED) {
        if (fields[FIELD_RUN_TIME] < 0 || fields[FIELD_ALLOCATED] == 0) {
            counts->never_started++;
            return false;
        }
        if (reader->options.skip_cancelled) {
            counts->cancelled++;
            return false;
        }
    }
    return true;
}

static int64_t requested_time(const struct swf_reader *reader, const int64_t fields[FIELDS])
{
    int64_t real = fields[FIELD_RUN_TIME] > 0 ? fields[FIELD_RUN_TIME] : fields[FIELD_RUN_TIME] + 1;

    if (fields[FIELD_REQUESTED_TIME] > 0)
        return fields[FIELD_REQUESTED_TIME];
    switch (reader->options.missing_time) {
    case SWF_MISSING_TIME_SKIP:
        return 0;
    case SWF_MISSING_TIME_LIMIT:
        return reader->header.max_runtime > real ? reader->header.max_runtime : real;
    default:
        return real;
    }
}

static int64_t memory_of(const struct swf_reader *reader, const int64_t fields[FIELDS])
{
    int64_t kilobytes = fields[FIELD_REQUESTED_MEMORY] > 0 ? fields[FIELD_REQUESTED_MEMORY]
                                                           : fields[FIELD_USED_MEMORY];

    if (!reader->options.memory_from_log || kilobytes <= 0)
        return reader->options.memory_per_node;
    return (kilobytes * reader->options.processors_per_node + 1023) / 1024;
}

static int check_range(const struct swf_reader *reader, const char *what, int64_t value,
                       int64_t most, struct error *err)
{
    char text[128];

    if (value >= 0 && value <= most)
        return 0;
    snprintf(text, sizeof text, "%s is not from 0 to %" PRId64, what, most);
    return complain(reader, reader->line, text, err);
}

/* Fills a request from a job: 1; 0: the job makes no lease; -1: error. */
static int make_request(struct swf_reader *reader, const int64_t fields[FIELDS],
                        struct lease_request *request, struct error *err)
{
    const struct swf_options *options = &reader->options;
    int64_t real = fields[FIELD_RUN_TIME];
    int64_t processors =
        fields[FIELD_REQUESTED] > 0 ? fields[FIELD_REQUESTED] : fields[FIELD_ALLOCATED];
    int64_t duration = requested_time(reader, fields);
    int64_t nodes =
        processors / options->processors_per_node + (processors % options->processors_per_node > 0);

    if (processors <= 0) {
        reader->counts.without_processors++;
        return 0;
    }
    if (duration <= 0) {
        reader->counts.without_time++;
        return 0;
    }
    if (check_range(reader, "the time of submission", fields[FIELD_SUBMIT], TRACE_TIME_MAX, err) <
            0 ||
        check_range(reader, "the number of nodes", nodes, TRACE_VMS_MAX, err) < 0 ||
        check_range(reader, "the requested time", duration, TRACE_TIME_MAX, err) < 0)
        return -1;
    if (reader->counts.leases == 0 && options->from_zero)
        reader->zero = fields[FIELD_SUBMIT];
    reader->set.count = (uint32_t)nodes;
    reader->set.amounts.of[RESOURCE_MEMORY] = memory_of(reader, fields);
    *request = (struct lease_request){
        .id = ++reader->counts.leases,
        .kind = LEASE_BEST_EFFORT,
        .submit = fields[FIELD_SUBMIT] > reader->zero ? fields[FIELD_SUBMIT] - reader->zero : 0,
        .start = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration_original = duration,
        .duration = duration,
        .duration_known = real < 0 || real >= duration || duration == 1 ? SPAN_NONE
                          : real < 1                                    ? 1
                                                                        : real,
        .preemptible = options->preemptible,
        .terms = lease_terms_usual(options->preemptible),
        .user = fields[FIELD_USER] >= 0 ? fields[FIELD_USER] : -1,
        .node_sets = &reader->set,
        .n_node_sets = 1,
    };
    return 1;
}

static int swf_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct swf_reader *reader = (struct swf_reader *)trace;
    int64_t fields[FIELDS] = {0};

    for (;;) {
        int result = 1;

        if (reader->options.limit > 0 && reader->counts.leases >= reader->options.limit)
            return 0;
        if (!reader->has_line)
            result = next_line(reader, err);
        if (result <= 0)
            return result;
        reader->has_line = false;
        if (scan_fields(reader, fields, err) < 0)
            return -1;
        reader->counts.jobs++;
        if (!is_wanted(reader, fields))
            continue;
        result = make_request(reader, fields, request, err);
        if (result != 0)
            return result;
    }
}

static struct trace *swf_again(struct source *source, const struct trace *trace, struct error *err)
{
    return swf_open_source(source, &reader_of(trace)->asked, err);
}

static void swf_destroy(struct trace *trace)
{
    struct swf_reader *reader = (struct swf_reader *)trace;

    lines_finish(&reader->lines);
    if (reader->trace.site)
        site_finish(&reader->site);
    source_close(reader->source);
    free(reader);
}

static const struct trace_methods methods = {
    .next = swf_next,
    .again = swf_again,
    .destroy = swf_destroy,
};

static bool in_range(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

static int check_options(const struct swf_reader *reader, struct error *err)
{
    const struct swf_options *options = &reader->options;

    if (!in_range(options->processors_per_node, 0, TRACE_VMS_MAX) ||
        !in_range(options->cpu_per_node, 0, TRACE_AMOUNT_MAX / 100) ||
        !in_range(options->memory_per_node, 0, TRACE_AMOUNT_MAX) ||
        !in_range(options->hosts, 0, TRACE_HOSTS_MAX) || options->limit < 0)
        return error_set(err, EINVAL,
                         "%s: processors, CPU or memory per node, hosts or limit are "
                         "negative or too large",
                         source_name(reader->source));
    return 0;
}

/* Completes the options from the header, and builds the site. */
static int use_header(struct swf_reader *reader, struct error *err)
{
    struct swf_options *options = &reader->options;
    const struct swf_header *header = &reader->header;
    struct amounts capacity = {{0}};

    if (options->processors_per_node == 0) {
        options->processors_per_node = 1;
        if (header->max_nodes > 0 && header->max_processors % header->max_nodes == 0 &&
            in_range(header->max_processors / header->max_nodes, 1, TRACE_VMS_MAX))
            options->processors_per_node = header->max_processors / header->max_nodes;
    }
    if (options->cpu_per_node == 0)
        options->cpu_per_node = 100 * options->processors_per_node;
    reader->set.amounts.of[RESOURCE_CPU] = options->cpu_per_node;
    if (options->hosts == 0)
        options->hosts = header->max_processors > 0
                             ? header->max_processors / options->processors_per_node
                             : header->max_nodes;
    if (options->hosts == 0)
        return 0;
    if (options->hosts > TRACE_HOSTS_MAX)
        return error_set(err, EINVAL,
                         "%s: the header has %" PRId64 " nodes, more than %" PRId64
                         "; specify the number of processors of a node",
                         source_name(reader->source), options->hosts, TRACE_HOSTS_MAX);
    site_init(&reader->site);
    reader->trace.site = &reader->site;
    capacity.of[RESOURCE_CPU] = options->cpu_per_node;
    capacity.of[RESOURCE_MEMORY] = options->memory_per_node;
    for (int type = RESOURCE_DISK; type <= RESOURCE_NET_OUT; type++)
        capacity.of[type] = AMOUNT_UNNAMED;
    return site_add_hosts(&reader->site, (size_t)options->hosts, &capacity, err);
}

struct trace *swf_open_source(struct source *source, const struct swf_options *options,
                              struct error *err)
{
    struct swf_reader *reader = memory_new(1, sizeof *reader);
    int more;

    reader->trace.methods = &methods;
    reader->trace.source = reader->source = source;
    if (options)
        reader->asked = *options;
    else
        swf_options_init(&reader->asked);
    reader->options = reader->asked;
    lines_init(&reader->lines, source);
    if (check_options(reader, err) < 0)
        goto error;
    more = next_line(reader, err);
    if (more < 0)
        goto error;
    reader->has_line = more > 0;
    if (use_header(reader, err) < 0)
        goto error;
    return &reader->trace;

error:
    trace_destroy(&reader->trace);
    return NULL;
}

bool swf_counts(const struct trace *trace, struct swf_counts *counts)
{
    bool is_log = trace->methods == &methods;

    *counts = is_log ? reader_of(trace)->counts : (struct swf_counts){0};
    return is_log;
}

long swf_line(const struct trace *trace)
{
    return reader_of(trace)->lines.number;
}
