/* Draws the axes, grid and legend of a picture. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "report/gantt_draw.h"
#include "util/time_text.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

static bool local_date(const struct gantt_picture *picture, int64_t at, struct tm *date)
{
    time_t seconds = (time_t)(picture->start_epoch + at);

    return picture->start_epoch != INSTANT_NONE && gmtime_r(&seconds, date);
}

void gantt_instant(const struct gantt_picture *picture, int64_t at, char *text, size_t size)
{
    struct tm date;

    if (at == INSTANT_NEVER || !local_date(picture, at, &date))
        time_text_hours(at, text, size);
    else
        strftime(text, size, "%Y-%m-%d %H:%M:%S", &date);
}

/* Light colors on which black text is easy to read and which color-blind people can distinguish,
 * then darker colors of the same hues. */
static const char *const colors[GANTT_COLOURS] = {
    "#77aadd", "#eeb888", "#d4d978", "#ffaabb", "#9fdff5", "#5cc3a5", "#e0dca0", "#c9b3e0",
    "#5b8cc2", "#dd8a55", "#b4b84a", "#e07b93", "#62b8d6", "#3a9f83", "#b5ad68", "#9d80bf",
};

static const char *const shades[GANTT_SHADES] = {
    "#e6e9ed", "#d3d8de", "#bcc3cc", "#a3acb7", "#8893a1", "#6b7888",
};

static void draw_patterns(struct output *out)
{
    output_text(out,
                "<defs>\n"
                "<pattern id=\"suspend\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" stroke=\"#222\" stroke-width=\"1.3\"/>"
                "</pattern>\n"
                "<pattern id=\"resume\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"M-1 5l2 2M0 0l6 6M5-1l2 2\" stroke=\"#fff\" stroke-width=\"2\"/>"
                "</pattern>\n"
                "<pattern id=\"shutdown\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"M1 0v4\" stroke=\"#555\" stroke-width=\"1\"/></pattern>\n"
                "<pattern id=\"lost\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"M0 0l7 7M7 0l-7 7\" stroke=\"#b5121b\" stroke-width=\"0.9\"/>"
                "</pattern>\n</defs>\n");
}

static void draw_styles(const struct gantt_picture *picture)
{
    struct output *out = picture->out;

    output_text(out, "<style>\n"
                     "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#222}\n"
                     ".title{font-size:18px;font-weight:bold}.facts{font-size:12px;fill:#555}\n"
                     ".axis{font-size:11px;fill:#444}.label{font-size:10px;text-anchor:middle}\n"
                     ".key{font-size:12px}.end{text-anchor:end}.middle{text-anchor:middle}\n"
                     ".grid{stroke:#d9d9d9;stroke-width:1;fill:none}\n"
                     ".frame{stroke:#777;stroke-width:1;fill:none}\n"
                     ".label,.over,.suspended,.preempted,.flag{pointer-events:none}\n"
                     ".transfer{fill:#1b4f8f}.migration{fill:#6a2c8f}\n"
                     ".suspended{stroke:#222;stroke-width:1.2;fill:none}\n"
                     ".preempted{stroke:#d0021b;stroke-width:1.6;fill:none}.flag{fill:#d0021b}\n");
    for (int i = 0; i < GANTT_COLOURS; i++)
        output_format(out, ".c%d{fill:%s;stroke:#fff;stroke-width:%s}\n", i, colors[i],
                      picture->row >= 10 ? "1" : "0.4");
    for (int i = 0; i < GANTT_SHADES; i++)
        output_format(out, ".s%d{stroke:%s;fill:none}\n", i, shades[i]);
    output_format(out,
                  ".reservation{stroke:#222;stroke-width:%s}\n"
                  ".immediate{stroke:#222;stroke-width:%s;stroke-dasharray:2 2}\n"
                  ".deadline{stroke:#222;stroke-width:%s;stroke-dasharray:7 3}\n</style>\n",
                  picture->row >= 10 ? "1.4" : "0.8", picture->row >= 10 ? "1.2" : "0.8",
                  picture->row >= 10 ? "1.4" : "0.8");
}

void gantt_draw_head(const struct gantt_picture *picture)
{
    struct output *out = picture->out;
    int width = (int)(picture->left + picture->width + 24);
    int height = (int)(picture->top + picture->height + 100);
    char from[64];
    char until[64];

    gantt_instant(picture, 0, from, sizeof from);
    gantt_instant(picture, picture->end_time, until, sizeof until);
    output_format(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\">\n<title>",
                  width, height, width, height);
    output_escaped(out, picture->title);
    output_text(out, "</title>\n");
    draw_styles(picture);
    draw_patterns(out);
    output_format(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    output_format(out, "<text class=\"title\" x=\"%.0f\" y=\"28\">", picture->left);
    output_escaped(out, picture->title);
    output_format(out,
                  "</text>\n<text class=\"facts\" x=\"%.0f\" y=\"48\">%zu host%s, %" PRId64
                  " lease%s that ran, %" PRId64 " preemption%s, %s to %s</text>\n",
                  picture->left, picture->site->n_hosts, picture->site->n_hosts == 1 ? "" : "s",
                  picture->n_leases, picture->n_leases == 1 ? "" : "s", picture->preemptions,
                  picture->preemptions == 1 ? "" : "s", from, until);
}

/* The smallest step with enough distance between its marks. */
static int64_t tick_step(const struct gantt_picture *picture)
{
    static const int64_t steps[] = {
        1,           5,           10,      30,       MINUTE,   5 * MINUTE, 10 * MINUTE,
        15 * MINUTE, 30 * MINUTE, HOUR,    2 * HOUR, 3 * HOUR, 6 * HOUR,   12 * HOUR,
        DAY,         2 * DAY,     5 * DAY, 10 * DAY, 30 * DAY, 100 * DAY,
    };
    size_t n = sizeof steps / sizeof steps[0];

    for (size_t i = 0; i < n; i++) {
        if ((double)steps[i] * picture->scale >= 76)
            return steps[i];
    }
    return (int64_t)ceil(76 / picture->scale / (365.0 * DAY)) * 365 * DAY;
}

static void tick_text(const struct gantt_picture *picture, int64_t at, int64_t step, char *text,
                      size_t size)
{
    struct tm date;

    if (local_date(picture, at, &date)) {
        bool midnight = date.tm_hour == 0 && date.tm_min == 0 && date.tm_sec == 0;

        strftime(text, size, midnight ? "%d %b" : step < MINUTE ? "%H:%M:%S" : "%H:%M", &date);
    } else if (step >= DAY || (picture->end_time > 2 * DAY && at >= DAY && at % DAY == 0)) {
        snprintf(text, size, "day %" PRId64, at / DAY);
    } else {
        int64_t hours = picture->end_time > 2 * DAY ? at % DAY / HOUR : at / HOUR;

        if (step < MINUTE)
            snprintf(text, size, "%" PRId64 ":%02d:%02d", hours, (int)(at / MINUTE % 60),
                     (int)(at % 60));
        else
            snprintf(text, size, "%" PRId64 ":%02d", hours, (int)(at / MINUTE % 60));
    }
}

static void draw_time_axis(const struct gantt_picture *picture)
{
    int64_t step = tick_step(picture);
    int64_t shift = picture->start_epoch == INSTANT_NONE ? 0 : picture->start_epoch % step;
    double bottom = picture->top + picture->height;
    struct output *out = picture->out;
    char text[64];

    for (int64_t at = shift > 0 ? step - shift : -shift; at <= picture->end_time; at += step) {
        double x = gantt_x(picture, at);

        output_format(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, picture->top,
                      bottom + 5);
        tick_text(picture, at, step, text, sizeof text);
        output_format(out, "<text class=\"axis middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x,
                      bottom + 19, text);
    }
    output_format(out, "<text class=\"axis middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                  picture->left + picture->width / 2, bottom + 37,
                  picture->start_epoch != INSTANT_NONE ? "date and time"
                  : step >= DAY                        ? "time since the start (days)"
                                                       : "time since the start (h:mm)");
}

static void draw_host_axis(const struct gantt_picture *picture)
{
    static const size_t strides[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    size_t n = sizeof strides / sizeof strides[0];
    size_t stride = strides[n - 1];
    struct output *out = picture->out;

    for (size_t i = n; i-- > 0;) {
        if ((double)strides[i] * picture->row >= 13)
            stride = strides[i];
    }
    for (size_t host = 0; host < picture->site->n_hosts; host++) {
        double y = gantt_y(picture, (uint32_t)host);

        if (stride == 1 || host % stride == stride - 1)
            output_format(out, "<text class=\"axis end\" x=\"%.0f\" y=\"%.1f\">%d</text>\n",
                          picture->left - 7, y + picture->row / 2 + 4,
                          (int)picture->site->hosts[host].id);
        if (host > 0 && picture->row >= 10)
            output_format(out, "<path class=\"grid\" d=\"M%.0f %.1fh%.0f\"/>\n", picture->left,
                          y - 0.5, picture->width);
    }
    output_format(out,
                  "<text class=\"axis middle\" transform=\"translate(%.0f %.1f) rotate(-90)\">"
                  "host</text>\n",
                  picture->left - 46, picture->top + picture->height / 2);
}

void gantt_draw_axes(const struct gantt_picture *picture)
{
    draw_time_axis(picture);
    draw_host_axis(picture);
}

struct legend {
    const struct gantt_picture *picture;
    double x, y;
};

/* Finds room for a sample and its words, on the next line if the current one is full. */
static void legend_place(struct legend *legend, const char *words, double sample, double *x)
{
    double width = sample + 10 + 6.9 * (double)strlen(words) + 22;

    if (legend->x + width > legend->picture->left + legend->picture->width) {
        legend->x = legend->picture->left;
        legend->y += 22;
    }
    *x = legend->x;
    output_format(legend->picture->out, "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                  legend->x + sample + 8, legend->y + 11, words);
    legend->x += width;
}

static void legend_box(struct legend *legend, const char *words, const char *class,
                       const char *hatch)
{
    struct output *out = legend->picture->out;
    double x;

    legend_place(legend, words, 26, &x);
    output_format(out, "<rect class=\"c0%s\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"14\"/>\n",
                  class, x, legend->y);
    if (hatch)
        output_format(
            out, "<rect fill=\"url(#%s)\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"14\"/>\n",
            hatch, x, legend->y);
}

static void legend_bar(struct legend *legend, const char *words, const char *class)
{
    double x;

    legend_place(legend, words, 26, &x);
    output_format(legend->picture->out,
                  "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"4\"/>\n", class,
                  x, legend->y + 6);
}

static void legend_shades(struct legend *legend)
{
    double x;

    legend_place(legend, "leases too small to show: part of the time in use", GANTT_SHADES * 12,
                 &x);
    for (int i = 0; i < GANTT_SHADES; i++)
        output_format(legend->picture->out,
                      "<path class=\"s%d\" stroke-width=\"14\" d=\"M%.1f %.1fh12\"/>\n", i,
                      x + i * 12, legend->y + 7);
}

static void legend_suspension(struct legend *legend)
{
    double x;

    legend_place(legend, "suspension, too short for a box", 6, &x);
    output_format(legend->picture->out, "<path class=\"suspended\" d=\"M%.1f %.1fv14\"/>\n", x + 3,
                  legend->y);
}

static void legend_preemption(struct legend *legend)
{
    double x;

    legend_place(legend, "preemption", 10, &x);
    output_format(legend->picture->out,
                  "<path class=\"preempted\" d=\"M%.1f %.1fv14\"/>"
                  "<path class=\"flag\" d=\"M%.1f %.1fh10l-5 8z\"/>\n",
                  x + 5, legend->y, x, legend->y);
}

static void legend_lanes(struct legend *legend)
{
    double x;

    legend_place(legend, "leases that share a host", 26, &x);
    output_format(legend->picture->out,
                  "<rect class=\"c0\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"7\"/>\n"
                  "<rect class=\"c1\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"7\"/>\n",
                  x, legend->y, x, legend->y + 7);
}

static void legend_operations(struct legend *legend)
{
    unsigned kinds = legend->picture->box_kinds;

    if (kinds & 1u << RESERVATION_SUSPEND)
        legend_box(legend, "suspending", "", "suspend");
    if (kinds & 1u << RESERVATION_RESUME)
        legend_box(legend, "resuming", "", "resume");
    if (kinds & 1u << RESERVATION_SHUTDOWN)
        legend_box(legend, "shutting down", "", "shutdown");
    if (kinds & 1u << GANTT_LOST)
        legend_box(legend, "run lost (requeued)", "", "lost");
    if (kinds & (1u << RESERVATION_MEMORY_MIGRATION | 1u << RESERVATION_DISK_MIGRATION))
        legend_bar(legend, "migration", "migration");
    if (kinds & 1u << RESERVATION_TRANSFER)
        legend_bar(legend, "image transfer", "transfer");
}

void gantt_draw_legend(const struct gantt_picture *picture, const struct gantt_extras *extras)
{
    struct legend legend = {
        .picture = picture,
        .x = picture->left,
        .y = picture->top + picture->height + 52,
    };
    struct output *out = picture->out;

    output_format(out,
                  "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                  picture->left, picture->top, picture->width, picture->height);
    if (picture->lease_kinds & 1u << LEASE_BEST_EFFORT)
        legend_box(&legend, "best-effort lease", "", NULL);
    if (picture->lease_kinds & 1u << LEASE_RESERVATION)
        legend_box(&legend, "advance reservation", " reservation", NULL);
    if (picture->lease_kinds & 1u << LEASE_IMMEDIATE)
        legend_box(&legend, "immediate lease", " immediate", NULL);
    if (picture->lease_kinds & 1u << LEASE_DEADLINE)
        legend_box(&legend, "deadline lease", " deadline", NULL);
    legend_operations(&legend);
    if (extras->lanes)
        legend_lanes(&legend);
    if (extras->short_suspensions)
        legend_suspension(&legend);
    if (extras->preemptions)
        legend_preemption(&legend);
    if (extras->shades)
        legend_shades(&legend);
    output_text(out, "</svg>\n");
}
