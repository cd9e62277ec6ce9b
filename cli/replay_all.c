/* The runs of a replay: one in this process, several in processes of their own. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/replay.h"
#include "util/workers.h"

/* Set by the handler of Ctrl-C; a signal handler can reach nothing else. */
static volatile sig_atomic_t stop_asked;

enum { NOT_COMPLETED = -1 };

struct runs {
    const struct replay_plan *plan;
    struct replay_outcome *outcomes;
    struct progress progress;
};

static void note_stop(int signal_number)
{
    (void)signal_number;
    if (stop_asked < 2)
        stop_asked = stop_asked + 1;
}

/* The first Ctrl-C ends the runs in order. A single run is ended at once by the second one. */
static void catch_signals(int flags)
{
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = flags};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int perform(void *context, size_t i, void *result, volatile double *done, struct error *err)
{
    const struct runs *runs = context;
    struct replay_control control = {
        .stop = &stop_asked,
        .done = done,
        .title = runs->plan->runs[i].title,
        .quiet = true,
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
    struct runs runs = {.plan = plan, .outcomes = outcomes};
    const struct workers workers = {
        .n_pieces = plan->n_runs,
        .parallel = (size_t)options->parallel,
        .result_size = sizeof *outcomes,
        .context = &runs,
        .perform = perform,
        .ended = ended,
        .progress = show_progress,
        .stop = &stop_asked,
        .in_order = true,
    };
    int result;

    for (size_t i = 0; i < plan->n_runs; i++)
        outcomes[i] = (struct replay_outcome){.code = NOT_COMPLETED, .message = "not completed"};
    progress_init(&runs.progress, options->quiet);
    catch_signals(0);
    result = workers_run(&workers, err);
    progress_finish(&runs.progress);
    for (size_t i = 0; i < plan->n_runs; i++)
        if (outcomes[i].code == NOT_COMPLETED)
            outcomes[i].code = stop_asked ? EXIT_INTERRUPTED : EXIT_FAILED;
    return stop_asked ? 0 : result;
}

int replay_all(const struct replay_plan *plan, const struct replay_options *options,
               struct replay_outcome *outcomes, struct error *err)
{
    struct progress progress;
    struct replay_control control = {
        .stop = &stop_asked,
        .progress = &progress,
        .quiet = options->quiet,
    };

    if (plan->n_runs > 1)
        return run_several(plan, options, outcomes, err);
    catch_signals(SA_RESETHAND);
    control.title = plan->runs[0].title;
    progress_init(&progress, options->quiet);
    replay_run_perform(&plan->runs[0], &control, &outcomes[0]);
    progress_finish(&progress);
    return 0;
}
