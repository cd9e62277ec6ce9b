/* Generates streams of advance reservations with a given load. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lwf/generate_source.h"
#include "util/memory.h"

/* A value that differs from the mean by up to `spread`, but is not below 0. */
static double around(struct generate_random *random, double mean, double spread)
{
    spread = fmin(spread, mean);
    return generate_random_between(random, mean - spread, mean + spread);
}

/* Draws sizes and durations up to the given work; the last job is shortened to give exactly that
 * sum. */
static struct generate_job *draw_jobs(const struct generate_stream *stream, double work,
                                      struct generate_random *random, size_t *n)
{
    struct generate_job *jobs = NULL;
    size_t allocated = 0;

    for (*n = 0; work >= 1 && *n < GENERATE_JOBS_MAX; ++*n) {
        double low = ceil(stream->vms.low), high = floor(stream->vms.high);
        double vms = high > low
                         ? low + (double)generate_random_below(random, (uint64_t)(high - low) + 1)
                         : floor(stream->vms.low + 0.5);
        double seconds = fmax(1, floor(around(random, stream->delta, stream->delta_spread) + 0.5));

        if (vms * seconds > work)
            seconds = floor(work / vms + 0.5);
        if (seconds < 1)
            break;
        MEMORY_GROW(jobs, allocated, *n + 1);
        jobs[*n] = (struct generate_job){.vms = vms, .seconds = seconds};
        work -= vms * seconds;
    }
    return jobs ? jobs : memory_new(1, sizeof *jobs);
}

struct generate_job *generate_reservations(const struct generate_stream *stream,
                                           struct generate_room room,
                                           struct generate_random *random, size_t *n,
                                           struct error *err)
{
    struct generate_job *jobs;
    double sum = 0, gap;

    if (stream->vms.high > room.nodes)
        return error_null(err, EINVAL,
                          "reservations of up to %.15g VMs, but the site holds %.15g: set smaller "
                          "vms or a larger site",
                          stream->vms.high, room.nodes);
    jobs = draw_jobs(stream, stream->rho * room.nodes * room.horizon, random, n);
    if (*n == GENERATE_JOBS_MAX) {
        free(jobs);
        return error_null(err, EINVAL,
                          "more than %d reservations: set a larger delta or a smaller rho",
                          GENERATE_JOBS_MAX);
    }
    /* One gap before each reservation, and one after the last. */
    gap = room.horizon / (double)(*n + 1);
    for (size_t i = 0; i < *n; i++)
        jobs[i].arrival = sum += around(random, gap, stream->gap_spread);
    sum += around(random, gap, stream->gap_spread);
    for (size_t i = 0; i < *n; i++)
        jobs[i].arrival *= room.horizon / sum;
    return jobs;
}
