/* exposition.h: metrics as text, in the format of OpenMetrics 1.0 or in Prometheus' older one
 * (0.0.4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct histogram;
struct output;

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_HISTOGRAM };

struct exposition {
    struct output *output;
    bool open; /* OpenMetrics */
    const char *name;
    enum metric_type type;
};

/* Names and values by turns, NULL at the end; values may be any text. */
#define METRIC_LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Begin a metric. `name`: without "_total"; with its unit, for which "_seconds" is recognized. */
void exposition_metric(struct exposition *exposition, const char *name, enum metric_type type,
                       const char *help);
/* A sample of the metric; labels NULL: none. */
void exposition_count(struct exposition *exposition, const char *const *labels, uint64_t value);
void exposition_number(struct exposition *exposition, const char *const *labels, double value);
void exposition_histogram(struct exposition *exposition, const char *const *labels,
                          const struct histogram *histogram);
/* The last line. */
void exposition_end(struct exposition *exposition);
