/* notices.h: notices about leases: created from new lines of the history, and stored until they are
 * handed over.
 *
 * A notice is written in the same transaction as its line of the history, once for each receiver.
 * The start of handing it over is written before a process begins: if galernad ends in between, the
 * notice may have arrived, and is dropped. So each receiver gets a notice at most once, and exactly
 * once unless an error occurs. A notice that was certainly not handed over is retried after a
 * pause. At most 10,000 notices wait; further ones are dropped, with a line in the log. galernad
 * waits for processes only when it ends.
 *
 * Only the acting galernad gives notice. Events between the election of its oned and the time from
 * which it may act are reported once it acts; the previous galernad may have reported the same
 * events.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct notices; /* opaque */
struct pollfd;

enum { NOTICES_FDS = 4 };

/* Loads the stored notices. The daemon's store must outlive the result. */
struct notices *notices_create(struct daemon *daemon);
/* Waits up to 5 seconds for processes that hand notices over; their results are not committed. NULL
 * is allowed. */
void notices_end(struct notices *notices);
void notices_destroy(struct notices *notices); /* NULL is allowed */

/* To be called before each commit: adds notices about the history's new lines. NULL is allowed. */
void notices_keep(struct notices *notices);

unsigned notices_waitfds(const struct notices *notices, struct pollfd *fds);
/* When notices_mark() is due, seconds since 1970; INSTANT_NEVER. */
int64_t notices_next_time(const struct notices *notices);
/* Records the results of processes that have ended, and that due notices are about to be handed
 * over. True: commit that, then call notices_hand_over(). */
bool notices_mark(struct notices *notices);
/* Begins to hand over the marked notices. failure: why the marks could not be committed; the
 * notices are tried again later. NULL: they were. */
void notices_hand_over(struct notices *notices, const char *failure);
