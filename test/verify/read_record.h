/* read_record.h: a schedule from the file of a record, as galerna verify reads it. */
#pragma once

#include <jansson.h>

#include "verify/read.h"

static inline int read_record_file(struct schedule *schedule, const char *path, struct error *err)
{
    json_t *root = schedule_load(path, err);
    int result = root ? schedule_read_json(schedule, root, path, err) : -1;

    json_decref(root);
    return result;
}
