/* read.h: reads records; internal to verify/, except for the functions at the end. */
#pragma once

#include "verify/json.h"
#include "verify/schedule.h"

struct reader {
    struct schedule *schedule;
    struct json_place place;
    json_t *root;
};

/* `count` zeroed items in the schedule's memory, or NULL with an error. */
void *reader_take(struct reader *reader, size_t count, size_t size);

/* Reads an entry of a list into an item. */
typedef int reader_entry(struct reader *reader, json_t *entry, void *item);
/* Reads the items of a list, named NAME[i] in errors; NULL with an error. */
void *reader_read_list(struct reader *reader, json_t *list, const char *name, size_t size,
                       reader_entry *read);

/* The index of a resource type, or -1 with an error. */
int reader_find_type(const struct reader *reader, const char *name);

int reader_read_leases(struct reader *reader, json_t *root);
int reader_read_events(struct reader *reader, json_t *root);  /* moves, preemptions */
int reader_read_figures(struct reader *reader, json_t *root); /* results, counters, totals */
int reader_check_shape(struct reader *reader, json_t *root);
int reader_read_galerna(struct reader *reader, json_t *root); /* settings, reasons, plans */

/* The document of a record; "-": standard input. A new reference, or NULL. Takes about ten times
 * the file's size; files over 256 MB are refused. Errors: EINVAL (not JSON), EFBIG, EIO, ENOMEM. */
json_t *schedule_load(const char *path, struct error *err);

/* Reads a schedule; the caller keeps root. Only error texts use `name`. Overwrites the schedule;
 * call schedule_finish() after success (and only then). Errors: EINVAL (wrong type, missing member,
 * run failed; with the place), ENOMEM. */
int schedule_read_json(struct schedule *schedule, json_t *root, const char *name,
                       struct error *err);
