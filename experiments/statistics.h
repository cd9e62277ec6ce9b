/* statistics.h: means of several seeds, with intervals. */
#pragma once

#include <stddef.h>

struct mean_estimate {
    double mean;
    double half; /* of the 95 % interval by Student's t; 0 for fewer than two values */
    size_t n;
};

struct mean_estimate estimate_of(const double *values, size_t n);

/* The 97.5 % quantile of Student's t; degrees >= 1. Three decimals for up to 30 degrees, within
 * 0.01 beyond. */
double student_quantile(size_t degrees);
