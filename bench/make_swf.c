/* make_swf.c: a made-up job log in the Standard Workload Format, on standard output.
 *
 *   bench-make-swf JOBS NODES UTILIZATION [SEED]
 *
 * Jobs arrive at random (exponential gaps) so that they would fill UTILIZATION (0 ... 1) of NODES
 * one-processor nodes. Sizes are small powers of two, run times log-normal (median 20 minutes, 10 s
 * to one day), requested times one to four times the run time, rounded up to 5 minutes. The same
 * arguments give the same log.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RUN_TIME_MEDIAN = 1200,
    RUN_TIME_LEAST = 10,
    RUN_TIME_MOST = 86400,
    REQUEST_STEP = 300,
};

struct job {
    int64_t run_time;
    int64_t requested;
    int64_t nodes;
    double gap; /* before it, in units of the mean gap */
};

struct log_shape {
    int64_t jobs;
    int64_t nodes;
    double utilization;
    uint64_t seed;
};

/* 32 random bits: the upper half of a linear congruential sequence with Knuth's constants. */
static uint32_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* In (0, 1). */
static double random_unit(uint64_t *state)
{
    return ((double)random_next(state) + 0.5) / 4294967296.0;
}

static double random_normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(random_unit(state)));

    return radius * cos(2 * acos(-1) * random_unit(state));
}

/* Half of the jobs ask for one node, a quarter for two, and so on up to a quarter of the site. */
static int64_t random_nodes(uint64_t *state, int64_t site)
{
    int64_t nodes = 1;

    while (nodes * 8 <= site && random_next(state) >> 31)
        nodes *= 2;
    return nodes;
}

static struct job random_job(uint64_t *state, int64_t site)
{
    struct job job;
    double seconds = RUN_TIME_MEDIAN * exp(1.6 * random_normal(state));

    seconds = fmin(fmax(seconds, RUN_TIME_LEAST), RUN_TIME_MOST);
    job.run_time = (int64_t)seconds;
    job.requested = (int64_t)(seconds * (1 + 3 * random_unit(state)));
    job.requested = (job.requested + REQUEST_STEP - 1) / REQUEST_STEP * REQUEST_STEP;
    job.nodes = random_nodes(state, site);
    job.gap = -log(random_unit(state));
    return job;
}

/* Seconds between two arrivals at which the jobs fill the wanted part of the site. */
static double mean_gap(const struct log_shape *shape)
{
    uint64_t state = shape->seed;
    double work = 0;

    for (int64_t i = 0; i < shape->jobs; i++) {
        const struct job job = random_job(&state, shape->nodes);

        work += (double)job.run_time * (double)job.nodes;
    }
    return work / ((double)shape->nodes * shape->utilization * (double)shape->jobs);
}

static void write_log(const struct log_shape *shape, FILE *file)
{
    const double gap = mean_gap(shape);
    uint64_t state = shape->seed;
    double now = 0;

    fprintf(file,
            "; Version: 2.2\n; Computer: made up, %" PRId64
            " nodes, utilization %.2f, seed %" PRIu64 "\n; MaxJobs: %" PRId64
            "\n; MaxNodes: %" PRId64 "\n; MaxProcs: %" PRId64 "\n",
            shape->nodes, shape->utilization, shape->seed, shape->jobs, shape->nodes, shape->nodes);
    for (int64_t i = 1; i <= shape->jobs; i++) {
        const struct job job = random_job(&state, shape->nodes);

        now += gap * job.gap;
        fprintf(file,
                "%" PRId64 " %" PRId64 " -1 %" PRId64 " %" PRId64 " -1 -1 %" PRId64 " %" PRId64
                " -1 1 -1 -1 -1 -1 -1 -1 -1\n",
                i, (int64_t)now, job.run_time, job.nodes, job.nodes, job.requested);
    }
}

static bool read_shape(int argc, char **argv, struct log_shape *shape)
{
    if (argc < 4 || argc > 5)
        return false;
    shape->jobs = strtoll(argv[1], NULL, 10);
    shape->nodes = strtoll(argv[2], NULL, 10);
    shape->utilization = strtod(argv[3], NULL);
    shape->seed = argc == 5 ? strtoull(argv[4], NULL, 10) : 1;
    return shape->jobs > 0 && shape->nodes > 0 && shape->utilization > 0;
}

int main(int argc, char **argv)
{
    struct log_shape shape;

    if (!read_shape(argc, argv, &shape)) {
        fprintf(stderr, "usage: %s JOBS NODES UTILIZATION [SEED]\n", argv[0]);
        return 64;
    }
    write_log(&shape, stdout);
    if (fflush(stdout) == EOF || ferror(stdout)) {
        perror("standard output");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
