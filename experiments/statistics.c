/* Means of several seeds, with intervals. */
#include "experiments/statistics.h"

#include <math.h>

double student_quantile(size_t degrees)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    const size_t n = sizeof table / sizeof *table;

    if (degrees <= n)
        return table[degrees > 0 ? degrees - 1 : 0];
    return 1.95996 + 2.3723 / (double)degrees;
}

struct mean_estimate estimate_of(const double *values, size_t n)
{
    struct mean_estimate estimate = {.n = n};
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        estimate.mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - estimate.mean) * (values[i] - estimate.mean);
    if (n > 1)
        estimate.half = student_quantile(n - 1) * sqrt(squares / (double)(n - 1)) / sqrt((double)n);
    return estimate;
}
