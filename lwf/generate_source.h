/* generate_source.h: the jobs of one stream, before they become leases; for the generator only. */
#pragma once

#include "lwf/generate.h"
#include "lwf/generate_random.h"

struct generate_job {
    double arrival; /* seconds from the stream's beginning; reservations: their start */
    double vms;
    double seconds; /* of run time */
    bool joined;    /* belongs to the bag of the job before it */
};

struct generate_source {
    const struct generate_stream *stream;
    struct generate_random random;
    union {
        struct lublin lublin;
        struct {
            double clock, slot; /* of the next bag; of the half-hour under way */
            double in_slot, next_in_slot;
            double tasks, seconds; /* of the bag under way; tasks are those still to come */
        } bags;
        double clock;
    };
};

/* `random` is copied. Not for reservations: see generate_reservations(). */
void generate_source_init(struct generate_source *source, const struct generate_stream *stream,
                          const struct generate_random *random);

/* The next job; arrivals never descend. The source never ends. */
void generate_source_next(struct generate_source *source, struct generate_job *job);

/* How many VMs fit on the site, and for how long, in seconds. */
struct generate_room {
    double nodes, horizon;
};

/* Advance reservations that together take exactly the share rho of a room, as far as whole seconds
 * allow. Durations and gaps are drawn, then the gaps are fitted to the horizon. The result is the
 * caller's to free.
 * Errors: EINVAL (a reservation may be larger than the site, too many). */
struct generate_job *generate_reservations(const struct generate_stream *stream,
                                           struct generate_room room,
                                           struct generate_random *random, size_t *n,
                                           struct error *err);
