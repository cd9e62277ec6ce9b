/* generate.h: made-up workloads.
 *
 * A workload is one or more streams of requests, each written in one line:
 *
 *     MODEL[,KEY=VALUE]...
 *     typeless,jobs=1000,nodes=32,class=local
 *     typeless,jobs=2000,nodes=32,class=cancelable:1+suspendable:1+migratable:1+non-preemptable:1
 *     reservations,rho=0.1,delta=3h,vms=25:48
 *
 * Models: Lublin and Feitelson's (`typeless`, `batch`, `interactive`, and `two-types` for the last
 * two together), `poisson`, `bags` of equal tasks, and advance `reservations`. The classes are
 * those of leases in InterGrid (Amini Salehi, Javadi, Buyya) and a local site's own.
 *
 * The same streams and seed give the same requests everywhere, to the bit.
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
    GENERATE_JOBS_MAX = 5000000, /* in all streams: each takes about 100 bytes of memory */
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

/* A value drawn evenly from low to high; fixed when they are equal. */
struct generate_range {
    double low, high;
};

/* Properties of the leases of a class, unless the stream says otherwise. */
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
    double quiet_shape, quiet_scale; /* Weibull: bags in half an hour out of it */
    double size_shape, size_scale;   /* Weibull: log2 of tasks */
    double run_mean, run_deviation;  /* normal: log2 of seconds */
    bool together;                   /* a bag is one lease, else each task is one */
};

struct generate_stream {
    enum generate_model model;
    double jobs;  /* leases; 0: as many as the span has */
    double span;  /* seconds in which they are asked for (reservations: start); 0: no limit */
    double first; /* seconds from the trace's to the stream's beginning */
    double seed;  /* of this stream; negative: from the workload's */
    struct generate_share classes[GENERATE_CLASSES_MAX];
    size_t n_classes;
    int kind;                    /* enum lease_kind; -1: the class's */
    struct generate_range lead;  /* seconds from request to start, or to the earliest start */
    struct generate_range slack; /* (deadline - earliest start) / duration; 0: no deadline */
    struct generate_range urgent_slack; /* the same for urgent ones */
    double urgent;                      /* share of urgent leases */
    bool slack_of_deadline;             /* leases of other kinds have no deadline */
    double overestimate;                /* requested over real run time, 1 or more */
    double cpu, memory;                 /* of a VM: percent of a processor, MB */
    double users;                       /* user numbers are 1 ... users; 0: none */
    int32_t priority;                   /* in thousandths */
    bool priority_by_vms;               /* priority is the number of VMs */
    double gap_factor, time_factor;     /* multiply arrivals and run times */
    double most_vms, most_time;         /* larger ones are cut; 0: no limit */

    struct lublin_parameters lublin[2];
    double nodes;              /* fit sizes to a system of so many; 0: as published */
    double mean_vms;           /* shift sizes to this mean; 0: no */
    double gap, time;          /* poisson: mean seconds between arrivals, and of a run */
    bool time_fixed;           /* every run takes `time` */
    struct generate_range vms; /* poisson and reservations */
    struct generate_bags bags;
    double rho;                      /* reservations: share of the site's time they take */
    double delta;                    /* their mean duration, seconds */
    double delta_spread, gap_spread; /* durations and gaps vary by so much, up and down */
};

/* Parses a stream's line. Errors: EINVAL names the part that is wrong and what was expected. */
int generate_stream_parse(struct generate_stream *stream, const char *text, struct error *err);

/* Print the models, their keys with defaults, and the classes, for people. */
void generate_print_keys(FILE *file);

struct generate_settings {
    uint64_t seed;
    const struct site *site; /* NULL: none; reservations need one */
    const struct generate_stream *streams;
    size_t n_streams;
    int64_t horizon; /* when the last request of a trace that the streams are added to is made: rho
                        is a share of the site until then or until the streams' own last request */
};

/* A trace of all streams, sorted by submission; at equal times in the order of the streams. The
 * resource types are the site's, or the fixed five. Errors: EINVAL (no streams, no end of a stream,
 * too many leases, reservations without a site or larger than it). */
struct trace *generate_open(const struct generate_settings *settings, struct error *err);
