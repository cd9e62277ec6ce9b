/* Opens and closes a sweep with its database and folder. */
#include "sweep/open_sweep.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/memory.h"

static int find_pending(struct session *session, struct error *err)
{
    size_t n = session->sweep->n_cells;
    struct sweep_outcome *outcomes = memory_new(n, sizeof *outcomes);
    int result = database_read(&session->database, session->sweep, outcomes, err);

    session->pending = memory_new(n, sizeof *session->pending);
    for (size_t i = 0; i < n && result == 0; i++)
        if (outcomes[i].status != SWEEP_OK)
            session->pending[session->n_pending++] = i + 1;
    session->n_cells_done = n - session->n_pending;
    free(outcomes);
    return result;
}

int session_init(struct session *session, struct sweep *sweep, const struct sweep_options *options,
                 struct error *err)
{
    size_t taken = 0;

    *session = (struct session){.sweep = sweep,
                                .options = options,
                                .keep = grid_keep(sweep, options),
                                .folder = {.lock = -1}};
    if (!options->results)
        return error_set(err, EINVAL, "no results file given");
    if (grid_find_digests(sweep, session->keep, err) < 0)
        return -1;
    session->computed = memory_new(sweep->n_cells, sizeof *session->computed);
    if (folder_init(&session->folder, options->results, err) < 0 ||
        folder_lock(&session->folder, err) < 0 ||
        database_init(&session->database, sweep, options, err) < 0)
        return -1;
    if (!options->again &&
        database_collect(&session->database, sweep, &session->folder, &taken, err) < 0)
        return -1;
    return find_pending(session, err);
}

int session_take(struct session *session, size_t cell, struct error *err)
{
    int taken = database_take(&session->database, session->sweep, cell, &session->folder, err);

    if (taken > 0)
        session->computed[cell - 1] = true;
    return taken;
}

int session_finish(struct session *session, struct sweep_outcome *outcomes, struct error *err)
{
    size_t n = session->sweep->n_cells;
    bool opened = session->pending != NULL, complete = opened;
    struct sweep_outcome *all = memory_new(n, sizeof *all);
    int saved = errno, result = 0;

    if (opened)
        result = database_read(&session->database, session->sweep, all, err);
    for (size_t i = 0; i < n; i++) {
        all[i].computed = opened && session->computed[i];
        complete = complete && all[i].status != SWEEP_MISSING;
        if (outcomes)
            outcomes[i] = all[i];
    }
    database_finish(&session->database);
    if (complete)
        folder_remove(&session->folder);
    /* The folder is only removed if it is empty. */
    if (!complete && session->folder.lock >= 0) {
        char *lock = folder_name(&session->folder, "lock");

        unlink(lock);
        rmdir(session->folder.path);
        free(lock);
    }
    folder_finish(&session->folder);
    free(session->pending);
    free(session->computed);
    free(all);
    errno = saved;
    return result;
}

void session_tell(const struct session *session, size_t n_finished, double done, int64_t begun)
{
    struct sweep_progress progress = {
        .finished = session->n_cells_done + n_finished,
        .cells = session->sweep->n_cells,
        .done = done,
        .seconds_left = -1,
    };

    if (!session->options->progress)
        return;
    /* The first percent is not representative. */
    if (done > 0.01 || (n_finished > 0 && done > 0))
        progress.seconds_left =
            1e-6 * (double)(clock_microseconds(CLOCK_MONOTONIC) - begun) * (1 - done) / done;
    session->options->progress(session->options->context, &progress);
}
