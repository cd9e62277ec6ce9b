/* events.h: tells open pages that something has changed, as server-sent events.
 *
 * One thread asks galernad for its status every EVENTS_INTERVAL milliseconds while there are
 * listeners, whatever their number. An event carries nothing but a number; the page then asks for
 * what it shows, with its own rights. Thread-safe.
 */
#ifndef GALERNA_WEB_EVENTS_H
#define GALERNA_WEB_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

enum {
    EVENTS_INTERVAL = 1000,
    EVENTS_SILENCE = 15000, /* milliseconds, after which a comment keeps the connection open */
    EVENTS_LISTENERS = 32,
};

struct events; /* opaque */
struct listener;

/* socket: of galernad; must outlive the result. NULL with err. */
struct events *events_create(const char *socket, struct error *err);
/* Ends the waiting of all listeners: their next read is the end. */
void events_stop(struct events *events);
void events_destroy(struct events *events); /* after all listeners; NULL is allowed */

/* NULL: there are EVENTS_LISTENERS already. */
struct listener *events_listen(struct events *events);
void events_leave(struct listener *listener);

/* Waits for the next event or comment, and writes its text. 0: the end. */
size_t events_read(struct listener *listener, char *text, size_t size);

#endif
