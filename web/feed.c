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
#include "util/clock.h"
#include "util/memory.h"

enum { ASK_TIMEOUT = 10000 }; /* milliseconds */

struct feed {
    struct galernad *galernad;
    pthread_t watcher;
    bool watching; /* the thread runs */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signals changes of the following members */
    bool stopped;
    int64_t state;              /* galernad's count of changes; -1: it does not answer */
    uint64_t number;            /* of the last event */
    struct listener *listeners; /* the newest one first */
    unsigned n_listeners;       /* without those that have been replaced */
};

struct listener {
    struct feed *feed;
    char *who;
    bool replaced;
    uint64_t seen;
    struct listener *next;
};

/* Waits until something changes; false when the time, in milliseconds of CLOCK_MONOTONIC, is over.
 * Call it with the lock held. */
static bool wait_some(struct feed *feed, int64_t until)
{
    struct timespec end = {until / 1000, until % 1000 * 1000000};

    return pthread_cond_timedwait(&feed->changed, &feed->lock, &end) == 0;
}

/* Waits until the time is over or the feed is stopped. Call it with the lock held. */
static void pause_for(struct feed *feed, int pause)
{
    int64_t until = clock_milliseconds(CLOCK_MONOTONIC) + pause;

    while (!feed->stopped && wait_some(feed, until))
        ;
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

static unsigned listeners_of(const struct feed *feed, const char *who)
{
    unsigned n = 0;

    for (const struct listener *one = feed->listeners; one; one = one->next)
        n += !one->replaced && strcmp(one->who, who) == 0;
    return n;
}

/* The oldest listener of the user with the most; NULL: there are none. */
static struct listener *oldest_of_busiest(const struct feed *feed)
{
    struct listener *found = NULL;
    unsigned most = 0;

    for (struct listener *one = feed->listeners; one; one = one->next) {
        unsigned n = one->replaced ? 0 : listeners_of(feed, one->who);

        if (n > 0 && n >= most) {
            most = n;
            found = one;
        }
    }
    return found;
}

/* Users must not lock others out by holding streams open. */
static bool make_room(struct feed *feed, const char *who)
{
    struct listener *oldest;

    if (feed->n_listeners < FEED_LISTENERS)
        return true;
    oldest = oldest_of_busiest(feed);
    if (!oldest || listeners_of(feed, who) + 1 >= listeners_of(feed, oldest->who))
        return false;
    oldest->replaced = true;
    feed->n_listeners--;
    return true;
}

struct listener *feed_listen(struct feed *feed, const char *who)
{
    struct listener *listener = NULL;

    pthread_mutex_lock(&feed->lock);
    if (make_room(feed, who)) {
        feed->n_listeners++;
        listener = memory_new(1, sizeof *listener);
        listener->feed = feed;
        listener->who = memory_text(who);
        listener->seen = feed->number;
        listener->next = feed->listeners;
        feed->listeners = listener;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
    return listener;
}

void feed_leave(struct listener *listener)
{
    struct feed *feed = listener->feed;
    struct listener **place = &feed->listeners;

    pthread_mutex_lock(&feed->lock);
    while (*place != listener)
        place = &(*place)->next;
    *place = listener->next;
    feed->n_listeners -= !listener->replaced;
    pthread_mutex_unlock(&feed->lock);
    free(listener->who);
    free(listener);
}

static bool is_over(const struct listener *listener)
{
    return listener->replaced || listener->feed->stopped;
}

size_t feed_read(struct listener *listener, char *text, size_t size)
{
    struct feed *feed = listener->feed;
    int64_t until = clock_milliseconds(CLOCK_MONOTONIC) + FEED_SILENCE;
    int n = 0;

    pthread_mutex_lock(&feed->lock);
    while (!is_over(listener) && listener->seen == feed->number && wait_some(feed, until))
        ;
    if (!is_over(listener) && listener->seen == feed->number)
        n = snprintf(text, size, ": silence\n\n");
    else if (!is_over(listener))
        n = snprintf(text, size, "event: change\ndata: %" PRIu64 "\n\n", feed->number);
    listener->seen = feed->number;
    pthread_mutex_unlock(&feed->lock);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
