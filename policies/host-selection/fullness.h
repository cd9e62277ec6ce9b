/* fullness.h: the use of a host with one more VM, for pack and spread. */
#pragma once

#include <string.h>

#include "galerna_policy.h"

/* The mean of the shares of CPU and memory in use at the batch's time, including the lease's first
 * VM, 0 to 1. Resources with capacity 0 are ignored. */
static inline double fullness(const struct galerna_host *host,
                              const struct galerna_host_batch *batch, size_t i)
{
    const int64_t *capacity = galerna_capacity(batch, i);
    const int64_t *free_amounts = batch->free + i * batch->n_types;
    double sum = 0;
    int counted = 0;

    for (uint32_t type = GALERNA_CPU; type <= GALERNA_MEMORY; type++) {
        int64_t used =
            capacity[type] - free_amounts[type] + host->lease_amount(batch->lease, 0, type);

        if (capacity[type] <= 0)
            continue;
        sum += used < 0 ? 0 : used > capacity[type] ? 1 : (double)used / (double)capacity[type];
        counted++;
    }
    return counted ? sum / counted : 0;
}

/* A share as a score. */
static inline int64_t fullness_score(double share)
{
    return (int64_t)(share * (double)GALERNA_SCORE_MAX);
}

/* create() for a policy whose only state is the host. */
static inline enum galerna_verdict remember_host(const struct galerna_host *host,
                                                 const union galerna_value *values, void **self,
                                                 struct galerna_result *result)
{
    (void)values, (void)result;
    memcpy(self, &host, sizeof host); /* host is const, *self is not */
    return GALERNA_OK;
}
