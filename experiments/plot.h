/* plot.h: diagrams as SVG: lines, points or bars over a numeric axis or over names.
 *
 * Both axes have labels with units and round tick marks; a legend names the series; points may have
 * an interval, drawn as an error bar; lines with intervals are offset a little, so that all can be
 * seen. No interval is drawn below 0 on an axis that begins there, nor outside 0 ... 100 on one in
 * per cent, "(%)" at the end of its label, whose values are all within. The same calls give the
 * same bytes.
 */
#pragma once

#include <stdbool.h>

#include "experiments/statistics.h"
#include "util/output.h"

enum plot_style {
    PLOT_LINE,
    PLOT_DASHED, /* a line, dashed: another kind of series, or the paper's */
    PLOT_BARS,
    PLOT_POINTS,
};

struct plot; /* opaque */

struct plot_labels {
    const char *title, *x, *y; /* of the axes, with units: "Wait (s)" */
    bool from_zero;            /* the y axis begins at 0 */
    bool percent;              /* the y axis ends at 0 and 100 at most */
    bool log_x;                /* logarithmic; all x > 0 */
    /* Names in place of numbers at x = 0, 1, 2, ..., separated by '|'; NULL: numbers. */
    const char *names;
};

struct plot_point {
    double x, y;
    double low, high; /* the interval around y; both equal to y: none */
};

/* Texts are copied. */
struct plot *plot_create(const struct plot_labels *labels);
void plot_destroy(struct plot *plot); /* NULL is allowed */

/* Begin a series; points go to the last one. Its color is that of its group: -1: one of its own.
 */
void plot_series(struct plot *plot, const char *name, enum plot_style style, int group);
void plot_add(struct plot *plot, const struct plot_point *point);
void plot_add_xy(struct plot *plot, double x, double y);
void plot_mean(struct plot *plot, double x, struct mean_estimate y);

/* A dashed level line with a name, such as a paper's number. */
void plot_level(struct plot *plot, double y, const char *name);

/* The whole <svg> element. Failures are the output's. */
void plot_draw(const struct plot *plot, struct output *out);

/* At most `most` round steps that cover [low, high]: the first mark, and the step. */
double plot_step(double low, double high, int most, double *first);
