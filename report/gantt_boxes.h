/* gantt_boxes.h: the contents of a picture, in bounded memory. Internal to the picture.
 *
 * Boxes are stored individually at first. If there are too many, the shorter half of them, and all
 * later short ones, are merged into a grid (seconds used per group of hosts and bucket of time).
 * The buckets of the grid double their width as the run grows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/reservation.h"

enum {
    GANTT_BOXES_MAX = 40000,
    GANTT_MARKS_MAX = 20000,
    GRID_BUCKETS = 1024,
    GRID_GROUPS_MAX = 256,
    GANTT_LOST = RESERVATION_KINDS, /* a kind of box: a run whose work was lost */
};

/* Neighboring hosts [first, first + count) during [from, until). */
struct gantt_box {
    int64_t from, until;
    int64_t lease;
    uint32_t first, count;
    uint8_t kind;       /* enum reservation_kind or GANTT_LOST */
    uint8_t lease_kind; /* enum lease_kind */
};

/* An event at an instant on neighboring hosts. */
struct gantt_mark {
    int64_t at;
    uint32_t first, count;
    bool preemption; /* otherwise a suspension too short for a box */
};

struct gantt_boxes {
    size_t n_hosts;
    struct gantt_box *boxes;
    size_t n_boxes, boxes_allocated;
    int64_t shortest; /* shorter boxes are merged into the grid */
    struct gantt_mark *marks;
    size_t n_marks, marks_allocated;
    size_t hosts_per_group, n_groups;
    float *grid;     /* n_groups x GRID_BUCKETS, seconds x hosts; NULL until needed */
    int64_t bucket;  /* seconds */
    uint32_t *hosts; /* scratch */
    size_t hosts_allocated;
};

void gantt_boxes_init(struct gantt_boxes *boxes);
void gantt_boxes_finish(struct gantt_boxes *boxes);

/* Must be called once, before boxes are added. */
void gantt_boxes_set_hosts(struct gantt_boxes *boxes, size_t n_hosts);

/* Splits a box into runs of adjacent hosts; `box` has all members except the hosts. Empty intervals
 * and the image repository are skipped. */
void gantt_boxes_add(struct gantt_boxes *boxes, const struct gantt_box *box, const uint32_t *hosts,
                     size_t n_hosts);
/* Adds the mark of a preemption. */
void gantt_boxes_mark(struct gantt_boxes *boxes, int64_t at, const uint32_t *hosts, size_t n_hosts);

/* Merges a box into the grid; a suspension also becomes a mark. */
void gantt_grid_add(struct gantt_boxes *boxes, const struct gantt_box *box);

/* The fraction of a group's hosts that is busy in a bucket, 0 ... 1. */
double gantt_grid_use(const struct gantt_boxes *boxes, size_t group, size_t bucket);
