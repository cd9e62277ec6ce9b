/* occurrences.h: a series of reservations in one call: galernad is asked for each occurrence in
 * turn. */
#pragma once

#include "web/access.h"

/* Is the request for a lease one for a series (`repeat`)? */
bool series_is_asked(const json_t *asked);

/* The answer, to be released: galernad's own if it is an error before there is any lease. An
 * occurrence that is refused does not keep the others from being asked for; another failure does.
 * NULL with err: EINVAL (what is said of the series does not fit), EAGAIN (galernad does not
 * answer). Takes nothing; changes `asked`. */
json_t *series_ask(const struct access *access, json_t *asked, struct error *err);
