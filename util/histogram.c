/* Counts durations below fixed bounds. */
#include "util/histogram.h"

const int64_t histogram_bounds[HISTOGRAM_BOUNDS] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 180000, 600000, 1800000};

void histogram_add(struct histogram *histogram, int64_t duration)
{
    int i = 0;

    if (duration < 0)
        duration = 0;
    while (i < HISTOGRAM_BOUNDS && duration > histogram_bounds[i])
        i++;
    histogram->counts[i]++;
    histogram->n++;
    histogram->sum += duration;
}
