/* cell.h: one cell carried out; for the sweep only. */
#ifndef GALERNA_SWEEP_CELL_H
#define GALERNA_SWEEP_CELL_H

#include "sweep/folder.h"
#include "sweep/grid.h"

struct cell_work {
    struct sweep *sweep;
    size_t cell;
    unsigned keep;
    const struct folder *folder;
    const volatile sig_atomic_t *stop; /* NULL: never */
    volatile double *done;             /* 0 ... 1; NULL: nobody looks */
};

/* Replay and leave the cell's file in the folder. A replay that fails leaves a file too, which says
 * so. Errors: the file cannot be written; EINTR when stopped: there is no file then. */
int cell_perform(const struct cell_work *work, struct sweep_outcome *outcome, struct error *err);

#endif
