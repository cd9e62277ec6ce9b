/* notices.h: notices about leases: made from new lines of the history, kept in the store until they
 * are handed over.
 *
 * A notice is written with the line of the history that it is about, in the same transaction, once
 * for each receiver. That it is being handed over is written before a process begins to do so: if
 * galernad is ended in between, the notice may have arrived, and is dropped. So each receiver gets
 * it at most once, and exactly once unless something fails. What was certainly not handed over is
 * tried again after a pause. At most 10,000 notices wait; further ones are dropped, with a line in
 * the log. galernad waits for processes only when it ends.
 *
 * Only the galernad that acts gives notice. What happens after its oned has become the leader and
 * before this galernad may act is told once it acts; the galernad that acted before may have told
 * the same.
 */
#pragma once

#include <stdint.h>

struct daemon;
struct notices; /* opaque */
struct pollfd;

enum { NOTICES_FDS = 4 };

/* Takes over what the store has. The daemon's store must outlive the result. */
struct notices *notices_create(struct daemon *daemon);
/* Waits up to 5 seconds for processes that hand notices over; their results are not committed. NULL
 * is allowed. */
void notices_end(struct notices *notices);
void notices_destroy(struct notices *notices); /* NULL is allowed */

/* Before each commit: adds the notices about what has come into the history since the last one.
 * NULL is allowed. */
void notices_keep(struct notices *notices);

unsigned notices_waitfds(const struct notices *notices, struct pollfd *fds);
/* When notices_serve() is due, seconds since 1970; INSTANT_NEVER. */
int64_t notices_next_time(const struct notices *notices);
/* Begins to hand over what is due, and notes what came of it; commits. */
void notices_serve(struct notices *notices);
