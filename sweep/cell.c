/* Carries out one cell. */
#include "sweep/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "adapters/simulation/stage.h"
#include "report/results.h"
#include "sweep/database.h"
#include "util/new_file.h"

enum { LOOK_EVERY = 16 }; /* steps between checks of the signals */

/* --- leases by origin ------------------------------------------------------------------------- */

struct origins {
    int64_t *requested, *rejected; /* by enum lease_origin */
};

static void count_origin(struct origins *origins, const struct lease *lease)
{
    origins->requested[lease->request.origin]++;
    if (lease->state == LEASE_REJECTED)
        origins->rejected[lease->request.origin]++;
}

static int origins_step(void *context, const struct engine *engine, int64_t now,
                        const struct engine_outputs *outputs, struct error *err)
{
    (void)engine, (void)now, (void)err;
    for (size_t i = 0; i < outputs->n_items; i++)
        if (outputs->items[i].kind == OUTPUT_FINISHED)
            count_origin(context, outputs->items[i].lease);
    return 0;
}

static void count_unfinished(void *context, const struct lease *lease)
{
    if (!lease_state_is_final(lease->state))
        count_origin(context, lease);
}

static int origins_end(void *context, const struct engine *engine, int64_t end_time,
                       struct error *err)
{
    (void)end_time, (void)err;
    engine_each_lease(engine, count_unfinished, context);
    return 0;
}

/* Counts leases at their end, and unfinished leases at the end of the run. */
static struct observer origins_observer(struct origins *origins)
{
    return (struct observer){.context = origins, .step = origins_step, .end = origins_end};
}

/* --- the replay ------------------------------------------------------------------------------- */

/* An active replay. */
struct replay {
    const struct cell_work *work;
    const struct prepared *prepared;
    struct sweep_outcome *outcome;
    struct stage stage;
    struct accounting *accounting;
    struct results *results; /* NULL: no tables are kept */
    unsigned steps;
    bool interrupted;
};

static bool look(void *context)
{
    struct replay *replay = context;
    const struct cell_work *work = replay->work;

    if (++replay->steps % LOOK_EVERY == 0 && work->done)
        *work->done = trace_progress(replay->stage.trace);
    return work->stop && *work->stop;
}

static void note_ending(void *context, const struct simulation_result *result)
{
    struct replay *replay = context;
    struct sweep_outcome *outcome = replay->outcome;
    enum run_ending ending = result->interrupted      ? ENDING_INTERRUPTED
                             : result->stuck          ? ENDING_STUCK
                             : result->unfinished > 0 ? ENDING_STOPPED
                                                      : ENDING_COMPLETE;

    replay->interrupted = result->interrupted;
    snprintf(outcome->ending, sizeof outcome->ending, "%s",
             ending == ENDING_COMPLETE ? "ok" : run_ending_name(ending));
    if (result->stuck)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64 " lease%s forever: no planned operation frees capacity",
                 result->unfinished, result->unfinished == 1 ? " waits" : "s wait");
    if (replay->results)
        results_set_ending(replay->results, ending);
}

static int open_results(struct replay *replay, const char *path, struct error *err)
{
    const struct cell_work *work = replay->work;
    struct results_options options = {
        .path = path,
        .name = sweep_name(work->sweep, work->cell),
        .settings = &replay->prepared->configuration->settings,
        .accounting = replay->accounting,
        .counters_left_out = work->keep & SWEEP_KEEP_COUNTERS
                                 ? replay->prepared->configuration->counters_left_out
                                 : UINT32_MAX,
    };

    if (work->keep == 0)
        return 0;
    replay->results = results_create(&options, err);
    return replay->results ? 0 : -1;
}

static int run_stage(struct replay *replay, struct error *err)
{
    struct origins origins = {.requested = replay->outcome->requested,
                              .rejected = replay->outcome->rejected};
    struct observer observers[] = {
        accounting_observer(replay->accounting),
        origins_observer(&origins),
        replay->results ? results_observer(replay->results) : (struct observer){0},
    };
    const struct stage_watch watch = {
        .observers = observers,
        .n_observers = replay->results ? 3 : 2,
        .should_stop = look,
        .ending = note_ending,
        .context = replay,
    };
    struct simulation_result result;

    if (stage_run(&replay->stage, &watch, &result, err) < 0)
        return -1;
    accounting_summarize(replay->accounting, &replay->outcome->figures);
    return 0;
}

/* Replays the cell and writes its tables to `path`. */
static int replay_cell(struct replay *replay, const char *path, struct error *err)
{
    const struct stage_options options = {
        .configuration = replay->prepared->configuration,
        .workload = replay->prepared->workload.n_streams ? &replay->prepared->workload : NULL,
    };
    int result = -1;

    replay->accounting = accounting_create(replay->work->keep & SWEEP_KEEP_COUNTERS);
    if (stage_init(&replay->stage, &options, err) == 0 && open_results(replay, path, err) == 0)
        result = run_stage(replay, err);
    results_destroy(replay->results);
    stage_finish(&replay->stage);
    accounting_destroy(replay->accounting);
    return result;
}

static int perform(const struct cell_work *work, const struct prepared *prepared,
                   const char *temporary, struct sweep_outcome *outcome)
{
    struct replay replay = {.work = work, .prepared = prepared, .outcome = outcome};
    struct error failure = {0};

    outcome->status = SWEEP_OK;
    if (replay_cell(&replay, temporary, &failure) < 0) {
        *outcome = (struct sweep_outcome){.status = SWEEP_FAILED, .computed = true};
        snprintf(outcome->ending, sizeof outcome->ending, "failed");
        snprintf(outcome->message, sizeof outcome->message, "%s", failure.text);
        /* The file may be incomplete. */
        unlink(temporary);
    }
    if (replay.interrupted) {
        outcome->status = SWEEP_MISSING;
        errno = EINTR;
        return -1;
    }
    return 0;
}

int cell_perform(const struct cell_work *work, struct sweep_outcome *outcome, struct error *err)
{
    struct prepared prepared;
    char *temporary = NULL, *path = NULL;
    int result = -1;

    *outcome = (struct sweep_outcome){.computed = true};
    if (prepared_init(&prepared, work->sweep, work->cell, work->keep, err) < 0)
        goto end;
    path = folder_cell(work->folder, prepared.digest);
    temporary = new_file_hidden(path, err);
    if (!temporary)
        goto end;
    if (perform(work, &prepared, temporary, outcome) < 0) {
        error_set(err, EINTR, "interrupted");
        goto end;
    }
    if (database_write_cell(temporary, sweep_name(work->sweep, work->cell), prepared.digest,
                            outcome, err) < 0)
        goto end;
    result = new_file_settle(temporary, path, err);

end:
    if (temporary && result < 0)
        unlink(temporary);
    prepared_finish(&prepared);
    free(temporary);
    free(path);
    return result;
}

int sweep_perform(struct sweep *sweep, size_t cell, const struct sweep_options *options,
                  struct sweep_outcome *outcome, struct error *err)
{
    struct folder folder;
    struct cell_work work = {
        .sweep = sweep,
        .cell = cell,
        .keep = grid_keep(sweep, options),
        .folder = &folder,
        .stop = options->stop,
    };
    int result;

    if (cell < 1 || cell > sweep->n_cells)
        return error_set(err, EINVAL, "no cell %zu: the sweep has %zu", cell, sweep->n_cells);
    if (grid_note_all_modules(sweep, err) < 0)
        return -1;
    result = folder_init(&folder, options->results, err);
    if (result == 0)
        result = cell_perform(&work, outcome, err);
    folder_finish(&folder);
    return result;
}
