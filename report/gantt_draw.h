/* gantt_draw.h: draws a picture as SVG. Internal to the picture. */
#pragma once

#include "core/site.h"
#include "report/gantt_boxes.h"
#include "util/output.h"

struct gantt_picture {
    struct output *out;
    const struct site *site;
    const char *title;
    int64_t start_epoch; /* or INSTANT_NONE */
    int64_t end_time;
    int64_t n_leases;
    unsigned lease_kinds; /* a bit for each enum lease_kind in the picture */
    unsigned box_kinds;   /* a bit for each kind of box in the picture */
    int64_t preemptions;

    /* The geometry, filled by gantt_picture_layout(). Lengths in pixels. */
    double left, top, width, height; /* of the plot */
    double row;                      /* height of a host */
    double scale;                    /* pixels per second */
};

static inline double gantt_x(const struct gantt_picture *picture, int64_t at)
{
    return picture->left + (double)at * picture->scale;
}

static inline double gantt_y(const struct gantt_picture *picture, uint32_t host)
{
    return picture->top + (double)host * picture->row;
}

/* Formats an instant as on the axis: h:mm:ss from the start, or a date and time of day. */
void gantt_instant(const struct gantt_picture *picture, int64_t at, char *text, size_t size);

/* Draw the header, styles and title; axes and grid lines. */
void gantt_draw_head(const struct gantt_picture *picture);
void gantt_draw_axes(const struct gantt_picture *picture);
/* Further entries of the legend, after the kinds of boxes. */
struct gantt_extras {
    bool shades;            /* the grid was drawn */
    bool preemptions;       /* red marks */
    bool short_suspensions; /* black marks */
    bool lanes;             /* rows are split */
};

void gantt_draw_legend(const struct gantt_picture *picture, const struct gantt_extras *extras);

/* Draws the whole picture. Boxes that are too small are merged into the grid. */
void gantt_draw(struct gantt_picture *picture, struct gantt_boxes *boxes);

enum { GANTT_COLOURS = 16, GANTT_SHADES = 6 };
