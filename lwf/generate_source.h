/* generate_source.h: the jobs of one stream, before they become leases; internal. */
#pragma once

#include "lwf/generate.h"
#include "lwf/generate_random.h"

struct generate_job {
    double arrival; /* seconds from the start of the stream; reservations: their start */
    double vms;
    double seconds; /* of run time */
    bool joined;    /* belongs to the bag of the previous job */
};

struct generate_source {
    const struct generate_stream *stream;
    struct generate_random random;
    union {
        struct lublin lublin;
        struct {
            double clock, slot; /* of the next bag; of the current half-hour */
            double in_slot, next_in_slot;
            double tasks, seconds; /* of the current bag; remaining tasks */
        } bags;
        double clock;
    };
};

/* `random` is copied. Not for reservations: see generate_reservations(). */
void generate_source_init(struct generate_source *source, const struct generate_stream *stream,
                          const struct generate_random *random);

/* The next job; arrivals do not descend. A source does not end. */
void generate_source_next(struct generate_source *source, struct generate_job *job);

/* The VMs that fit on the site, and the seconds in which they may run. */
struct generate_room {
    double nodes, horizon;
};

/* Advance reservations that take exactly the share rho of a room, except for rounding to seconds.
 * Durations and gaps are drawn, then the gaps are scaled to the horizon. The caller frees the
 * result. Errors: EINVAL (a reservation may be larger than the site, too many). */
struct generate_job *generate_reservations(const struct generate_stream *stream,
                                           struct generate_room room,
                                           struct generate_random *random, size_t *n,
                                           struct error *err);
