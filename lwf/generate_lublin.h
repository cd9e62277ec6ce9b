/* generate_lublin.h: the workload model of Lublin and Feitelson (JPDC 63, 2003).
 *
 * Rigid parallel jobs of a supercomputer: sizes by a two-stage uniform distribution of log2, with
 * serial jobs and powers of two singled out; run times by a hyper-gamma distribution of the
 * logarithm whose mixture depends on the size; arrivals by gamma distributed steps through a cycle
 * of 48 half-hours, starting at midnight.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lwf/generate_random.h"

enum { LUBLIN_BUCKETS = 48 };

/* One kind of job. Gamma distributions are given by shape and scale. */
struct lublin_parameters {
    double serial, power_of_two;             /* shares of all jobs */
    double size_low, size_middle, size_high; /* log2 of VMs */
    double size_first;                       /* share of sizes below size_middle */
    double run_shape_1, run_scale_1;         /* ln of seconds: short runs */
    double run_shape_2, run_scale_2;         /* long runs */
    double run_slope, run_base;  /* share of short runs = run_slope * VMs + run_base, 0 to 1 */
    double gap_shape, gap_scale; /* ln of seconds at average traffic */
    double gap_factor;           /* multiplies gap_shape */
    double day_shape, day_scale; /* arrivals over the day, in half-hours */
};

/* The published parameter sets: for all jobs as one kind, for batch and for interactive jobs. */
extern const struct lublin_parameters lublin_typeless, lublin_batch, lublin_interactive;

struct lublin_job {
    double arrival; /* seconds since midnight of the first day */
    uint32_t vms;   /* 1 or more */
    double seconds; /* run time, not rounded */
    int kind;       /* index of its parameters */
};

/* A stream of jobs of one or two kinds, in the caller's memory; needs no cleanup. */
struct lublin {
    struct generate_random random;
    int kinds;
    struct lublin_kind {
        struct lublin_parameters parameters;
        double weights[LUBLIN_BUCKETS]; /* traffic of each half-hour; their mean is 1 */
        int bucket;
        double points, rest;
        double clock; /* arrival of the next job of this kind */
    } kind[2];
};

/* Two kinds have separate clocks; their jobs are merged in the order of arrival. */
void lublin_init(struct lublin *lublin, const struct lublin_parameters *parameters, int kinds,
                 const struct generate_random *random);

/* The next job. Arrivals do not descend. */
void lublin_next(struct lublin *lublin, struct lublin_job *job);

/* The mean number of VMs with these parameters, computed without drawing. */
double lublin_mean_vms(const struct lublin_parameters *parameters);

/* Sets size_middle, between size_low and size_high, for a mean of `mean` VMs. False: impossible;
 * *least and *most are then the bounds of possible means. */
bool lublin_set_mean_vms(struct lublin_parameters *parameters, double mean, double *least,
                         double *most);
