/* metrics_inside.h: shared by the files of the metrics. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "daemon/metrics/metrics.h"
#include "util/histogram.h"

enum { PREEMPTION_KINDS = PREEMPTED_CANCEL + 1 };
enum { EVENT_WORDS_MAX = 96, EVENT_WORD_MAX = 32 };

struct event_count {
    char word[EVENT_WORD_MAX];
    uint64_t n;
};

struct metrics {
    const struct daemon *daemon;
    struct event_count events[EVENT_WORDS_MAX];
    size_t n_events;
    uint64_t preemptions[PREEMPTION_KINDS]; /* by enum preemption_how */
    struct histogram plans;
    uint64_t plans_failed;

    /* The last text of each format, and when it was written (monotonic milliseconds). */
    struct output *texts[2];
    int64_t written[2];
};

struct exposition;

/* --- metrics.c --- */
/* How often leases (or the daemon) had an event with this word in their history. */
uint64_t metrics_events(const struct metrics *metrics, const char *word);
/* Can galernad schedule? False: `reason` says why not. */
bool metrics_ready(const struct daemon *daemon, char *reason, size_t size);

/* --- metrics_families.c --- */
void metrics_write_all(const struct metrics *metrics, struct exposition *exposition);
