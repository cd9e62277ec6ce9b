/* cell.h: one cell carried out; for the sweep only. */
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

/* Replay and leave the cell's file in the folder. A failed replay leaves a file, too, which records
 * the failure. Errors: the file cannot be written; EINTR when stopped, without a file. */
int cell_perform(const struct cell_work *work, struct sweep_outcome *outcome, struct error *err);
