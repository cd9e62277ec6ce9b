/* Counts what galernad does, and knows whether it can schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/daemon.h"
#include "daemon/metrics/metrics_inside.h"
#include "util/memory.h"
#include "util/output.h"

static void count_preemption(struct metrics *metrics, const struct store_event *event)
{
    static const char *const words[PREEMPTION_KINDS] = {[PREEMPTED_SUSPEND] = "suspending",
                                                        [PREEMPTED_REQUEUE] = "requeued",
                                                        [PREEMPTED_CANCEL] = "gives-way"};
    const struct lease_record *lease = store_lease(metrics->daemon->store, event->lease);

    if (!lease || !store_is_preempted(lease))
        return;
    for (int how = 0; how < PREEMPTION_KINDS; how++)
        metrics->preemptions[how] += strcmp(event->event, words[how]) == 0;
}

static void happened(void *context, const struct store_event *event)
{
    struct metrics *metrics = context;
    size_t i = 0;

    count_preemption(metrics, event);
    while (i < metrics->n_events && strcmp(metrics->events[i].word, event->event) != 0)
        i++;
    if (i == EVENT_WORDS_MAX)
        return;
    if (i == metrics->n_events)
        snprintf(metrics->events[metrics->n_events++].word, EVENT_WORD_MAX, "%s", event->event);
    metrics->events[i].n++;
}

struct metrics *metrics_create(const struct daemon *daemon)
{
    struct metrics *metrics = memory_new(1, sizeof *metrics);

    metrics->daemon = daemon;
    store_listen(daemon->store, happened, metrics);
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    if (!metrics)
        return;
    store_ignore(metrics->daemon->store, metrics);
    output_destroy(metrics->texts[false]);
    output_destroy(metrics->texts[true]);
    free(metrics);
}

void metrics_planned(struct metrics *metrics, int64_t took, bool made)
{
    histogram_add(&metrics->plans, took);
    metrics->plans_failed += !made;
}

uint64_t metrics_events(const struct metrics *metrics, const char *word)
{
    for (size_t i = 0; i < metrics->n_events; i++)
        if (strcmp(metrics->events[i].word, word) == 0)
            return metrics->events[i].n;
    return 0;
}

bool metrics_ready(const struct daemon *daemon, char *reason, size_t size)
{
    struct problem why = {0};

    if (!daemon_is_outdated(daemon, &why) && planner_is_starting(daemon->planner))
        snprintf(why.text, sizeof why.text, "%s", planner_delay(daemon->planner));
    snprintf(reason, size, "%s", why.text);
    return !*reason;
}
