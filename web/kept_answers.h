/* kept_answers.h: a cache of galernad's answers.
 *
 * Pages and programs send the same questions many times a second. An answer is reused within the
 * same second, without waking galernad, until galernad's count of changes
 * (daemon/control/change_page.h) differs. Thread-safe.
 */
#pragma once

#include <stdint.h>

struct kept_answers; /* opaque */

struct kept_answers *kept_answers_create(const char *socket); /* must outlive the result */
void kept_answers_destroy(struct kept_answers *kept);         /* NULL is allowed */

/* A copy of the answer to this question, to be freed. NULL: there is none; then *state must be
 * passed to kept_answers_keep() with galernad's answer. */
char *kept_answers_find(struct kept_answers *kept, const char *question, uint64_t *state);
/* Keep an answer; takes ownership of the question. The answer is dropped if something has changed
 * since kept_answers_find(). */
void kept_answers_keep(struct kept_answers *kept, char *question, const char *answer,
                       uint64_t state);
