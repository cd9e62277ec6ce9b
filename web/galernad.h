/* galernad.h: requests to galernad, for all threads of galerna-web.
 *
 * Thread-safe. Connections are kept for later requests: connecting costs galernad as much as a
 * short answer.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"

struct galernad; /* opaque */

struct galernad *galernad_create(const char *socket); /* must outlive the result */
void galernad_destroy(struct galernad *galernad);     /* NULL is allowed */

/* As control_ask(). */
json_t *galernad_ask(struct galernad *galernad, const json_t *request, int timeout,
                     struct error *err);
/* The answer to a question that changes nothing, as galernad wrote it, to be freed. An answer of
 * the last seconds to the same question is reused if nothing has changed since (kept_answers.h). */
char *galernad_look(struct galernad *galernad, const json_t *question, int timeout,
                    struct error *err);
