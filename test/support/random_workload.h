/* random_workload.h: random traces with random configurations, small and nasty.
 *
 * All kinds of leases, gangs of VMs of different sizes, sites of different hosts, every scheduling
 * option, real durations, priorities, images, cancellations. The same seed gives the same files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { WORKLOAD_LEASES_MAX = 24 };

struct random_workload {
    uint64_t seed;
    bool haizea_1_0;                /* nothing that Haizea 1.0 does not read */
    bool plain;                     /* no images, no cancellations */
    bool skip[WORKLOAD_LEASES_MAX]; /* leave these leases out: to find a smaller failing case */
};

/* How many leases the seed gives, skipped ones included. */
int random_workload_leases(const struct random_workload *workload);

/* Write the trace, and a configuration that names it `tracefile`. -1: the file cannot be written.
 */
int random_workload_write_trace(const struct random_workload *workload, FILE *file);
int random_workload_write_configuration(const struct random_workload *workload,
                                        const char *tracefile, FILE *file);
