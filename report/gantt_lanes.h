/* gantt_lanes.h: the vertical positions of simultaneous boxes on one host. Internal to the picture.
 *
 * While several leases share a host, its row is split into lanes to keep their boxes from
 * overlapping. If possible, consecutive boxes of a lease are in the same lane. */
#pragma once

#include "report/gantt_boxes.h"

enum { GANTT_LANES_MAX = 64 };

/* A box on one host. */
struct gantt_piece {
    uint8_t lane, lanes; /* index from above, and number of lanes; 0 of 1: the whole row */
};

struct gantt_lanes {
    struct gantt_piece *pieces;
    size_t *first; /* by box: the index of its first piece; its pieces are in the order of hosts */
    unsigned most; /* most lanes of a row */
};

/* Finds lanes for the boxes selected by `wanted` (one entry for each box). O(p log p), p = boxes
 * times hosts. */
void gantt_lanes_init(struct gantt_lanes *lanes, const struct gantt_boxes *boxes,
                      const bool *wanted);
void gantt_lanes_finish(struct gantt_lanes *lanes);
