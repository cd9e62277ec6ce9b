/* Notifies open pages of changes. */
#include "web/feed.h"

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

struct feed {
    struct galernad *galernad;
    pthread_t watcher;
    bool watching; /* the thread runs */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signals changes of the following members */
    bool stopped;
    int64_t state;   /* galernad's count of changes; -1: it does not answer */
    uint64_t number; /* of the last event */
    unsigned n_listeners;
};

struct listener {
    struct feed *feed;
    uint64_t seen;
};

static int64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / NANOSECONDS;
}

/* Waits until something changes or the time is over. Call it with the lock held. */
static void wait_some(struct feed *feed, int timeout)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout / MILLISECONDS;
    until.tv_nsec += (long)(timeout % MILLISECONDS) * NANOSECONDS;
    if (until.tv_nsec >= MILLISECONDS * (long)NANOSECONDS) {
        until.tv_nsec -= MILLISECONDS * (long)NANOSECONDS;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&feed->changed, &feed->lock, &until);
}

/* Waits until the time is over or the feed is stopped. Call it with the lock held. */
static void pause_for(struct feed *feed, int pause)
{
    int64_t until = milliseconds() + pause, left;

    while (!feed->stopped && (left = until - milliseconds()) > 0)
        wait_some(feed, (int)left);
}

static int64_t ask_state(struct galernad *galernad)
{
    json_t *request = json_pack("{s:s}", "command", "status");
    char *text = galernad_look(galernad, request, ASK_TIMEOUT, NULL);
    json_t *answer = text ? control_read_answer(text, "its socket", NULL) : NULL;
    const json_t *changes = json_object_get(answer, "changes");
    int64_t state = json_is_integer(changes) ? json_integer_value(changes) : -1;

    json_decref(request);
    json_decref(answer);
    return state;
}

static void *watch(void *context)
{
    struct feed *feed = context;

    pthread_mutex_lock(&feed->lock);
    while (!feed->stopped) {
        int pause = FEED_INTERVAL;
        int64_t state;

        if (feed->n_listeners == 0) {
            pthread_cond_wait(&feed->changed, &feed->lock);
            continue;
        }
        pthread_mutex_unlock(&feed->lock);
        state = ask_state(feed->galernad);
        pthread_mutex_lock(&feed->lock);
        if (state != feed->state) {
            feed->state = state;
            feed->number++;
            pthread_cond_broadcast(&feed->changed);
            pause = FEED_PAUSE;
        }
        pause_for(feed, pause);
    }
    pthread_mutex_unlock(&feed->lock);
    return NULL;
}

struct feed *feed_create(struct galernad *galernad, struct error *err)
{
    struct feed *feed = memory_new(1, sizeof *feed);
    pthread_condattr_t clock;
    int failed;

    feed->galernad = galernad;
    feed->state = -1;
    pthread_mutex_init(&feed->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&feed->changed, &clock);
    pthread_condattr_destroy(&clock);
    failed = pthread_create(&feed->watcher, NULL, watch, feed);
    if (!failed) {
        feed->watching = true;
        return feed;
    }
    error_set(err, failed, "cannot start a thread: %s", strerror(failed));
    feed_destroy(feed);
    return NULL;
}

void feed_stop(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->stopped = true;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

void feed_destroy(struct feed *feed)
{
    if (!feed)
        return;
    feed_stop(feed);
    if (feed->watching)
        pthread_join(feed->watcher, NULL);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->lock);
    free(feed);
}

struct listener *feed_listen(struct feed *feed)
{
    struct listener *listener = NULL;

    pthread_mutex_lock(&feed->lock);
    if (feed->n_listeners < FEED_LISTENERS) {
        feed->n_listeners++;
        listener = memory_new(1, sizeof *listener);
        listener->feed = feed;
        listener->seen = feed->number;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
    return listener;
}

void feed_leave(struct listener *listener)
{
    pthread_mutex_lock(&listener->feed->lock);
    listener->feed->n_listeners--;
    pthread_mutex_unlock(&listener->feed->lock);
    free(listener);
}

size_t feed_read(struct listener *listener, char *text, size_t size)
{
    struct feed *feed = listener->feed;
    int64_t until = milliseconds() + FEED_SILENCE, left;
    int n = 0;

    pthread_mutex_lock(&feed->lock);
    while (!feed->stopped && listener->seen == feed->number && (left = until - milliseconds()) > 0)
        wait_some(feed, (int)left);
    if (!feed->stopped && listener->seen == feed->number)
        n = snprintf(text, size, ": silence\n\n");
    else if (!feed->stopped)
        n = snprintf(text, size, "event: change\ndata: %" PRIu64 "\n\n", feed->number);
    listener->seen = feed->number;
    pthread_mutex_unlock(&feed->lock);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
