/* Draws a picture's boxes as SVG. */
#include "report/gantt_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/gantt_lanes.h"
#include "util/memory.h"

enum {
    DRAWN_BOXES_MAX = 9000,
    LABEL_ROW = 11,    /* pixels of height for a label */
    NARROW = 4,        /* pixels of width; outlines would hide the colors of narrower boxes */
    LANE_ROW = 14,     /* desired pixels of height of a lane */
    HEIGHT_MAX = 1000, /* most pixels of height of a picture stretched by lanes */
    SPLIT_ROW = 6,     /* least pixels of height of a split row */
};

/* Writes a coordinate with at most two decimals and without trailing zeros. */
static void gantt_number(struct output *out, double value)
{
    double hundredths = round(value * 100);

    output_double(out, hundredths / 100);
}

/* lanes: the largest number of lanes in a row. */
static void gantt_picture_layout(struct gantt_picture *picture, unsigned lanes)
{
    double hosts = (double)picture->site->n_hosts;
    double wanted = fmin(LANE_ROW * (double)lanes, HEIGHT_MAX / hosts);

    picture->left = 72;
    picture->top = 66;
    picture->width = 1440;
    picture->row = fmax(hosts <= 8 ? 36 : fmin(28, 800 / hosts), wanted);
    picture->height = picture->row * hosts;
    picture->scale = picture->width / (double)picture->end_time;
}

static bool is_thin(const struct gantt_box *box)
{
    return box->kind == RESERVATION_MEMORY_MIGRATION || box->kind == RESERVATION_DISK_MIGRATION ||
           box->kind == RESERVATION_TRANSFER;
}

/* The gap between neighboring rows, if there is room for one. */
static double row_gap(const struct gantt_picture *picture)
{
    return picture->row >= 10 ? 1 : 0;
}

/* Rows that are too low are not split, and their boxes overlap. */
static bool is_split(const struct gantt_picture *picture)
{
    return picture->row >= SPLIT_ROW;
}

static double box_width(const struct gantt_picture *picture, const struct gantt_box *box)
{
    return (double)(box->until - box->from) * picture->scale;
}

static double box_height(const struct gantt_picture *picture, const struct gantt_box *box)
{
    return (double)box->count * picture->row - row_gap(picture);
}

static bool is_drawn(const struct gantt_picture *picture, const struct gantt_box *box,
                     double smallest)
{
    return box_width(picture, box) >= smallest && box_height(picture, box) >= 1;
}

static size_t count_drawn(const struct gantt_picture *picture, const struct gantt_boxes *boxes,
                          double smallest)
{
    size_t n = 0;

    for (size_t i = 0; i < boxes->n_boxes; i++)
        n += is_drawn(picture, &boxes->boxes[i], smallest);
    return n;
}

/* The minimum width of boxes that limits their number sufficiently. */
static double smallest_width(const struct gantt_picture *picture, const struct gantt_boxes *boxes)
{
    double smallest = 1;

    while (count_drawn(picture, boxes, smallest) > DRAWN_BOXES_MAX)
        smallest *= 1.2;
    return smallest;
}

static void path(struct output *out, double x, double y, double width, double height)
{
    output_text(out, "M");
    gantt_number(out, x);
    output_char(out, ' ');
    gantt_number(out, y);
    output_char(out, 'h');
    gantt_number(out, width);
    output_char(out, 'v');
    gantt_number(out, height);
    output_char(out, 'h');
    gantt_number(out, -width);
    output_char(out, 'z');
}

/* Neighboring ids get different hues. */
static unsigned color_of(int64_t lease)
{
    return (unsigned)((uint64_t)lease * 7 % GANTT_COLOURS);
}

static void tooltip(const struct gantt_picture *picture, const struct gantt_box *box)
{
    const struct site_host *hosts = picture->site->hosts;
    struct output *out = picture->out;
    char from[64];
    char until[64];

    gantt_instant(picture, box->from, from, sizeof from);
    gantt_instant(picture, box->until, until, sizeof until);
    output_format(out, "<title>%s lease %lld, ", lease_kind_name((enum lease_kind)box->lease_kind),
                  (long long)box->lease);
    if (box->kind == GANTT_LOST)
        output_text(out, "lost run");
    else
        output_text(out, reservation_kind_name((enum reservation_kind)box->kind));
    output_format(out, ", host %d", (int)hosts[box->first].id);
    if (box->count > 1)
        output_format(out, "-%d", (int)hosts[box->first + box->count - 1].id);
    output_format(out, ", %s to %s</title>", from, until);
}

static const char *hatch_of(const struct gantt_box *box)
{
    switch (box->kind) {
    case RESERVATION_SUSPEND:
        return "suspend";
    case RESERVATION_RESUME:
        return "resume";
    case RESERVATION_SHUTDOWN:
        return "shutdown";
    case GANTT_LOST:
        return "lost";
    default:
        return NULL;
    }
}

static void draw_thin(const struct gantt_picture *picture, const struct gantt_box *box)
{
    struct output *out = picture->out;
    double height = fmax(1.5, picture->row * 0.2);

    for (uint32_t i = 0; i < box->count; i++) {
        output_format(out, "<path class=\"%s\" d=\"",
                      box->kind == RESERVATION_TRANSFER ? "transfer" : "migration");
        path(out, gantt_x(picture, box->from),
             gantt_y(picture, box->first + i + 1) - row_gap(picture) - height,
             box_width(picture, box), height);
        output_text(out, "\">");
        tooltip(picture, box);
        output_text(out, "</path>\n");
    }
}

/* Several rows, or a lane of one row. */
struct area {
    double y, height;
};

static void draw_label(const struct gantt_picture *picture, const struct gantt_box *box,
                       struct area area)
{
    double width = box_width(picture, box);
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", (long long)box->lease);

    if (box->kind != RESERVATION_VM || area.height < LABEL_ROW || width < 6.5 * length + 4)
        return;
    output_text(picture->out, "<text class=\"label\" x=\"");
    gantt_number(picture->out, gantt_x(picture, box->from) + width / 2);
    output_text(picture->out, "\" y=\"");
    gantt_number(picture->out, area.y + area.height / 2 + 3.5);
    output_format(picture->out, "\">%s</text>\n", text);
}

static void draw_area(const struct gantt_picture *picture, const struct gantt_box *box,
                      struct area area)
{
    static const char *const outlines[] = {
        [LEASE_BEST_EFFORT] = "",
        [LEASE_IMMEDIATE] = " immediate",
        [LEASE_RESERVATION] = " reservation",
        [LEASE_DEADLINE] = " deadline",
    };
    double x = gantt_x(picture, box->from);
    double width = box_width(picture, box);
    const char *hatch = hatch_of(box);
    bool outlined = box->kind == RESERVATION_VM && width >= NARROW;
    struct output *out = picture->out;

    output_format(out, "<path class=\"c%u%s\" d=\"", color_of(box->lease),
                  outlined ? outlines[box->lease_kind] : "");
    path(out, x, area.y, width, area.height);
    output_text(out, "\">");
    tooltip(picture, box);
    output_text(out, "</path>\n");
    if (hatch) {
        output_format(out, "<path class=\"over\" fill=\"url(#%s)\" d=\"", hatch);
        path(out, x, area.y, width, area.height);
        output_text(out, "\"/>\n");
    }
    draw_label(picture, box, area);
}

/* Neighboring rows without other boxes form one area; in each other row, the box has a lane.
 * pieces: one for each of its hosts; NULL: no row has other boxes. */
static void draw_box(const struct gantt_picture *picture, const struct gantt_box *box,
                     const struct gantt_piece *pieces)
{
    double gap = row_gap(picture), lane;
    uint32_t end;

    for (uint32_t i = 0; i < box->count; i = end) {
        double y = gantt_y(picture, box->first + i);

        if (pieces && pieces[i].lanes > 1) {
            end = i + 1;
            lane = (picture->row - gap) / pieces[i].lanes;
            draw_area(picture, box, (struct area){y + pieces[i].lane * lane, lane});
            continue;
        }
        for (end = i + 1; end < box->count && (!pieces || pieces[end].lanes <= 1);)
            end++;
        draw_area(picture, box, (struct area){y, (double)(end - i) * picture->row - gap});
    }
}

static int shade_of(double use)
{
    int shade = (int)ceil(use * GANTT_SHADES - 0.01) - 1;

    return shade < GANTT_SHADES ? shade : GANTT_SHADES - 1;
}

/* Draws the areas of equal shade in one row of the grid as parts of one path. */
static void shade_row(const struct gantt_picture *picture, const struct gantt_boxes *boxes,
                      size_t group, int shade)
{
    double height = picture->row * (double)boxes->hosts_per_group;
    double width = (double)boxes->bucket * picture->scale;
    double middle = picture->top + ((double)group + 0.5) * height;

    for (size_t i = 0; i < GRID_BUCKETS; i++) {
        size_t first = i;

        while (i < GRID_BUCKETS && shade_of(gantt_grid_use(boxes, group, i)) == shade)
            i++;
        if (i == first)
            continue;
        output_char(picture->out, 'M');
        gantt_number(picture->out, picture->left + (double)first * width);
        output_char(picture->out, ' ');
        gantt_number(picture->out, middle);
        output_char(picture->out, 'h');
        gantt_number(picture->out, (double)(i - first) * width);
    }
}

static void draw_shades(const struct gantt_picture *picture, const struct gantt_boxes *boxes)
{
    struct output *out = picture->out;

    for (int shade = 0; shade < GANTT_SHADES; shade++) {
        output_format(out, "<path class=\"s%d\" stroke-width=\"%.2f\" d=\"", shade,
                      picture->row * (double)boxes->hosts_per_group);
        for (size_t group = 0; group < boxes->n_groups; group++)
            shade_row(picture, boxes, group, shade);
        output_text(out, "\"/>\n");
    }
}

static bool has_mark(const struct gantt_boxes *boxes, bool preemption)
{
    for (size_t i = 0; i < boxes->n_marks; i++) {
        if (boxes->marks[i].preemption == preemption)
            return true;
    }
    return false;
}

static void draw_ticks(const struct gantt_picture *picture, const struct gantt_boxes *boxes,
                       bool preemption)
{
    struct output *out = picture->out;

    if (!has_mark(boxes, preemption))
        return;
    output_format(out, "<path class=\"%s\" d=\"", preemption ? "preempted" : "suspended");
    for (size_t i = 0; i < boxes->n_marks; i++) {
        const struct gantt_mark *mark = &boxes->marks[i];

        if (mark->preemption != preemption)
            continue;
        output_char(out, 'M');
        gantt_number(out, gantt_x(picture, mark->at));
        output_char(out, ' ');
        gantt_number(out, gantt_y(picture, mark->first));
        output_char(out, 'v');
        gantt_number(out, (double)mark->count * picture->row - row_gap(picture));
    }
    output_text(out, "\"/>\n");
}

static void draw_flags(const struct gantt_picture *picture, const struct gantt_boxes *boxes)
{
    struct output *out = picture->out;

    if (picture->row < 10 || !has_mark(boxes, true))
        return;
    output_text(out, "<path class=\"flag\" d=\"");
    for (size_t i = 0; i < boxes->n_marks; i++) {
        if (!boxes->marks[i].preemption)
            continue;
        output_char(out, 'M');
        gantt_number(out, gantt_x(picture, boxes->marks[i].at) - 5);
        output_char(out, ' ');
        gantt_number(out, gantt_y(picture, boxes->marks[i].first));
        output_text(out, "h10l-5 8z");
    }
    output_text(out, "\"/>\n");
}

static void draw_boxes(const struct gantt_picture *picture, const struct gantt_boxes *boxes,
                       const bool *drawn, const struct gantt_lanes *lanes)
{
    for (size_t i = 0; i < boxes->n_boxes; i++) {
        const struct gantt_piece *pieces = lanes->pieces + lanes->first[i];

        if (drawn[i] && !is_thin(&boxes->boxes[i]))
            draw_box(picture, &boxes->boxes[i], is_split(picture) ? pieces : NULL);
    }
    for (size_t i = 0; i < boxes->n_boxes; i++) {
        if (drawn[i] && is_thin(&boxes->boxes[i]))
            draw_thin(picture, &boxes->boxes[i]);
    }
}

/* Selects the boxes to draw, and merges the others into the grid. */
static bool *choose_drawn(const struct gantt_picture *picture, struct gantt_boxes *boxes)
{
    double smallest = smallest_width(picture, boxes);
    bool *drawn = memory_new(boxes->n_boxes, sizeof *drawn);

    for (size_t i = 0; i < boxes->n_boxes; i++) {
        drawn[i] = is_drawn(picture, &boxes->boxes[i], smallest);
        if (!drawn[i])
            gantt_grid_add(boxes, &boxes->boxes[i]);
    }
    return drawn;
}

static void find_lanes(const struct gantt_picture *picture, const struct gantt_boxes *boxes,
                       const bool *drawn, struct gantt_lanes *lanes)
{
    bool *wanted = memory_new(boxes->n_boxes, sizeof *wanted);

    for (size_t i = 0; i < boxes->n_boxes; i++)
        wanted[i] = drawn[i] && is_split(picture) && !is_thin(&boxes->boxes[i]);
    gantt_lanes_init(lanes, boxes, wanted);
    free(wanted);
}

void gantt_draw(struct gantt_picture *picture, struct gantt_boxes *boxes)
{
    struct gantt_extras extras;
    struct gantt_lanes lanes;
    bool *drawn;

    gantt_picture_layout(picture, 1);
    drawn = choose_drawn(picture, boxes);
    find_lanes(picture, boxes, drawn, &lanes);
    gantt_picture_layout(picture, lanes.most);
    gantt_draw_head(picture);
    gantt_draw_axes(picture);
    if (boxes->grid)
        draw_shades(picture, boxes);
    draw_boxes(picture, boxes, drawn, &lanes);
    draw_ticks(picture, boxes, false);
    draw_ticks(picture, boxes, true);
    draw_flags(picture, boxes);
    extras.shades = boxes->grid;
    extras.preemptions = has_mark(boxes, true);
    extras.short_suspensions = has_mark(boxes, false);
    extras.lanes = lanes.most > 1;
    gantt_draw_legend(picture, &extras);
    gantt_lanes_finish(&lanes);
    free(drawn);
}
