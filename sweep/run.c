/* Carries out the cells of a sweep, several at a time in child processes. */
#include <errno.h>
#include <unistd.h>

#include "sweep/cell.h"
#include "sweep/open_sweep.h"
#include "util/clock.h"
#include "util/workers.h"

struct cells {
    struct session *session;
    size_t n_finished;
    int64_t begun; /* clock_microseconds() */
};

static int perform(void *context, size_t i, void *result, volatile double *done, struct error *err)
{
    struct session *session = ((struct cells *)context)->session;
    struct cell_work work = {
        .sweep = session->sweep,
        .cell = session->pending[i],
        .keep = session->keep,
        .folder = &session->folder,
        .stop = session->options->stop,
        .done = done,
    };
    struct sweep_outcome outcome;

    (void)result;
    /* Only the parent holds the lock: if the parent is killed, the next session need not wait for
     * its children, whose files get their names when they are complete. */
    if (session->folder.lock >= 0)
        close(session->folder.lock);
    return cell_perform(&work, &outcome, err);
}

/* Collects the cell's file, or finds out why it is missing. */
static int ended(void *context, size_t i, const void *result, struct error *err)
{
    struct cells *cells = context;
    struct session *session = cells->session;
    size_t cell = session->pending[i];
    int taken;

    if (!result)
        return error_prefix(err, "%s", sweep_name(session->sweep, cell));
    taken = session_take(session, cell, err);
    if (taken == 0)
        return error_set(err, EIO, "%s: the cell left no complete file in %s; was it removed?",
                         sweep_name(session->sweep, cell), session->folder.path);
    cells->n_finished += taken > 0;
    return taken < 0 ? -1 : 0;
}

static void show_progress(void *context, size_t n_ended, double share)
{
    const struct cells *cells = context;

    (void)n_ended;
    session_tell(cells->session, cells->n_finished, share, cells->begun);
}

static int run_pending(struct session *session, struct error *err)
{
    struct cells cells = {.session = session, .begun = clock_microseconds(CLOCK_MONOTONIC)};
    const struct workers workers = {
        .n_pieces = session->n_pending,
        .parallel = session->options->jobs ? session->options->jobs : workers_processors(),
        .context = &cells,
        .perform = perform,
        .ended = ended,
        .progress = show_progress,
        .stop = session->options->stop,
        .in_order = true,
    };
    int result = workers_run(&workers, err);

    if (result < 0 && err && err->code == EINTR)
        return error_set(err, EINTR,
                         "interrupted with %zu of %zu cells done; run the same command again to "
                         "continue",
                         session->n_cells_done + cells.n_finished, session->sweep->n_cells);
    return result;
}

int sweep_run(struct sweep *sweep, const struct sweep_options *options,
              struct sweep_outcome *outcomes, struct error *err)
{
    struct session session;
    int result = session_init(&session, sweep, options, err);

    if (result == 0)
        result = run_pending(&session, err);
    if (session_finish(&session, outcomes, result ? NULL : err) < 0)
        result = -1;
    if (result < 0 && err && err->code)
        errno = err->code;
    return result;
}

int sweep_collect(struct sweep *sweep, const struct sweep_options *options,
                  struct sweep_outcome *outcomes, struct error *err)
{
    struct session session;
    int result = session_init(&session, sweep, options, err);

    if (session_finish(&session, outcomes, result ? NULL : err) < 0)
        result = -1;
    return result;
}
