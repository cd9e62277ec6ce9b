/* The workload models against published and independently computed figures. */
#include "lwf_test.h"

#include <math.h>

#include "lwf/generate_lublin.h"
#include "lwf/generate_math.h"

static void expect_near(double found, double expected, double tolerance, const char *what)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g +- %g", what, found, expected, tolerance);
}

static void functions_are_right(void **state)
{
    for (double x = -700; x < 700; x += 0.37)
        expect_near(generate_exp(x) / exp(x), 1, 1e-15, "exp");
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        expect_near(generate_log(x), log(x), 1e-15 * fabs(log(x)), "log");
    for (double x = 1e-3; x < 2000; x *= 1.1)
        expect_near(generate_log_gamma(x), lgamma(x), 1e-14 * (1 + fabs(lgamma(x))), "lgamma");
    expect_near(generate_power_of_two(5), 32, 0, "2^5");
    expect_near(generate_power_of_two(0.5), sqrt(2), 1e-15, "2^0.5");
    assert_true(generate_exp(-1e9) == 0 && isinf(generate_exp(1e9)));
}

static void gamma_shares_are_right(void **state)
{
    for (double x = 0.01; x < 50; x *= 1.5) {
        expect_near(generate_gamma_share(1, x), 1 - exp(-x), 1e-12, "shape 1");
        expect_near(generate_gamma_share(0.5, x), erf(sqrt(x)), 1e-12, "shape 1/2");
        expect_near(generate_gamma_share(3, x), 1 - exp(-x) * (1 + x + x * x / 2), 1e-12,
                    "shape 3");
    }
    expect_near(generate_gamma_share(700, 700), 0.505, 0.001, "the mean of a large shape");
    assert_true(generate_gamma_share(2, 0) == 0 && generate_gamma_share(2, -1) == 0);
}

static void random_numbers_are_as_ever(void **state)
{
    struct generate_random a, b;

    generate_random_init(&a, 1, 0, 1);
    assert_true(generate_random_bits(&a) == UINT64_C(0x22b4cd1a2d32d5cf));
    generate_random_init(&a, 1, 2, 1);
    generate_random_init(&b, 2, 1, 1);
    assert_true(generate_random_bits(&a) != generate_random_bits(&b));
}

enum distribution { UNIFORM, EXPONENTIAL, NORMAL, GAMMA_SMALL, GAMMA_LARGE, WEIBULL };

static double draw(struct generate_random *random, enum distribution distribution)
{
    switch (distribution) {
    case UNIFORM:
        return generate_random_uniform(random);
    case EXPONENTIAL:
        return generate_random_exponential(random, 5);
    case NORMAL:
        return generate_random_normal(random, 2.73, 6.1);
    case GAMMA_SMALL:
        return generate_random_gamma(random, 0.4, 3);
    case GAMMA_LARGE:
        return generate_random_gamma(random, 312, 0.03);
    case WEIBULL:
        return generate_random_weibull(random, 1.76, 2.11);
    }
    return 0;
}

static void moments_are_right(void **state)
{
    const struct {
        double mean, variance;
    } expected[] = {
        [UNIFORM] = {0.5, 1.0 / 12},
        [EXPONENTIAL] = {5, 25},
        [NORMAL] = {2.73, 6.1 * 6.1},
        [GAMMA_SMALL] = {1.2, 3.6},
        [GAMMA_LARGE] = {9.36, 0.2808},
        [WEIBULL] = {2.11 * tgamma(1 + 1 / 1.76),
                     2.11 * 2.11 * (tgamma(1 + 2 / 1.76) - pow(tgamma(1 + 1 / 1.76), 2))},
    };
    enum { N = 200000 };

    for (int d = UNIFORM; d <= WEIBULL; d++) {
        struct generate_random random;
        double sum = 0, squares = 0, mean, variance = expected[d].variance;

        generate_random_init(&random, 7, (uint64_t)d, 0);
        for (int i = 0; i < N; i++) {
            double x = draw(&random, (enum distribution)d);

            sum += x;
            squares += x * x;
        }
        mean = sum / N;
        expect_near(mean, expected[d].mean, 4 * sqrt(variance / N), "mean");
        expect_near(squares / N - mean * mean, variance, 0.03 * variance, "variance");
    }
}

static void daily_weights_are_those_published(void **state)
{
    static const struct {
        int bucket;
        double weight;
    } expected[] = {{0, .5078}, {1, .4561},  {2, .4085},   {3, .3649},
                    {9, .1758}, {10, .1649}, {27, 1.8331}, {47, .5637}};
    struct generate_random random;
    struct lublin lublin;
    double sum = 0;

    generate_random_init(&random, 1, 1, 1);
    lublin_init(&lublin, &lublin_typeless, 1, &random);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_near(lublin.kind[0].weights[expected[i].bucket], expected[i].weight, 5.1e-5,
                    "weight");
    for (int i = 0; i < LUBLIN_BUCKETS; i++)
        sum += lublin.kind[0].weights[i];
    expect_near(sum, LUBLIN_BUCKETS, 1e-9, "sum of weights");
}

enum { JOBS = 300000, SIZES = 129 };

struct figures {
    double serial, power_of_two, vms, log_mean, log_deviation, gap;
    double sizes[SIZES];
};

static void take_figures(struct figures *figures, const struct lublin_parameters *parameters)
{
    struct generate_random random;
    struct lublin lublin;
    struct lublin_job job;
    double logs = 0, squares = 0, first = 0;

    memset(figures, 0, sizeof *figures);
    generate_random_init(&random, 1, 1, 1);
    lublin_init(&lublin, parameters, 1, &random);
    for (int i = 0; i < JOBS; i++) {
        double before = i > 0 ? job.arrival : 0, y;

        lublin_next(&lublin, &job);
        assert_true(job.arrival >= before);
        assert_in_range(job.vms, 1, SIZES - 1);
        first = i == 0 ? job.arrival : first;
        figures->serial += job.vms == 1;
        figures->power_of_two += (job.vms & (job.vms - 1)) == 0;
        figures->vms += job.vms;
        figures->sizes[job.vms]++;
        y = log(job.seconds);
        logs += y;
        squares += y * y;
    }
    figures->serial /= JOBS;
    figures->power_of_two /= JOBS;
    figures->vms /= JOBS;
    figures->log_mean = logs / JOBS;
    figures->log_deviation = sqrt(squares / JOBS - figures->log_mean * figures->log_mean);
    figures->gap = (job.arrival - first) / (JOBS - 1);
}

/* An independent implementation gave these over as many jobs. */
static void figures_agree_with_the_reference(void **state)
{
    static const struct {
        const struct lublin_parameters *parameters;
        double serial, power_of_two, vms, log_mean, log_deviation, gap;
    } expected[] = {
        {&lublin_typeless, .245, .869, 12.14, 5.481, 2.937, 913},
        {&lublin_batch, .293, .968, 13.96, 6.942, 2.744, 3547},
        {&lublin_interactive, .155, .845, 8.05, 2.948, 1.651, 621},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct figures found;

        take_figures(&found, expected[i].parameters);
        expect_near(found.serial, expected[i].serial, .005, "serial");
        expect_near(found.power_of_two, expected[i].power_of_two, .005, "powers of two");
        expect_near(found.vms, expected[i].vms, .01 * expected[i].vms, "VMs");
        expect_near(found.vms, lublin_mean_vms(expected[i].parameters), .005 * found.vms,
                    "VMs computed");
        expect_near(found.log_mean, expected[i].log_mean, .02, "ln of run times");
        expect_near(found.log_deviation, expected[i].log_deviation, .02, "their deviation");
        /* Heavy-tailed: the mean of this many gaps is good to a few percent. */
        expect_near(found.gap, expected[i].gap, .05 * expected[i].gap, "gap");
    }
}

/* The share of jobs with exactly 2^k VMs, k = 1 ... 6, that the typeless model has. */
static double share_of_power(int k)
{
    const struct lublin_parameters *p = &lublin_typeless;
    double low = fmax(k - .5, p->size_low), high = fmin(k + .5, p->size_high);
    double first = fmax(0, fmin(high, p->size_middle) - low) / (p->size_middle - p->size_low);
    double second = fmax(0, high - fmax(low, p->size_middle)) / (p->size_high - p->size_middle);

    return p->power_of_two * (p->size_first * first + (1 - p->size_first) * second);
}

/* Sizes that the model makes powers of two, with those that come out so by rounding. */
static double share_of_rounding(int n)
{
    const struct lublin_parameters *p = &lublin_typeless;
    double low = fmax(log2(n - .5), p->size_low), high = fmin(log2(n + .5), p->size_high);
    double first = fmax(0, fmin(high, p->size_middle) - low) / (p->size_middle - p->size_low);
    double second = fmax(0, high - fmax(low, p->size_middle)) / (p->size_high - p->size_middle);

    return (1 - p->serial - p->power_of_two) *
           (p->size_first * first + (1 - p->size_first) * second);
}

static void sizes_pass_a_chi_square_test(void **state)
{
    struct figures found;
    double chi_square = 0, rest = 1, rest_found = 1;
    int classes = 0;

    take_figures(&found, &lublin_typeless);
    for (int n = 1; n < SIZES; n++) {
        double expected = share_of_rounding(n);

        for (int k = 1; k <= 7; k++)
            expected += n == 1 << k ? share_of_power(k) : 0;
        expected += n == 1 ? lublin_typeless.serial : 0;
        if (expected * JOBS < 50)
            continue;
        chi_square += JOBS * pow(found.sizes[n] / JOBS - expected, 2) / expected;
        rest -= expected;
        rest_found -= found.sizes[n] / JOBS;
        classes++;
    }
    expect_near(rest, rest_found, .001, "the other sizes");
    /* With so many classes chi-square is nearly normal: mean n, variance 2 n. */
    assert_in_range(classes, 80, 128);
    expect_near(chi_square, classes, 3 * sqrt(2.0 * classes), "chi-square");
}

static void hours_of_the_day_have_their_shares(void **state)
{
    static const double expected[24] = {2.06, 1.62, 1.27, 1.04, .79,  .86,  1.62, 2.62,
                                        3.79, 4.78, 5.84, 6.75, 7.38, 7.53, 7.62, 7.33,
                                        6.67, 6.21, 5.69, 5.02, 4.38, 3.69, 3.02, 2.42};
    enum { N = 1500000 }; /* gaps are so uneven that fewer jobs tell less */
    struct generate_random random;
    struct lublin lublin;
    struct lublin_job job;
    double hours[24] = {0};

    generate_random_init(&random, 10, 1, 1);
    lublin_init(&lublin, &lublin_typeless, 1, &random);
    for (int i = 0; i < N; i++) {
        lublin_next(&lublin, &job);
        hours[(int)fmod(job.arrival / 3600, 24)] += 100.0 / N;
    }
    for (int hour = 0; hour < 24; hour++) {
        double exact =
            (lublin.kind[0].weights[2 * hour] + lublin.kind[0].weights[2 * hour + 1]) / 0.48;

        expect_near(hours[hour], exact, .15, "share of an hour");
        /* The reference is a sample of fewer jobs, itself up to .23 off the exact share. */
        expect_near(hours[hour], expected[hour], .15 + .15, "share of an hour, both sampled");
    }
}

static void small_systems_have_their_means(void **state)
{
    static const double middle[] = {1.5, 2, 2.5, 3, 3.5},
                        expected[] = {2.90, 3.53, 4.00, 4.88, 5.71};
    struct lublin_parameters p = lublin_typeless;
    double least, most;

    p.size_high = 5;
    for (size_t i = 0; i < 5; i++) {
        p.size_middle = middle[i];
        expect_near(lublin_mean_vms(&p), expected[i], .02, "mean VMs on 32 nodes");
    }
    for (double mean = 3; mean < 10; mean += 0.5) {
        assert_true(lublin_set_mean_vms(&p, mean, &least, &most));
        expect_near(lublin_mean_vms(&p), mean, 1e-6, "mean asked for");
    }
    assert_false(lublin_set_mean_vms(&p, 1, &least, &most));
    assert_false(lublin_set_mean_vms(&p, 11, &least, &most));
    assert_true(least > 1 && least < 3 && most > 10 && most < 11);
}

static void two_kinds_are_merged_by_their_clocks(void **state)
{
    const struct lublin_parameters both[] = {lublin_batch, lublin_interactive};
    struct generate_random random;
    struct lublin lublin;
    struct lublin_job job = {0};
    double batch = 0, last = 0;
    enum { N = 300000 };

    generate_random_init(&random, 3, 1, 1);
    lublin_init(&lublin, both, 2, &random);
    for (int i = 0; i < N; i++) {
        lublin_next(&lublin, &job);
        assert_true(job.arrival >= last);
        last = job.arrival;
        batch += job.kind == 0;
    }
    /* 24.4 batch jobs a day and 139 interactive ones. */
    expect_near(batch / N, 24.4 / (24.4 + 139), .01, "share of batch jobs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_right),
        cmocka_unit_test(gamma_shares_are_right),
        cmocka_unit_test(random_numbers_are_as_ever),
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(daily_weights_are_those_published),
        cmocka_unit_test(figures_agree_with_the_reference),
        cmocka_unit_test(sizes_pass_a_chi_square_test),
        cmocka_unit_test(hours_of_the_day_have_their_shares),
        cmocka_unit_test(small_systems_have_their_means),
        cmocka_unit_test(two_kinds_are_merged_by_their_clocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
