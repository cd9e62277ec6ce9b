/* Stores the contents of a picture in bounded memory. */
#include "report/gantt_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/search.h"

void gantt_boxes_init(struct gantt_boxes *boxes)
{
    *boxes = (struct gantt_boxes){.bucket = 1};
}

void gantt_boxes_finish(struct gantt_boxes *boxes)
{
    free(boxes->boxes);
    free(boxes->marks);
    free(boxes->grid);
    free(boxes->hosts);
    gantt_boxes_init(boxes);
}

void gantt_boxes_set_hosts(struct gantt_boxes *boxes, size_t n_hosts)
{
    boxes->n_hosts = n_hosts;
    boxes->hosts_per_group = (n_hosts + GRID_GROUPS_MAX - 1) / GRID_GROUPS_MAX;
    boxes->n_groups = (n_hosts + boxes->hosts_per_group - 1) / boxes->hosts_per_group;
}

/* Halves the grid's resolution until `until` is inside. */
static void grid_cover(struct gantt_boxes *boxes, int64_t until)
{
    while (until > boxes->bucket * GRID_BUCKETS) {
        for (size_t group = 0; group < boxes->n_groups; group++) {
            float *row = boxes->grid + group * GRID_BUCKETS;

            for (size_t i = 0; i < GRID_BUCKETS / 2; i++)
                row[i] = row[2 * i] + row[2 * i + 1];
            memset(row + GRID_BUCKETS / 2, 0, GRID_BUCKETS / 2 * sizeof *row);
        }
        boxes->bucket *= 2;
    }
}

static void grid_add_host(struct gantt_boxes *boxes, size_t host, int64_t from, int64_t until)
{
    float *row = boxes->grid + host / boxes->hosts_per_group * GRID_BUCKETS;

    while (from < until) {
        int64_t bucket = from / boxes->bucket;
        int64_t next = (bucket + 1) * boxes->bucket;
        int64_t part = (next < until ? next : until) - from;

        row[bucket] += (float)part;
        from += part;
    }
}

static void add_mark(struct gantt_boxes *boxes, const struct gantt_mark *mark)
{
    if (boxes->n_marks == GANTT_MARKS_MAX)
        return;
    MEMORY_GROW(boxes->marks, boxes->marks_allocated, boxes->n_marks + 1);
    boxes->marks[boxes->n_marks++] = *mark;
}

void gantt_grid_add(struct gantt_boxes *boxes, const struct gantt_box *box)
{
    int64_t from = box->from > 0 ? box->from : 0;

    if (box->kind == RESERVATION_MEMORY_MIGRATION || box->kind == RESERVATION_DISK_MIGRATION ||
        box->kind == RESERVATION_TRANSFER)
        return;
    if (!boxes->grid)
        boxes->grid = memory_new(boxes->n_groups * GRID_BUCKETS, sizeof *boxes->grid);
    grid_cover(boxes, box->until);
    for (uint32_t i = 0; i < box->count; i++)
        grid_add_host(boxes, box->first + i, from, box->until);
    if (box->kind == RESERVATION_SUSPEND) {
        struct gantt_mark mark = {.at = box->from, .first = box->first, .count = box->count};

        add_mark(boxes, &mark);
    }
}

double gantt_grid_use(const struct gantt_boxes *boxes, size_t group, size_t bucket)
{
    size_t first = group * boxes->hosts_per_group;
    size_t hosts = boxes->n_hosts - first;

    if (!boxes->grid)
        return 0;
    if (hosts > boxes->hosts_per_group)
        hosts = boxes->hosts_per_group;
    return boxes->grid[group * GRID_BUCKETS + bucket] / ((double)hosts * (double)boxes->bucket);
}

/* Merges the shorter half of the boxes into the grid. */
static void thin_out(struct gantt_boxes *boxes)
{
    int64_t *lengths = memory_new(boxes->n_boxes, sizeof *lengths);
    size_t kept = 0;

    for (size_t i = 0; i < boxes->n_boxes; i++)
        lengths[i] = boxes->boxes[i].until - boxes->boxes[i].from;
    qsort(lengths, boxes->n_boxes, sizeof *lengths, search_by_number);
    boxes->shortest = lengths[boxes->n_boxes / 2] + 1;
    free(lengths);
    for (size_t i = 0; i < boxes->n_boxes; i++) {
        const struct gantt_box *box = &boxes->boxes[i];

        if (box->until - box->from >= boxes->shortest)
            boxes->boxes[kept++] = *box;
        else
            gantt_grid_add(boxes, box);
    }
    boxes->n_boxes = kept;
}

static void keep(struct gantt_boxes *boxes, const struct gantt_box *box)
{
    if (box->until - box->from >= boxes->shortest && boxes->n_boxes == GANTT_BOXES_MAX)
        thin_out(boxes);
    if (box->until - box->from < boxes->shortest) {
        gantt_grid_add(boxes, box);
        return;
    }
    MEMORY_GROW(boxes->boxes, boxes->boxes_allocated, boxes->n_boxes + 1);
    boxes->boxes[boxes->n_boxes++] = *box;
}

static int compare_hosts(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Copies the hosts in ascending order, without the repository. Returns their number. */
static size_t sort_hosts(struct gantt_boxes *boxes, const uint32_t *hosts, size_t n_hosts)
{
    size_t n = 0;

    MEMORY_GROW(boxes->hosts, boxes->hosts_allocated, n_hosts);
    for (size_t i = 0; i < n_hosts; i++) {
        if (hosts[i] < boxes->n_hosts)
            boxes->hosts[n++] = hosts[i];
    }
    if (n > 0)
        qsort(boxes->hosts, n, sizeof *boxes->hosts, compare_hosts);
    return n;
}

/* The number of consecutive hosts at the beginning of hosts[0 ... n). */
static uint32_t run_length(const uint32_t *hosts, size_t n)
{
    uint32_t length = 1;

    while (length < n && hosts[length] == hosts[length - 1] + 1)
        length++;
    return length;
}

void gantt_boxes_add(struct gantt_boxes *boxes, const struct gantt_box *box, const uint32_t *hosts,
                     size_t n_hosts)
{
    size_t n = box->from < box->until ? sort_hosts(boxes, hosts, n_hosts) : 0;

    for (size_t i = 0; i < n;) {
        struct gantt_box part = *box;

        part.first = boxes->hosts[i];
        part.count = run_length(boxes->hosts + i, n - i);
        keep(boxes, &part);
        i += part.count;
    }
}

void gantt_boxes_mark(struct gantt_boxes *boxes, int64_t at, const uint32_t *hosts, size_t n_hosts)
{
    size_t n = sort_hosts(boxes, hosts, n_hosts);

    for (size_t i = 0; i < n;) {
        struct gantt_mark mark = {.at = at, .first = boxes->hosts[i], .preemption = true};

        mark.count = run_length(boxes->hosts + i, n - i);
        add_mark(boxes, &mark);
        i += mark.count;
    }
}
