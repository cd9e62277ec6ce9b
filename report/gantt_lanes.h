/* gantt_lanes.h: the vertical position of boxes that are on one host at the same time. Internal to
 * the picture.
 *
 * The row of a host is split into lanes for as long as several leases share it, so that no box
 * hides another. A lease keeps its lane from one box to the next when it can.
 */
#pragma once

#include "report/gantt_boxes.h"

enum { GANTT_LANES_MAX = 64 };

/* A box on one host. */
struct gantt_piece {
    uint8_t lane, lanes; /* the lane-th of so many from above; 0 of 1: the whole row */
};

struct gantt_lanes {
    struct gantt_piece *pieces;
    size_t *first; /* of a box: its piece on its first host, the next hosts' behind it */
    unsigned most; /* lanes of any row */
};

/* For the boxes that `wanted` names (one entry for each box). O(p log p), p = boxes times hosts. */
void gantt_lanes_init(struct gantt_lanes *lanes, const struct gantt_boxes *boxes,
                      const bool *wanted);
void gantt_lanes_finish(struct gantt_lanes *lanes);
