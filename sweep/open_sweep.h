/* open_sweep.h: a sweep with its database and folder open, and the work left to do; for the sweep
 * only. */
#pragma once

#include "sweep/database.h"
#include "sweep/folder.h"
#include "sweep/grid.h"

struct session {
    struct sweep *sweep;
    const struct sweep_options *options;
    unsigned keep;
    struct folder folder;
    struct sweep_store store;
    size_t *pending; /* cells to carry out, ascending */
    size_t n_pending;
    size_t n_cells_done; /* at the beginning */
    bool *computed;      /* by this session, by cell - 1 */
};

/* Checks the sweep, opens everything, takes the files left by earlier sessions, and finds the
 * missing cells. Errors: see sweep_run(). session needs session_finish() in any case. */
int session_init(struct session *session, struct sweep *sweep, const struct sweep_options *options,
                 struct error *err);

/* Fill outcomes (NULL is allowed) when the session was opened, and close all. The folder is removed
 * if no cell is missing. */
int session_finish(struct session *session, struct sweep_outcome *outcomes, struct error *err);

/* A cell's file, as store_take(). */
int session_take(struct session *session, size_t cell, struct error *err);

/* Tell the caller how far it is: cells finished now, part of the pending work that is done, and
 * how long that took. */
void session_tell(const struct session *session, size_t n_finished, double done, double seconds);
