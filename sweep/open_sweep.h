/* open_sweep.h: an open sweep with its database, folder and remaining work; internal. */
#pragma once

#include "sweep/database.h"
#include "sweep/folder.h"
#include "sweep/grid.h"

struct session {
    struct sweep *sweep;
    const struct sweep_options *options;
    unsigned keep;
    struct folder folder;
    struct sweep_database database;
    size_t *pending; /* numbers of the remaining cells, ascending */
    size_t n_pending;
    size_t n_cells_done; /* at the start */
    bool *computed;      /* computed in this session; index: cell - 1 */
};

/* Checks the sweep, opens the database and folder, collects the files of earlier sessions, and
 * finds the missing cells. Errors: see sweep_run(). Call session_finish() in any case. */
int session_init(struct session *session, struct sweep *sweep, const struct sweep_options *options,
                 struct error *err);

/* Fills outcomes (NULL is allowed) if the session could be opened, and closes it. Removes the
 * folder if no cell is missing. */
int session_finish(struct session *session, struct sweep_outcome *outcomes, struct error *err);

/* Collects a cell's file, as database_take(). */
int session_take(struct session *session, size_t cell, struct error *err);

/* Reports progress to the caller: cells finished in this session, the finished fraction of the
 * remaining work, and when it began (microseconds, CLOCK_MONOTONIC). */
void session_tell(const struct session *session, size_t n_finished, double done, int64_t begun);
