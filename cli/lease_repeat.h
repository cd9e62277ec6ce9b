/* lease_repeat.h: a series of reservations, one lease for each occurrence
 * (doc/decisions/0013-an-occurrence-is-a-lease.md). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct lease_repeat {
    int rule;      /* 0: it does not recur, else enum recurrence + 1 */
    int64_t times; /* 0: not given */
    int64_t until; /* the last start, seconds since 1970; 0: not given */
};

/* Requests the lease of one occurrence; returns the exit code. */
typedef int lease_repeat_ask(void *context, const json_t *request);

/* Checks the options of a series that starts at `first` (0: no start). -1 with err: they contradict
 * each other. */
int lease_repeat_check(const struct lease_repeat *repeat, int64_t first, struct error *err);

/* Requests each occurrence in turn with its start and the name of the series, which is generated if
 * the request has none. Continues after a refusal, but not after another failure. Returns
 * EXIT_DONE, EXIT_REFUSED after a refusal, or the exit code of the failure. */
int lease_repeat_ask_all(const struct lease_repeat *repeat, int64_t first, const json_t *request,
                         bool json, lease_repeat_ask *ask, void *context);
