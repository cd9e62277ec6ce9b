/* Diagrams as SVG: lines, points or bars over a numeric axis or over names. */
#include "experiments/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/plot_private.h"
#include "util/memory.h"

static void split_names(struct plot *plot, const char *names)
{
    char *copy = memory_text(names), *rest = copy;

    for (char *name; (name = strsep(&rest, "|"));) {
        MEMORY_GROW(plot->names, plot->names_allocated, plot->n_names + 1);
        plot->names[plot->n_names++] = memory_text(name);
    }
    free(copy);
}

struct plot *plot_create(const struct plot_labels *labels)
{
    struct plot *plot = memory_new(1, sizeof *plot);

    *plot = (struct plot){
        .title = memory_text(labels->title),
        .x = memory_text(labels->x),
        .y = memory_text(labels->y),
        .from_zero = labels->from_zero,
        .percent = labels->percent,
        .log_x = labels->log_x,
    };
    if (labels->names)
        split_names(plot, labels->names);
    return plot;
}

void plot_destroy(struct plot *plot)
{
    if (!plot)
        return;
    for (size_t i = 0; i < plot->n_series; i++) {
        free(plot->series[i].name);
        free(plot->series[i].points);
    }
    for (size_t i = 0; i < plot->n_levels; i++)
        free(plot->levels[i].name);
    for (size_t i = 0; i < plot->n_names; i++)
        free(plot->names[i]);
    free(plot->series);
    free(plot->levels);
    free(plot->names);
    free(plot->title);
    free(plot->x);
    free(plot->y);
    free(plot);
}

void plot_series(struct plot *plot, const char *name, enum plot_style style, int group)
{
    MEMORY_GROW(plot->series, plot->series_allocated, plot->n_series + 1);
    plot->series[plot->n_series] = (struct plot_series){
        .name = memory_text(name),
        .style = style,
        .color = group < 0 ? (int)plot->n_series : group,
    };
    plot->n_series++;
}

void plot_add(struct plot *plot, const struct plot_point *point)
{
    struct plot_series *series = &plot->series[plot->n_series - 1];

    if (!isfinite(point->x) || !isfinite(point->y) || (plot->log_x && !(point->x > 0)))
        return;
    MEMORY_GROW(series->points, series->allocated, series->n + 1);
    series->points[series->n++] = *point;
}

void plot_add_xy(struct plot *plot, double x, double y)
{
    const struct plot_point point = {x, y, y, y};

    plot_add(plot, &point);
}

void plot_mean(struct plot *plot, double x, struct mean_estimate y)
{
    plot_add(plot, &(struct plot_point){x, y.mean, y.mean - y.half, y.mean + y.half});
}

void plot_level(struct plot *plot, double y, const char *name)
{
    MEMORY_GROW(plot->levels, plot->levels_allocated, plot->n_levels + 1);
    plot->levels[plot->n_levels++] = (struct plot_level){memory_text(name), y};
}

double plot_step(double low, double high, int most, double *first)
{
    static const double rounds[] = {1, 2, 2.5, 5, 10};
    double least = (high - low) / most, power, step = 1;

    if (!(least > 0)) {
        *first = floor(low);
        return 1;
    }
    power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        step = rounds[i] * power;
        if (step >= least * (1 - 1e-9))
            break;
    }
    *first = floor(low / step + 1e-9) * step;
    return step;
}
