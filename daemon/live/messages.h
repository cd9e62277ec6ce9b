/* messages.h: SCHED_MESSAGE on each VM that waits: what it waits for and when it is expected to
 * start. Written only when it changes, and estimates not too often.
 */
#ifndef GALERNA_DAEMON_MESSAGES_H
#define GALERNA_DAEMON_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

struct lease_record;
struct daemon;
struct messages; /* opaque */

struct messages *messages_create(struct daemon *daemon);
void messages_destroy(struct messages *messages); /* NULL is allowed */

/* What the extended forms that came in last say of SCHED_MESSAGE. */
void messages_see(struct messages *messages);

/* Send what has changed, at most a few dozen calls at once. Returns how many could not go yet. */
size_t messages_update(struct messages *messages, int64_t now);

/* The sentence for a lease: what the user reads. No start before `now` (seconds since 1970) is
 * announced in it. */
void message_of(const struct lease_record *lease, int64_t now, char *text, size_t size);

#endif
