/* Writes metrics as text. */
#include "daemon/metrics/exposition.h"

#include <stdio.h>
#include <string.h>

#include "util/histogram.h"
#include "util/output.h"

static const char *const type_words[] = {
    [METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_HISTOGRAM] = "histogram"};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *total(const struct exposition *exposition)
{
    return exposition->type == METRIC_COUNTER ? "_total" : "";
}

void exposition_metric(struct exposition *exposition, const char *name, enum metric_type type,
                       const char *help)
{
    const char *suffix;

    exposition->name = name;
    exposition->type = type;
    suffix = exposition->open ? "" : total(exposition);
    output_format(exposition->output, "# TYPE %s%s %s\n", name, suffix, type_words[type]);
    if (exposition->open && ends_with(name, "_seconds"))
        output_format(exposition->output, "# UNIT %s seconds\n", name);
    output_format(exposition->output, "# HELP %s%s %s\n", name, suffix, help);
}

static void put_value(struct output *output, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            output_char(output, '\\');
        if (*value == '\n')
            output_text(output, "\\n");
        else
            output_char(output, *value);
    }
}

/* `bound`: the value of the label "le"; NULL: without it. */
static void put_name(const struct exposition *exposition, const char *suffix,
                     const char *const *labels, const char *bound)
{
    struct output *output = exposition->output;
    char before = '{';

    output_text(output, exposition->name);
    output_text(output, suffix);
    for (size_t i = 0; labels && labels[i]; i += 2) {
        output_char(output, before);
        output_text(output, labels[i]);
        output_text(output, "=\"");
        put_value(output, labels[i + 1]);
        output_char(output, '"');
        before = ',';
    }
    if (bound) {
        output_char(output, before);
        output_format(output, "le=\"%s\"", bound);
        before = ',';
    }
    output_text(output, before == ',' ? "} " : " ");
}

void exposition_count(struct exposition *exposition, const char *const *labels, uint64_t value)
{
    put_name(exposition, total(exposition), labels, NULL);
    output_integer(exposition->output, (int64_t)value);
    output_char(exposition->output, '\n');
}

void exposition_number(struct exposition *exposition, const char *const *labels, double value)
{
    put_name(exposition, total(exposition), labels, NULL);
    output_double(exposition->output, value);
    output_char(exposition->output, '\n');
}

void exposition_histogram(struct exposition *exposition, const char *const *labels,
                          const struct histogram *histogram)
{
    struct output *output = exposition->output;
    uint64_t below = 0;
    char bound[32];

    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        if (i < HISTOGRAM_BOUNDS)
            snprintf(bound, sizeof bound, "%.3f", (double)histogram_bounds[i] / 1000);
        else
            snprintf(bound, sizeof bound, "+Inf");
        below += histogram->counts[i];
        put_name(exposition, "_bucket", labels, bound);
        output_format(output, "%llu\n", (unsigned long long)below);
    }
    put_name(exposition, "_count", labels, NULL);
    output_format(output, "%llu\n", (unsigned long long)histogram->n);
    put_name(exposition, "_sum", labels, NULL);
    output_format(output, "%.3f\n", (double)histogram->sum / 1000);
}

void exposition_end(struct exposition *exposition)
{
    if (exposition->open)
        output_text(exposition->output, "# EOF\n");
}
