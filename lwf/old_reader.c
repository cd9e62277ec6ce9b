/* Reads Haizea's trace format before XML: a lease per line, ten columns. */
#include "lwf/old_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/lines.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"
#include "util/memory.h"

enum old_column {
    COLUMN_SUBMIT,
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_REAL_DURATION,
    COLUMN_NODES,
    COLUMN_CPUS,
    COLUMN_MEMORY,
    COLUMN_DISK,
    COLUMN_IMAGE,
    COLUMN_IMAGE_SIZE,
    COLUMNS
};

enum { IMAGE_NAME_MAX = 1024 };

static const struct {
    const char *name;
    int64_t min, max;
} columns[COLUMNS] = {
    [COLUMN_SUBMIT] = {"submit", 0, TRACE_TIME_MAX},
    [COLUMN_START] = {"start", -1, TRACE_TIME_MAX},
    [COLUMN_DURATION] = {"duration", 1, TRACE_TIME_MAX},
    [COLUMN_REAL_DURATION] = {"real duration", -1, TRACE_TIME_MAX},
    [COLUMN_NODES] = {"nodes", 1, TRACE_VMS_MAX},
    [COLUMN_CPUS] = {"CPUs", 0, TRACE_AMOUNT_MAX / 100},
    [COLUMN_MEMORY] = {"memory", 0, TRACE_AMOUNT_MAX},
    [COLUMN_DISK] = {"disk", -1, TRACE_AMOUNT_MAX},
    [COLUMN_IMAGE] = {"image", 0, 0},
    [COLUMN_IMAGE_SIZE] = {"image size", 0, TRACE_AMOUNT_MAX},
};

struct old_reader {
    struct trace trace;
    struct source *source;
    struct lines lines;
    int64_t last_id;
    struct node_set set;
    char image[IMAGE_NAME_MAX + 1];
};

static int complain_columns(const struct old_reader *reader, ptrdiff_t column, int found,
                            struct error *err)
{
    return error_set(err, EINVAL, "%s:%ld:%td: the line has %d columns: expected %d",
                     source_name(reader->source), reader->lines.number, column, found, COLUMNS);
}

/* Reads the numbers of a line into values[], and its image into reader->image. */
static int scan(struct old_reader *reader, const char *line, const char *end,
                int64_t values[COLUMNS], struct error *err)
{
    const char *p = line;

    for (int i = 0; i < COLUMNS; i++) {
        const char *from;

        while (p < end && value_is_blank(*p))
            p++;
        for (from = p; p < end && !value_is_blank(*p);)
            p++;
        if (from == p)
            return complain_columns(reader, from - line + 1, i, err);
        if (i == COLUMN_IMAGE && p - from > IMAGE_NAME_MAX)
            return error_set(err, EINVAL,
                             "%s:%ld:%td: the name of the disk image has %td bytes: "
                             "expected at most %d",
                             source_name(reader->source), reader->lines.number, from - line + 1,
                             p - from, IMAGE_NAME_MAX);
        if (i == COLUMN_IMAGE) {
            snprintf(reader->image, sizeof reader->image, "%.*s", (int)(p - from), from);
            continue;
        }
        if (!value_parse_integer(from, p, columns[i].max, &values[i]) || values[i] < columns[i].min)
            return error_set(err, EINVAL,
                             "%s:%ld:%td: column %d (%s) is \"%.*s\": expected an "
                             "integer from %" PRId64 " to %" PRId64,
                             source_name(reader->source), reader->lines.number, from - line + 1,
                             i + 1, columns[i].name, (int)(p - from > 64 ? 64 : p - from), from,
                             columns[i].min, columns[i].max);
    }
    while (p < end && value_is_blank(*p))
        p++;
    if (p != end)
        return error_set(err, EINVAL, "%s:%ld:%td: unexpected text after the 10th column",
                         source_name(reader->source), reader->lines.number, p - line + 1);
    return 0;
}

static void make_request(struct old_reader *reader, const int64_t values[COLUMNS],
                         struct lease_request *request)
{
    bool best_effort = values[COLUMN_START] < 0;
    bool is_known =
        values[COLUMN_REAL_DURATION] >= 0 && values[COLUMN_REAL_DURATION] < values[COLUMN_DURATION];

    reader->set.count = (uint32_t)values[COLUMN_NODES];
    reader->set.amounts.of[RESOURCE_CPU] = 100 * values[COLUMN_CPUS];
    reader->set.amounts.of[RESOURCE_MEMORY] = values[COLUMN_MEMORY];
    *request = (struct lease_request){
        .id = ++reader->last_id,
        .kind = best_effort ? LEASE_BEST_EFFORT : LEASE_RESERVATION,
        .submit = values[COLUMN_SUBMIT],
        .start = best_effort ? INSTANT_NONE : values[COLUMN_START],
        .deadline = INSTANT_NONE,
        .duration_original = values[COLUMN_DURATION],
        .duration = values[COLUMN_DURATION],
        .duration_known = is_known ? values[COLUMN_REAL_DURATION] : SPAN_NONE,
        .preemptible = best_effort,
        .terms = lease_terms_usual(best_effort),
        .user = -1,
        .node_sets = &reader->set,
        .n_node_sets = 1,
        .image = strcmp(reader->image, "-") == 0 ? NULL : reader->image,
        .image_size = values[COLUMN_IMAGE_SIZE],
    };
}

static int old_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct old_reader *reader = (struct old_reader *)trace;
    int64_t values[COLUMNS] = {0};
    const char *line, *end;
    int more;

    while ((more = lines_next(&reader->lines, &line, &end, err)) > 0) {
        const char *p = line;

        while (p < end && value_is_blank(*p))
            p++;
        if (p == end || *p == '#')
            continue;
        if (scan(reader, line, end, values, err) < 0)
            return -1;
        make_request(reader, values, request);
        return 1;
    }
    return more;
}

static struct trace *old_again(struct source *source, const struct trace *trace, struct error *err)
{
    (void)trace, (void)err;
    return old_open_source(source);
}

static void old_destroy(struct trace *trace)
{
    struct old_reader *reader = (struct old_reader *)trace;

    lines_finish(&reader->lines);
    source_close(reader->source);
    free(reader);
}

static const struct trace_methods methods = {
    .next = old_next,
    .again = old_again,
    .destroy = old_destroy,
};

struct trace *old_open_source(struct source *source)
{
    struct old_reader *reader = memory_new(1, sizeof *reader);

    reader->trace.methods = &methods;
    reader->trace.source = reader->source = source;
    lines_init(&reader->lines, source);
    return &reader->trace;
}

long old_line(const struct trace *trace)
{
    return ((const struct old_reader *)trace)->lines.number;
}
