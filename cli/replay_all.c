/* Carries out the runs of a replay: one in this process, several in child processes. */
#include <stdio.h>
#include <string.h>

#include "cli/replay.h"
#include "cli/replay_guard.h"
#include "util/workers.h"

enum { NOT_COMPLETED = -1 };

struct runs {
    const struct replay_plan *plan;
    const struct replay_options *options;
    const volatile sig_atomic_t *stop;
    struct replay_outcome *outcomes;
    struct progress progress;
};

static int perform(void *context, size_t i, void *result, volatile double *done, struct error *err)
{
    const struct runs *runs = context;
    struct replay_control control = {
        .stop = runs->stop,
        .done = done,
        .title = runs->plan->runs[i].title,
        .quiet = true,
        .verbose = runs->options->verbose,
    };

    (void)err;
    replay_run_perform(&runs->plan->runs[i], &control, result);
    return 0;
}

static int ended(void *context, size_t i, const void *result, struct error *err)
{
    struct runs *runs = context;

    if (result) {
        memcpy(&runs->outcomes[i], result, sizeof *runs->outcomes);
        return 0;
    }
    runs->outcomes[i] = (struct replay_outcome){.code = EXIT_FAILED};
    snprintf(runs->outcomes[i].message, sizeof runs->outcomes[i].message, "%s", err->text);
    return 0;
}

static void show_progress(void *context, size_t n_ended, double share)
{
    struct runs *runs = context;
    char what[40];

    snprintf(what, sizeof what, "%zu of %zu runs", n_ended, runs->plan->n_runs);
    progress_show(&runs->progress, share, what);
}

static int run_several(const struct replay_plan *plan, const struct replay_options *options,
                       struct replay_outcome *outcomes, struct error *err)
{
    struct runs runs = {
        .plan = plan, .options = options, .outcomes = outcomes, .stop = replay_guard_catch(false)};
    const struct workers workers = {
        .n_pieces = plan->n_runs,
        .parallel = (size_t)options->parallel,
        .result_size = sizeof *outcomes,
        .context = &runs,
        .perform = perform,
        .ended = ended,
        .progress = show_progress,
        .stop = runs.stop,
        .in_order = true,
    };
    int result;

    for (size_t i = 0; i < plan->n_runs; i++)
        outcomes[i] = (struct replay_outcome){.code = NOT_COMPLETED, .message = "not completed"};
    progress_init(&runs.progress, options->quiet);
    result = workers_run(&workers, err);
    progress_finish(&runs.progress);
    for (size_t i = 0; i < plan->n_runs; i++)
        if (outcomes[i].code == NOT_COMPLETED)
            outcomes[i].code = *runs.stop ? EXIT_INTERRUPTED : EXIT_FAILED;
    return *runs.stop ? 0 : result;
}

int replay_all(const struct replay_plan *plan, const struct replay_options *options,
               struct replay_outcome *outcomes, struct error *err)
{
    struct progress progress;
    struct replay_control control = {
        .progress = &progress,
        .quiet = options->quiet,
        .verbose = options->verbose,
    };

    if (plan->n_runs > 1)
        return run_several(plan, options, outcomes, err);
    control.stop = replay_guard_catch(true);
    control.title = plan->runs[0].title;
    progress_init(&progress, options->quiet);
    replay_run_perform(&plan->runs[0], &control, &outcomes[0]);
    progress_finish(&progress);
    return 0;
}
