/* Draws jobs by the workload model of Lublin and Feitelson (JPDC 63, 2003). */
#include "lwf/generate_lublin.h"

#include <math.h>

#include "lwf/generate_math.h"

enum {
    BUCKET_SECONDS = 1800,
    DAY_STARTS_AT = 11, /* the half-hour with the least traffic, counted from 1 */
};

/* Larger draws are repeated: no run time above e^12 s, no gap above e^13 s at average traffic. */
static const double LONGEST_RUN = 12, LONGEST_GAP = 13;

const struct lublin_parameters lublin_typeless = {
    .serial = 0.244,
    .power_of_two = 0.576,
    .size_low = 0.8,
    .size_middle = 4.5,
    .size_high = 7,
    .size_first = 0.86,
    .run_shape_1 = 4.2,
    .run_scale_1 = 0.94,
    .run_shape_2 = 312,
    .run_scale_2 = 0.03,
    .run_slope = -0.0054,
    .run_base = 0.78,
    .gap_shape = 10.2303,
    .gap_scale = 0.4871,
    .gap_factor = 1.0225,
    .day_shape = 8.1737,
    .day_scale = 3.9631,
};

const struct lublin_parameters lublin_batch = {
    .serial = 0.2927,
    .power_of_two = 0.6686,
    .size_low = 1.2,
    .size_middle = 5,
    .size_high = 7,
    .size_first = 0.875,
    .run_shape_1 = 6.57,
    .run_scale_1 = 0.823,
    .run_shape_2 = 639.1,
    .run_scale_2 = 0.0156,
    .run_slope = -0.003,
    .run_base = 0.6986,
    .gap_shape = 6.0415,
    .gap_scale = 0.8531,
    .gap_factor = 1.0519,
    .day_shape = 6.1271,
    .day_scale = 5.2740,
};

const struct lublin_parameters lublin_interactive = {
    .serial = 0.1541,
    .power_of_two = 0.625,
    .size_low = 1,
    .size_middle = 3,
    .size_high = 5.5,
    .size_first = 0.705,
    .run_shape_1 = 3.8351,
    .run_scale_1 = 0.6605,
    .run_shape_2 = 7.073,
    .run_scale_2 = 0.6856,
    .run_slope = -0.0118,
    .run_base = 0.9156,
    .gap_shape = 6.5510,
    .gap_scale = 0.6621,
    .gap_factor = 0.9797,
    .day_shape = 8.9186,
    .day_scale = 3.6680,
};

static void set_weights(struct lublin_kind *kind)
{
    double shape = kind->parameters.day_shape, scale = kind->parameters.day_scale;
    double sum = 0;

    for (int i = DAY_STARTS_AT; i < DAY_STARTS_AT + LUBLIN_BUCKETS; i++) {
        double weight = generate_gamma_share(shape, (i + 0.5) / scale) -
                        generate_gamma_share(shape, (i - 0.5) / scale);

        kind->weights[(i - 1) % LUBLIN_BUCKETS] = weight;
        sum += weight;
    }
    for (int i = 0; i < LUBLIN_BUCKETS; i++)
        kind->weights[i] *= LUBLIN_BUCKETS / sum;
}

/* A step is a number of points, which are seconds at average traffic; it continues until the
 * half-hours passed amount to that number. The rest counts for the next step. */
static void advance(struct lublin *lublin, struct lublin_kind *kind)
{
    const struct lublin_parameters *p = &kind->parameters;
    double y, rest, passed = 0;

    do
        y = generate_random_gamma(&lublin->random, p->gap_shape * p->gap_factor, p->gap_scale);
    while (y > LONGEST_GAP);
    kind->points += generate_exp(y) / BUCKET_SECONDS;
    while (kind->points > kind->weights[kind->bucket]) {
        kind->points -= kind->weights[kind->bucket];
        kind->bucket = (kind->bucket + 1) % LUBLIN_BUCKETS;
        passed += BUCKET_SECONDS;
    }
    rest = kind->points / kind->weights[kind->bucket];
    passed += BUCKET_SECONDS * (rest - kind->rest);
    kind->rest = rest;
    kind->clock += passed;
}

void lublin_init(struct lublin *lublin, const struct lublin_parameters *parameters, int kinds,
                 const struct generate_random *random)
{
    *lublin = (struct lublin){.random = *random, .kinds = kinds};
    for (int i = 0; i < kinds; i++) {
        lublin->kind[i].parameters = parameters[i];
        set_weights(&lublin->kind[i]);
        advance(lublin, &lublin->kind[i]);
    }
}

static uint32_t draw_vms(struct generate_random *random, const struct lublin_parameters *p)
{
    double u = generate_random_uniform(random), x;

    if (u <= p->serial)
        return 1;
    if (generate_random_uniform(random) <= p->size_first)
        x = generate_random_between(random, p->size_low, p->size_middle);
    else
        x = generate_random_between(random, p->size_middle, p->size_high);
    if (u <= p->serial + p->power_of_two)
        x = floor(x + 0.5);
    x = floor(generate_power_of_two(x) + 0.5);
    return x < 1 ? 1 : (uint32_t)x;
}

static double draw_seconds(struct generate_random *random, const struct lublin_parameters *p,
                           uint32_t vms)
{
    double share = p->run_slope * vms + p->run_base, y;
    bool is_short = generate_random_uniform(random) <= share; /* below 0: never, above 1: always */

    do
        y = is_short ? generate_random_gamma(random, p->run_shape_1, p->run_scale_1)
                     : generate_random_gamma(random, p->run_shape_2, p->run_scale_2);
    while (y > LONGEST_RUN);
    return generate_exp(y);
}

void lublin_next(struct lublin *lublin, struct lublin_job *job)
{
    /* At equal times, the second kind (interactive jobs) comes first. */
    int i = lublin->kinds == 2 && lublin->kind[1].clock <= lublin->kind[0].clock;
    struct lublin_kind *kind = &lublin->kind[i];

    job->kind = i;
    job->arrival = kind->clock;
    job->vms = draw_vms(&lublin->random, &kind->parameters);
    job->seconds = draw_seconds(&lublin->random, &kind->parameters, job->vms);
    advance(lublin, kind);
}

static double overlap(double low, double high, double from, double until)
{
    double begin = low > from ? low : from, end = high < until ? high : until;

    return end > begin ? end - begin : 0;
}

/* The mean of 2^round(x) for x uniform in [low, high]. */
static double mean_power(double low, double high)
{
    double sum = 0;

    if (!(high > low))
        return generate_power_of_two(floor(low + 0.5));
    for (double k = floor(low + 0.5); k - 0.5 < high; k++)
        sum += generate_power_of_two(k) * overlap(low, high, k - 0.5, k + 0.5);
    return sum / (high - low);
}

/* The mean of round(2^x), 1 at least, for x uniform in [low, high]. */
static double mean_rounded(double low, double high)
{
    static const double LN2 = 0.693147180559945309417;
    double sum = 0, from = low;

    if (!(high > low))
        return fmax(1, floor(generate_power_of_two(low) + 0.5));
    for (double n = fmax(1, floor(generate_power_of_two(low) + 0.5)); from < high; n++) {
        double until = generate_log(n + 0.5) / LN2;

        sum += n * overlap(low, high, from, until);
        from = until;
    }
    return sum / (high - low);
}

double lublin_mean_vms(const struct lublin_parameters *p)
{
    double power = p->size_first * mean_power(p->size_low, p->size_middle) +
                   (1 - p->size_first) * mean_power(p->size_middle, p->size_high);
    double rounded = p->size_first * mean_rounded(p->size_low, p->size_middle) +
                     (1 - p->size_first) * mean_rounded(p->size_middle, p->size_high);

    return p->serial + p->power_of_two * power + (1 - p->serial - p->power_of_two) * rounded;
}

/* The mean is continuous in size_middle and grows with it: both parts of the distribution shift to
 * larger sizes. */
bool lublin_set_mean_vms(struct lublin_parameters *parameters, double mean, double *least,
                         double *most)
{
    struct lublin_parameters tried = *parameters;
    double low = parameters->size_low, high = parameters->size_high;

    tried.size_middle = low;
    *least = lublin_mean_vms(&tried);
    tried.size_middle = high;
    *most = lublin_mean_vms(&tried);
    if (!(mean >= *least && mean <= *most))
        return false;
    for (int i = 0; i < 60; i++) {
        tried.size_middle = (low + high) / 2;
        if (lublin_mean_vms(&tried) < mean)
            low = tried.size_middle;
        else
            high = tried.size_middle;
    }
    parameters->size_middle = high;
    return true;
}
