/* occurrences.h: a series of reservations in one call, which becomes one request to galernad per
 * occurrence. */
#pragma once

#include "web/access.h"

/* Does the lease request describe a series (`repeat`)? */
bool series_is_asked(const json_t *asked);

/* Request all occurrences. Returns the answer, to be released: galernad's own if it fails before
 * there is any lease. After a refused occurrence the next one follows; any other failure ends the
 * series. NULL with err: EINVAL (the description of the series is invalid), EAGAIN (galernad does
 * not answer). Changes `asked`, without taking it. */
json_t *series_ask(const struct access *access, json_t *asked, struct error *err);
