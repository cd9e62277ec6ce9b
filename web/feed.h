/* feed.h: tells open pages that something has changed, as server-sent events.
 *
 * One thread asks galernad for its status every FEED_INTERVAL milliseconds while there are
 * listeners, whatever their number. An event carries nothing but a number; the page then asks for
 * what it shows, with its own rights. Thread-safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "web/galernad.h"

enum {
    FEED_INTERVAL = 1000,
    FEED_SILENCE = 15000, /* milliseconds, after which a comment keeps the connection open */
    FEED_LISTENERS = 32,
};

struct feed; /* opaque */
struct listener;

/* galernad must outlive the result. NULL with err. */
struct feed *feed_create(struct galernad *galernad, struct error *err);
/* Ends the waiting of all listeners: their next read is the end. */
void feed_stop(struct feed *feed);
void feed_destroy(struct feed *feed); /* after all listeners; NULL is allowed */

/* NULL: there are FEED_LISTENERS already. */
struct listener *feed_listen(struct feed *feed);
void feed_leave(struct listener *listener);

/* Waits for the next event or comment, and writes its text. 0: the end. */
size_t feed_read(struct listener *listener, char *text, size_t size);
