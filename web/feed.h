/* feed.h: notifies open pages of changes, by server-sent events.
 *
 * While there are listeners, one thread looks every FEED_INTERVAL milliseconds whether galernad's
 * status has changed, after an event not before FEED_PAUSE: so all pages, which do not read more
 * often (REFRESH in files/calendar.js), read at the same time, and galernad's answers to the first
 * serve the others (kept_answers.h).
 * An event carries only a number; the page then requests its data with the rights of its own user.
 * Thread-safe.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"
#include "web/galernad.h"

enum {
    FEED_INTERVAL = 1000,
    FEED_PAUSE = 2000,
    FEED_SILENCE = 15000, /* milliseconds after which a comment keeps the connection open */
    FEED_LISTENERS = 32,
};

struct feed; /* opaque */
struct listener;

/* galernad must outlive the result. NULL with err. */
struct feed *feed_create(struct galernad *galernad, struct error *err);
/* Stop all listeners: their next read returns the end. */
void feed_stop(struct feed *feed);
void feed_destroy(struct feed *feed); /* after all listeners; NULL is allowed */

/* who: the user. At FEED_LISTENERS, the user with the most loses the oldest one to a user with
 * fewer. NULL: there are already FEED_LISTENERS, and no such user. */
struct listener *feed_listen(struct feed *feed, const char *who);
void feed_leave(struct listener *listener);

/* Wait for the next event or comment, and write its text. 0: the end. */
size_t feed_read(struct listener *listener, char *text, size_t size);
