/* The job of experiment `gridway` carried out by the scheduler. */
#include "experiments/gridway_replay.h"

#include <math.h>
#include <stdlib.h>

#include "experiments/replaying.h"
#include "experiments/workloads.h"
#include "util/memory.h"

enum { REQUESTS = 4, SCALE = 1000 };

/* The time of the whole job on draco, in the replay's seconds. */
static double on_draco(const struct gridway_job *job)
{
    return job->work * 1000 / 175 * SCALE;
}

struct gridway_run {
    const struct gridway_job *job;
    int iteration;
};

/* Three requests that come first take ursa for good, and solea and columba until the job has done
 * its iterations; only draco has the memory and is free for the job. */
static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    static const int64_t memory[REQUESTS] = {250, 250, 160, 128};
    const struct gridway_run *all = context;
    double span = on_draco(all->job), until = span * all->iteration / all->job->iterations;
    const int64_t free_at = all->iteration > 0 ? llround(until) : 1;
    const int64_t durations[REQUESTS] = {llround(2 * span), free_at, free_at, llround(span)};
    struct trace_list list;

    (void)err; /* this one always opens */
    trace_list_init(&list);
    for (int i = 0; i < REQUESTS; i++) {
        bool is_job = i == REQUESTS - 1;

        generated_add(
            &list,
            &(struct lease_request){.kind = is_job ? LEASE_BEST_EFFORT : LEASE_IMMEDIATE,
                                    .duration = durations[i],
                                    .terms = is_job ? TERMS_MIGRATABLE : TERMS_NON_PREEMPTABLE},
            1, memory[i]);
    }
    return trace_list_open(&list, site);
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct gridway_job *job = context;
    const struct gridway_run all = {job, (int)i};
    double staged = job->spent * 0.4; /* MB: from ursa and cepheus to draco */
    struct replaying replaying = {.open = open_trace, .context = &all};

    replaying_set(
        &replaying,
        "simulation.resources=1,cpu=100,memory=256+1,cpu=100,memory=128+1,cpu=100,memory=160+"
        "1,cpu=100,memory=64+1,cpu=100,memory=256");
    replaying_set(&replaying, "scheduling.policy-host-selection=gridway");
    /* The scheduler looks for better hosts when one becomes free, not in between. */
    replaying_set(&replaying, "scheduling.migration-interval=%.0f", 10 * on_draco(job));
    replaying_set(&replaying, "scheduling.migration-threshold=%.9f", 100 * job->threshold);
    replaying_set(&replaying, "policy gridway.speeds=1:330,2:175,3:225,4:325,5:350");
    replaying_set(&replaying, "policy gridway.bandwidths=5/*:0.2,*/*:0.4");
    replaying_set(&replaying, "policy gridway.work=%.6f", job->work * 1000 * SCALE);
    replaying_set(&replaying, "policy gridway.data=1:%.6f", staged * SCALE);
    replaying_set(&replaying, "policy gridway.restart-data=%.6f",
                  fmax(0, job->data - staged) * SCALE);
    replaying_set(&replaying, "policy gridway.least-memory=128");
    replaying_set(&replaying, "policy gridway.least-free-cpu=90");
    return replaying_perform(&replaying, result, err);
}

int gridway_replay(const struct experiment_bench *bench, const struct gridway_job *job, int *moved,
                   struct error *err)
{
    struct replayed *replayed = memory_new((size_t)job->iterations, sizeof *replayed);
    const struct experiment_work work = {.what = "a job that may move",
                                         .n = (size_t)job->iterations,
                                         .result_size = sizeof *replayed,
                                         .perform = perform,
                                         .context = job,
                                         .until = 1};
    int result = experiment_share_out(bench, &work, replayed, err);

    for (int i = 0; i < job->iterations && result == 0; i++)
        moved[i] = replayed[i].moved_to - 1;
    free(replayed);
    return result;
}
