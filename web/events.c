#include "web/events.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/control/control.h"
#include "util/memory.h"

enum { ASK_TIMEOUT = 10000, MILLISECONDS = 1000, NANOSECONDS = 1000000 };

struct events {
    const char *socket;
    pthread_t watcher;
    bool watching; /* the thread runs */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* what follows */
    bool stopped;
    int64_t state;   /* galernad's count of changes; -1: it does not answer */
    uint64_t number; /* of the last event */
    unsigned n_listeners;
};

struct listener {
    struct events *events;
    uint64_t seen;
};

/* Under the lock; until something changes, or the time is over. */
static void wait_some(struct events *events, int milliseconds)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / MILLISECONDS;
    until.tv_nsec += (long)(milliseconds % MILLISECONDS) * NANOSECONDS;
    if (until.tv_nsec >= MILLISECONDS * (long)NANOSECONDS) {
        until.tv_nsec -= MILLISECONDS * (long)NANOSECONDS;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&events->changed, &events->lock, &until);
}

static int64_t ask_state(const char *socket)
{
    json_t *request = json_pack("{s:s}", "command", "status");
    json_t *answer = control_ask(socket, request, ASK_TIMEOUT, NULL);
    const json_t *changes = json_object_get(answer, "changes");
    int64_t state = json_is_integer(changes) ? json_integer_value(changes) : -1;

    json_decref(request);
    json_decref(answer);
    return state;
}

static void *watch(void *context)
{
    struct events *events = context;

    pthread_mutex_lock(&events->lock);
    while (!events->stopped) {
        int64_t state;

        if (events->n_listeners == 0) {
            pthread_cond_wait(&events->changed, &events->lock);
            continue;
        }
        pthread_mutex_unlock(&events->lock);
        state = ask_state(events->socket);
        pthread_mutex_lock(&events->lock);
        if (state != events->state) {
            events->state = state;
            events->number++;
            pthread_cond_broadcast(&events->changed);
        }
        if (!events->stopped)
            wait_some(events, EVENTS_INTERVAL);
    }
    pthread_mutex_unlock(&events->lock);
    return NULL;
}

struct events *events_create(const char *socket, struct error *err)
{
    struct events *events = memory_new(1, sizeof *events);
    pthread_condattr_t clock;
    int failed;

    events->socket = socket;
    events->state = -1;
    pthread_mutex_init(&events->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&events->changed, &clock);
    pthread_condattr_destroy(&clock);
    failed = pthread_create(&events->watcher, NULL, watch, events);
    if (!failed) {
        events->watching = true;
        return events;
    }
    error_set(err, failed, "cannot start a thread: %s", strerror(failed));
    events_destroy(events);
    return NULL;
}

void events_stop(struct events *events)
{
    pthread_mutex_lock(&events->lock);
    events->stopped = true;
    pthread_cond_broadcast(&events->changed);
    pthread_mutex_unlock(&events->lock);
}

void events_destroy(struct events *events)
{
    if (!events)
        return;
    events_stop(events);
    if (events->watching)
        pthread_join(events->watcher, NULL);
    pthread_cond_destroy(&events->changed);
    pthread_mutex_destroy(&events->lock);
    free(events);
}

struct listener *events_listen(struct events *events)
{
    struct listener *listener = NULL;

    pthread_mutex_lock(&events->lock);
    if (events->n_listeners < EVENTS_LISTENERS) {
        events->n_listeners++;
        listener = memory_new(1, sizeof *listener);
        listener->events = events;
        listener->seen = events->number;
        pthread_cond_broadcast(&events->changed);
    }
    pthread_mutex_unlock(&events->lock);
    return listener;
}

void events_leave(struct listener *listener)
{
    pthread_mutex_lock(&listener->events->lock);
    listener->events->n_listeners--;
    pthread_mutex_unlock(&listener->events->lock);
    free(listener);
}

static int64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / NANOSECONDS;
}

size_t events_read(struct listener *listener, char *text, size_t size)
{
    struct events *events = listener->events;
    int64_t until = milliseconds() + EVENTS_SILENCE, left;
    int n = 0;

    pthread_mutex_lock(&events->lock);
    while (!events->stopped && listener->seen == events->number &&
           (left = until - milliseconds()) > 0)
        wait_some(events, (int)left);
    if (!events->stopped && listener->seen == events->number)
        n = snprintf(text, size, ": silence\n\n");
    else if (!events->stopped)
        n = snprintf(text, size, "event: change\ndata: %" PRIu64 "\n\n", events->number);
    listener->seen = events->number;
    pthread_mutex_unlock(&events->lock);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
