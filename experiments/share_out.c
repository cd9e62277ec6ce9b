/* The runs of an experiment, shared out to processes. */
#include <string.h>

#include "experiments/bench.h"
#include "util/workers.h"

struct shared {
    const struct experiment_bench *bench;
    const struct experiment_work *work;
    char *results;
};

static int perform(void *context, size_t i, void *result, volatile double *done, struct error *err)
{
    const struct shared *shared = context;

    (void)done;
    return shared->work->perform(shared->work->context, i, result, err);
}

static int ended(void *context, size_t i, const void *result, struct error *err)
{
    struct shared *shared = context;
    size_t size = shared->work->result_size;

    (void)err; /* says already why there is none */
    if (!result)
        return -1;
    memcpy(shared->results + i * size, result, size);
    return 0;
}

static void show_progress(void *context, size_t n_ended, double share)
{
    const struct shared *shared = context;
    const struct experiment_request *request = shared->bench->request;
    const struct experiment_work *work = shared->work;

    (void)n_ended;
    if (request->progress)
        request->progress(request->context, work->from + share * (work->until - work->from),
                          work->what);
}

int experiment_share_out(const struct experiment_bench *bench, const struct experiment_work *work,
                         void *results, struct error *err)
{
    struct shared shared = {.bench = bench, .work = work, .results = results};
    const struct workers workers = {
        .n_pieces = work->n,
        .parallel = (size_t)bench->parallel,
        .result_size = work->result_size,
        .context = &shared,
        .perform = perform,
        .ended = ended,
        .progress = show_progress,
        .stop = bench->request->stop,
    };

    return workers_run(&workers, err);
}
