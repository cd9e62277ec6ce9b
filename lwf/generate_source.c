/* Draws the jobs of one stream. */
#include "lwf/generate_source.h"

#include <math.h>

#include "lwf/generate_math.h"

static const double DAY = 86400, HALF_HOUR = 1800;

static double draw_whole(struct generate_random *random, struct generate_range range)
{
    double low = ceil(range.low), high = floor(range.high);

    if (!(high > low))
        return floor(range.low + 0.5);
    return low + (double)generate_random_below(random, (uint64_t)(high - low) + 1);
}

static void next_of_lublin(struct generate_source *source, struct generate_job *job)
{
    struct lublin_job drawn;

    lublin_next(&source->lublin, &drawn);
    *job =
        (struct generate_job){.arrival = drawn.arrival, .vms = drawn.vms, .seconds = drawn.seconds};
}

static void next_of_poisson(struct generate_source *source, struct generate_job *job)
{
    const struct generate_stream *stream = source->stream;

    source->clock += generate_random_exponential(&source->random, stream->gap);
    *job = (struct generate_job){
        .arrival = source->clock,
        .vms = draw_whole(&source->random, stream->vms),
        .seconds = stream->time_fixed ? stream->time
                                      : generate_random_exponential(&source->random, stream->time),
    };
}

static bool in_peak(const struct generate_bags *bags, double clock)
{
    double time = clock - DAY * floor(clock / DAY);

    return time >= bags->peak_from && time < bags->peak_until;
}

/* The beginning of the next peak after `clock`, which is outside of peaks. */
static double next_peak(const struct generate_bags *bags, double clock)
{
    double midnight = DAY * floor(clock / DAY);

    if (!(bags->peak_from < bags->peak_until))
        return INFINITY;
    return clock - midnight < bags->peak_from ? midnight + bags->peak_from
                                              : midnight + DAY + bags->peak_from;
}

static void draw_slot(struct generate_source *source)
{
    const struct generate_bags *bags = &source->stream->bags;

    source->bags.next_in_slot = 0;
    source->bags.in_slot =
        floor(generate_random_weibull(&source->random, bags->quiet_shape, bags->quiet_scale) + 0.5);
}

/* Outside the peak, the bags of a half-hour arrive at equal intervals. */
static void next_quiet_bag(struct generate_source *source)
{
    const struct generate_bags *bags = &source->stream->bags;

    for (;;) {
        double clock;

        if (in_peak(bags, source->bags.slot)) {
            source->bags.clock =
                source->bags.slot +
                generate_random_weibull(&source->random, bags->peak_shape, bags->peak_scale);
            return;
        }
        clock = source->bags.slot +
                HALF_HOUR * source->bags.next_in_slot / fmax(source->bags.in_slot, 1);
        if (source->bags.next_in_slot < source->bags.in_slot &&
            clock < next_peak(bags, source->bags.slot)) {
            source->bags.next_in_slot++;
            source->bags.clock = clock;
            return;
        }
        source->bags.slot = fmin(source->bags.slot + HALF_HOUR, next_peak(bags, source->bags.slot));
        draw_slot(source);
    }
}

static void next_bag(struct generate_source *source)
{
    const struct generate_bags *bags = &source->stream->bags;
    double exponent;

    if (in_peak(bags, source->bags.slot)) {
        double midnight = DAY * floor(source->bags.slot / DAY);

        source->bags.clock +=
            generate_random_weibull(&source->random, bags->peak_shape, bags->peak_scale);
        if (source->bags.clock >= midnight + bags->peak_until) {
            source->bags.slot = midnight + bags->peak_until;
            draw_slot(source);
        }
    }
    if (!in_peak(bags, source->bags.slot))
        next_quiet_bag(source);
    exponent = generate_random_weibull(&source->random, bags->size_shape, bags->size_scale);
    source->bags.tasks = fmax(1, floor(generate_power_of_two(fmin(exponent, 19)) + 0.5));
    exponent = generate_random_normal(&source->random, bags->run_mean, bags->run_deviation);
    source->bags.seconds = generate_power_of_two(fmin(exponent, 33));
}

static void next_of_bags(struct generate_source *source, struct generate_job *job)
{
    bool joined = source->bags.tasks > 0;

    if (!joined)
        next_bag(source);
    *job = (struct generate_job){
        .arrival = source->bags.clock,
        .vms = source->stream->bags.together ? source->bags.tasks : 1,
        .seconds = source->bags.seconds,
        .joined = joined,
    };
    source->bags.tasks -= job->vms;
}

void generate_source_init(struct generate_source *source, const struct generate_stream *stream,
                          const struct generate_random *random)
{
    *source = (struct generate_source){.stream = stream, .random = *random};
    if (stream->model <= GENERATE_TWO_TYPES)
        lublin_init(&source->lublin, stream->lublin, stream->model == GENERATE_TWO_TYPES ? 2 : 1,
                    random);
    else if (stream->model == GENERATE_BAGS)
        draw_slot(source);
}

void generate_source_next(struct generate_source *source, struct generate_job *job)
{
    if (source->stream->model == GENERATE_POISSON)
        next_of_poisson(source, job);
    else if (source->stream->model == GENERATE_BAGS)
        next_of_bags(source, job);
    else
        next_of_lublin(source, job);
}
