/* cell.h: carries out one cell; internal. */
#pragma once

#include "sweep/folder.h"
#include "sweep/grid.h"

struct cell_work {
    struct sweep *sweep;
    size_t cell;
    unsigned keep;
    const struct folder *folder;
    const volatile sig_atomic_t *stop; /* NULL: never */
    volatile double *done;             /* 0 ... 1; NULL: not reported */
};

/* Replays a cell and writes the cell's file to the folder. The file of a failed replay has the
 * failure. Errors: the file cannot be written; EINTR if stopped, without a file. */
int cell_perform(const struct cell_work *work, struct sweep_outcome *outcome, struct error *err);
