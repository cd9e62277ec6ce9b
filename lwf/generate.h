/* generate.h: synthetic workloads.
 *
 * A workload consists of streams of requests, each described by one line:
 *
 *     MODEL[,KEY=VALUE]...
 *     typeless,jobs=1000,nodes=32,class=local
 *     typeless,jobs=2000,nodes=32,class=cancelable:1+suspendable:1+migratable:1+non-preemptable:1
 *     reservations,rho=0.1,delta=3h,vms=25:48
 *
 * Models: Lublin and Feitelson's (`typeless`, `batch`, `interactive`, and `two-types` for both of
 * the latter), `poisson`, `bags` of equal tasks, and advance `reservations`. The classes are the
 * lease types of InterGrid (Amini Salehi, Javadi, Buyya) and local requests.
 *
 * The same streams and seed give identical requests on every machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/lease.h"
#include "core/site.h"
#include "lwf/generate_lublin.h"
#include "lwf/trace.h"
#include "util/error.h"

enum {
    GENERATE_CLASSES_MAX = 16, /* in one stream */
    GENERATE_STREAMS_MAX = 256,
    GENERATE_JOBS_MAX = 5000000, /* in all streams; about 100 bytes of memory each */
};

enum generate_model {
    GENERATE_TYPELESS,
    GENERATE_BATCH,
    GENERATE_INTERACTIVE,
    GENERATE_TWO_TYPES,
    GENERATE_POISSON,
    GENERATE_BAGS,
    GENERATE_RESERVATIONS,
    GENERATE_MODELS
};

/* A value drawn uniformly from [low, high]; fixed if both are equal. */
struct generate_range {
    double low, high;
};

/* Properties of the leases of a class, unless the stream overrides them. */
struct generate_class {
    const char *name;
    enum lease_kind kind;
    enum lease_terms terms;
    enum lease_origin origin;
};

struct generate_share {
    const struct generate_class *class;
    double weight;
};

/* Bags of tasks: arrivals, sizes and run times. */
struct generate_bags {
    double peak_from, peak_until;    /* seconds of the day */
    double peak_shape, peak_scale;   /* Weibull: seconds between bags in the peak */
    double quiet_shape, quiet_scale; /* Weibull: bags in half an hour outside the peak */
    double size_shape, size_scale;   /* Weibull: log2 of tasks */
    double run_mean, run_deviation;  /* normal: log2 of seconds */
    bool together;                   /* each bag is one lease; otherwise each task is */
};

struct generate_stream {
    enum generate_model model;
    double jobs;  /* leases; 0: limited by the span only */
    double span;  /* seconds in which they are submitted (reservations: start); 0: no limit */
    double first; /* seconds from the start of the trace to the start of the stream */
    double seed;  /* of this stream; negative: derived from the workload's */
    struct generate_share classes[GENERATE_CLASSES_MAX];
    size_t n_classes;
    int kind;                    /* enum lease_kind; -1: the class's */
    struct generate_range lead;  /* seconds from request to start, or to the earliest start */
    struct generate_range slack; /* (deadline - earliest start) / duration; 0: no deadline */
    struct generate_range urgent_slack; /* of urgent leases */
    double urgent;                      /* share of urgent leases */
    bool slack_of_deadline;             /* only deadline leases have a deadline */
    double overestimate;                /* requested over actual run time, 1 or more */
    double cpu, memory;                 /* of a VM: percent of a processor, MB */
    double users;                       /* user numbers are 1 ... users; 0: none */
    int32_t priority;                   /* in thousandths */
    bool priority_by_vms;               /* the priority is the number of VMs */
    double gap_factor, time_factor;     /* multiply arrivals and run times */
    double most_vms, most_time;         /* larger values are reduced to these; 0: no limit */

    struct lublin_parameters lublin[2];
    double nodes;              /* fit sizes to a system of that many nodes; 0: as published */
    double mean_vms;           /* shift sizes to this mean; 0: as published */
    double gap, time;          /* poisson: mean seconds between arrivals, and of a run */
    bool time_fixed;           /* every run takes `time` */
    struct generate_range vms; /* poisson and reservations */
    struct generate_bags bags;
    double rho;                      /* reservations: their share of the site's time */
    double delta;                    /* their mean duration, seconds */
    double delta_spread, gap_spread; /* variation of durations and gaps, up and down */
};

/* Parses a stream's line. Errors: EINVAL with the wrong part and the expected one. */
int generate_stream_parse(struct generate_stream *stream, const char *text, struct error *err);

/* Prints the models, their keys with defaults, and the classes, as help text. */
void generate_print_keys(FILE *file);

struct generate_settings {
    uint64_t seed;
    const struct site *site; /* NULL: none; reservations need one */
    const struct generate_stream *streams;
    size_t n_streams;
    int64_t horizon; /* the last submission in the trace to which the streams are added: rho is a
                        share of the site until then or until the streams' own last request */
};

/* A trace of all streams, sorted by submission and, at equal times, in the order of the streams.
 * The resource types are the site's, or the fixed five. Errors: EINVAL (no streams, a stream
 * without an end, too many leases, reservations without a site or larger than the site). */
struct trace *generate_open(const struct generate_settings *settings, struct error *err);
