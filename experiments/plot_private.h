/* plot_private.h: the parts of a diagram. */
#pragma once

#include "experiments/plot.h"

struct plot_series {
    char *name;
    enum plot_style style;
    int color;
    struct plot_point *points;
    size_t n, allocated;
};

struct plot_level {
    char *name;
    double y;
};

struct plot {
    char *title, *x, *y;
    bool from_zero, percent, log_x;
    char **names; /* NULL: a numeric axis */
    size_t n_names, names_allocated;
    struct plot_series *series;
    size_t n_series, series_allocated;
    struct plot_level *levels;
    size_t n_levels, levels_allocated;
};
