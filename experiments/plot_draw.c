/* The drawing of diagrams. */
#include <math.h>
#include <stdio.h>

#include "experiments/plot_private.h"

enum {
    WIDTH = 760,
    HEIGHT = 420,
    LEFT = 78,
    TOP = 40,
    PLOT_WIDTH = 460,
    PLOT_HEIGHT = 310,
    LEGEND = LEFT + PLOT_WIDTH + 22,
    LEGEND_ROW = 19,
    COLORS = 8,
    STEPS = 7,
    APART = 5, /* between intervals of lines at the same place */
};

/* Told apart with every kind of color vision (Okabe and Ito). */
static const char *const colors[COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#56b4e9", "#e69f00", "#000000", "#8c6d1f"};

struct plot_frame {
    const struct plot *plot;
    struct output *out;
    double x_low, x_high, y_low, y_high;
    double y_first, y_step, x_first, x_step;
    size_t n_bars;    /* series drawn as bars */
    size_t n_apart;   /* lines and points that stand side by side; 0: no intervals, no need to */
    double low, high; /* no interval is drawn beyond */
};

static const char *color_of(const struct plot_series *series)
{
    return colors[series->color % COLORS];
}

static double along(const struct plot_frame *frame, double x)
{
    if (frame->plot->log_x)
        return LEFT +
               PLOT_WIDTH * (log(x) - log(frame->x_low)) / (log(frame->x_high) - log(frame->x_low));
    return LEFT + PLOT_WIDTH * (x - frame->x_low) / (frame->x_high - frame->x_low);
}

static double up(const struct plot_frame *frame, double y)
{
    return TOP + PLOT_HEIGHT * (frame->y_high - y) / (frame->y_high - frame->y_low);
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void find_x(struct plot_frame *frame, double low, double high)
{
    double margin;

    if (frame->plot->names) {
        frame->x_low = -0.5;
        frame->x_high = (double)frame->plot->n_names - 0.5;
        return;
    }
    if (frame->plot->log_x) {
        frame->x_low = low / 1.15;
        frame->x_high = high * 1.15;
        return;
    }
    margin = high > low ? 0.04 * (high - low) : 0.5;
    frame->x_low = low - margin;
    frame->x_high = high + margin;
    frame->x_step = plot_step(frame->x_low, frame->x_high, STEPS, &frame->x_first);
}

static void find_y(struct plot_frame *frame, double low, double high)
{
    if (frame->plot->from_zero)
        widen(&low, &high, 0);
    if (!(high > low))
        high = low + (low == 0 ? 1 : fabs(low) * 0.1);
    frame->y_step = plot_step(low, high, STEPS, &frame->y_first);
    frame->y_low = frame->y_first;
    frame->y_high = ceil(high / frame->y_step - 1e-9) * frame->y_step;
}

/* A share is never above 100 %, and what begins at zero is never below, whatever Student says. */
static void find_limits(struct plot_frame *frame)
{
    const struct plot *plot = frame->plot;
    double low = 0, high = 0;

    for (size_t s = 0; s < plot->n_series; s++)
        for (size_t i = 0; i < plot->series[s].n; i++)
            widen(&low, &high, plot->series[s].points[i].y);
    frame->low = low >= 0 && plot->from_zero ? 0 : -INFINITY;
    frame->high = INFINITY;
    if (plot->percent && low >= 0 && high <= 100) {
        frame->low = 0;
        frame->high = 100;
    }
}

static bool has_intervals(const struct plot_series *series)
{
    for (size_t i = 0; i < series->n; i++)
        if (series->points[i].low < series->points[i].high)
            return true;
    return false;
}

/* Intervals of several lines would lie on each other. */
static void find_apart(struct plot_frame *frame)
{
    const struct plot *plot = frame->plot;
    size_t with = 0;

    for (size_t s = 0; s < plot->n_series; s++) {
        if (plot->series[s].style == PLOT_BARS)
            continue;
        frame->n_apart++;
        with += has_intervals(&plot->series[s]);
    }
    if (with < 2)
        frame->n_apart = 0;
}

static void measure(struct plot_frame *frame)
{
    const struct plot *plot = frame->plot;
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;

    find_limits(frame);
    find_apart(frame);
    for (size_t s = 0; s < plot->n_series; s++) {
        frame->n_bars += plot->series[s].style == PLOT_BARS;
        for (size_t i = 0; i < plot->series[s].n; i++) {
            const struct plot_point *point = &plot->series[s].points[i];

            widen(&x_low, &x_high, point->x);
            widen(&y_low, &y_high, point->y);
            widen(&y_low, &y_high, fmax(point->low, frame->low));
            widen(&y_low, &y_high, fmin(point->high, frame->high));
        }
    }
    for (size_t i = 0; i < plot->n_levels; i++)
        widen(&y_low, &y_high, plot->levels[i].y);
    if (!(x_low <= x_high))
        x_low = y_low = 0, x_high = y_high = 1;
    find_x(frame, x_low, x_high);
    find_y(frame, y_low, y_high);
}

static void draw_text(const struct plot_frame *frame, double x, double y, const char *anchor,
                      const char *text)
{
    output_format(frame->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    output_escaped(frame->out, text);
    output_text(frame->out, "</text>\n");
}

static void draw_mark(const struct plot_frame *frame, double x, const char *text)
{
    output_format(frame->out, "<path d=\"M%.1f %dv5\" stroke=\"#444\"/>\n", along(frame, x),
                  TOP + PLOT_HEIGHT);
    draw_text(frame, along(frame, x), TOP + PLOT_HEIGHT + 19, "middle", text);
}

static void draw_x_marks(const struct plot_frame *frame)
{
    const struct plot *plot = frame->plot;
    char text[32];

    if (plot->names) {
        for (size_t i = 0; i < plot->n_names; i++)
            draw_mark(frame, (double)i, plot->names[i]);
        return;
    }
    if (plot->log_x) { /* where the points of the first series are */
        for (size_t i = 0; plot->n_series > 0 && i < plot->series[0].n; i++) {
            snprintf(text, sizeof text, "%g", plot->series[0].points[i].x);
            draw_mark(frame, plot->series[0].points[i].x, text);
        }
        return;
    }
    for (int i = 0;; i++) {
        double x = frame->x_first + i * frame->x_step;

        if (x > frame->x_high + 1e-9)
            break;
        if (x < frame->x_low)
            continue;
        snprintf(text, sizeof text, "%g", fabs(x) < 1e-9 * frame->x_step ? 0 : x);
        draw_mark(frame, x, text);
    }
}

static void draw_axes(const struct plot_frame *frame)
{
    int steps = (int)floor((frame->y_high - frame->y_low) / frame->y_step + 0.5);
    char text[32];

    for (int i = 0; i <= steps; i++) {
        double y = frame->y_low + i * frame->y_step;

        output_format(frame->out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", LEFT, up(frame, y),
                      PLOT_WIDTH);
        snprintf(text, sizeof text, "%.6g", fabs(y) < 1e-9 * frame->y_step ? 0 : y);
        draw_text(frame, LEFT - 7, up(frame, y) + 4, "end", text);
    }
    draw_x_marks(frame);
    output_format(frame->out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#444\"/>\n",
                  LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
    draw_text(frame, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 43, "middle", frame->plot->x);
    output_format(frame->out,
                  "<text transform=\"translate(17 %d) rotate(-90)\" text-anchor=\"middle\">",
                  TOP + PLOT_HEIGHT / 2);
    output_escaped(frame->out, frame->plot->y);
    output_text(frame->out, "</text>\n");
}

static void draw_interval(const struct plot_frame *frame, const struct plot_point *point, double x,
                          const char *color)
{
    double low = fmax(point->low, frame->low), high = fmin(point->high, frame->high);

    if (low < high)
        output_format(frame->out,
                      "<path d=\"M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8\" stroke=\"%s\" "
                      "fill=\"none\"/>\n",
                      x, up(frame, low), up(frame, high), x - 4, up(frame, low), color);
}

static void draw_bars(const struct plot_frame *frame, const struct plot_series *series,
                      size_t place)
{
    double room = PLOT_WIDTH / (frame->x_high - frame->x_low) * 0.8;
    double width = room / (double)frame->n_bars;
    double floor_y = fmin(fmax(0, frame->y_low), frame->y_high);

    for (size_t i = 0; i < series->n; i++) {
        const struct plot_point *point = &series->points[i];
        double left = along(frame, point->x) - room / 2 + width * (double)place;
        double top = up(frame, fmax(point->y, floor_y)),
               bottom = up(frame, fmin(point->y, floor_y));

        output_format(frame->out,
                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                      left, top, width * 0.92, bottom - top, color_of(series));
        draw_interval(frame, point, left + width * 0.46, "#222");
    }
}

/* How far to the right the points of a series are drawn, the place-th that is not bars. */
static double aside(const struct plot_frame *frame, size_t place)
{
    double room = frame->plot->names ? 2 * APART : APART;

    return frame->n_apart == 0 ? 0 : room * ((double)place - (double)(frame->n_apart - 1) / 2);
}

static void draw_points(const struct plot_frame *frame, const struct plot_series *series,
                        double shift)
{
    for (size_t i = 0; i < series->n; i++) {
        const struct plot_point *point = &series->points[i];
        double x = along(frame, point->x) + shift, y = up(frame, point->y);

        draw_interval(frame, point, x, color_of(series));
        output_format(
            frame->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\" stroke=\"%s\"/>\n",
            x, y, series->style == PLOT_DASHED ? "#fff" : color_of(series), color_of(series));
    }
}

static void draw_line(const struct plot_frame *frame, const struct plot_series *series,
                      double shift)
{
    output_text(frame->out, "<polyline fill=\"none\" stroke-width=\"1.8\" points=\"");
    for (size_t i = 0; i < series->n; i++)
        output_format(frame->out, "%s%.1f,%.1f", i ? " " : "",
                      along(frame, series->points[i].x) + shift, up(frame, series->points[i].y));
    output_format(frame->out, "\" stroke=\"%s\"%s/>\n", color_of(series),
                  series->style == PLOT_DASHED ? " stroke-dasharray=\"6 4\"" : "");
}

static const char *level_dashes(size_t i)
{
    return i % 2 == 0 ? "2 3" : "9 3";
}

static void draw_series(const struct plot_frame *frame)
{
    size_t bars = 0, lines = 0;

    for (size_t s = 0; s < frame->plot->n_series; s++) {
        const struct plot_series *series = &frame->plot->series[s];
        double shift;

        if (series->style == PLOT_BARS) {
            draw_bars(frame, series, bars++);
            continue;
        }
        shift = aside(frame, lines++);
        if (series->style != PLOT_POINTS && series->n > 1)
            draw_line(frame, series, shift);
        draw_points(frame, series, shift);
    }
    for (size_t i = 0; i < frame->plot->n_levels; i++)
        output_format(frame->out,
                      "<path d=\"M%d %.1fh%d\" stroke=\"#b00\" stroke-width=\"1.5\" "
                      "stroke-dasharray=\"%s\"/>\n",
                      LEFT, up(frame, frame->plot->levels[i].y), PLOT_WIDTH, level_dashes(i));
}

static void draw_legend(const struct plot_frame *frame)
{
    const struct plot *plot = frame->plot;
    double y = TOP + 8;

    for (size_t s = 0; s < plot->n_series; s++, y += LEGEND_ROW) {
        const struct plot_series *series = &plot->series[s];

        if (series->style == PLOT_BARS)
            output_format(frame->out,
                          "<rect x=\"%d\" y=\"%.1f\" width=\"22\" height=\"10\" fill=\"%s\"/>\n",
                          LEGEND, y - 6, color_of(series));
        else
            output_format(frame->out,
                          "<path d=\"M%d %.1fh22\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", LEGEND,
                          y, color_of(series), series->style == PLOT_POINTS ? "5" : "1.8",
                          series->style == PLOT_DASHED ? " stroke-dasharray=\"6 4\"" : "");
        draw_text(frame, LEGEND + 28, y + 4, "start", series->name);
    }
    for (size_t i = 0; i < plot->n_levels; i++, y += LEGEND_ROW) {
        output_format(frame->out,
                      "<path d=\"M%d %.1fh22\" stroke=\"#b00\" stroke-width=\"1.5\" "
                      "stroke-dasharray=\"%s\"/>\n",
                      LEGEND, y, level_dashes(i));
        draw_text(frame, LEGEND + 28, y + 4, "start", plot->levels[i].name);
    }
}

void plot_draw(const struct plot *plot, struct output *out)
{
    struct plot_frame frame = {.plot = plot, .out = out};

    measure(&frame);
    output_format(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    output_format(out, "<text x=\"%d\" y=\"24\" font-size=\"15\" font-weight=\"bold\">", LEFT);
    output_escaped(out, plot->title);
    output_text(out, "</text>\n");
    draw_axes(&frame);
    draw_series(&frame);
    draw_legend(&frame);
    output_text(out, "</svg>\n");
}
