/* kept_answers.h: a cache of galernad's answers.
 *
 * Pages and programs repeat their questions. An answer is reused, without waking galernad, until
 * galernad's count of changes (daemon/control/change_page.h) differs, for KEPT_ANSWER_SECONDS at
 * most: some answers change as time passes. A question whose answer depends on the caller names the
 * caller, so no caller gets the answer of another. Bounded: the oldest answers are dropped.
 * Thread-safe.
 */
#pragma once

#include <stdint.h>
#include <time.h>

enum { KEPT_ANSWER_SECONDS = 5 };

struct kept_answers; /* opaque */

struct kept_answers *kept_answers_create(const char *socket); /* must outlive the result */
void kept_answers_destroy(struct kept_answers *kept);         /* NULL is allowed */

/* A copy of the answer to this question, to be freed; now: monotonic seconds. Waits while another
 * thread has asked galernad the same. NULL: there is none; then kept_answers_keep() must follow. */
char *kept_answers_find(struct kept_answers *kept, const char *question, time_t now,
                        uint64_t *state);
/* Keep galernad's answer (NULL: it has failed) to a question, with its state, for which
 * kept_answers_find() returned NULL. Takes ownership of the question. The answer is dropped if
 * something has changed since then. */
void kept_answers_keep(struct kept_answers *kept, char *question, const char *answer,
                       uint64_t state);
