/* kept_answers.h: galernad's answers, kept for those who ask the same.
 *
 * Pages and programs ask the same many times a second. An answer is given again in the same second
 * until galernad's number of changes (daemon/control/change_page.h) is another one: galernad is not
 * woken for it. Thread-safe.
 */
#pragma once

#include <stdint.h>

struct kept_answers; /* opaque */

struct kept_answers *kept_answers_create(const char *socket); /* must outlive the result */
void kept_answers_destroy(struct kept_answers *kept);         /* NULL is allowed */

/* A copy of the answer to this question, to be freed; or NULL, and *state is what to keep the
 * answer of galernad with. */
char *kept_answers_find(struct kept_answers *kept, const char *question, uint64_t *state);
/* Takes the question. The answer is dropped if something has changed since it was asked. */
void kept_answers_keep(struct kept_answers *kept, char *question, const char *answer,
                       uint64_t state);
