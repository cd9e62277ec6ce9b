/* lease_repeat.h: a series of reservations, one lease for each occurrence
 * (doc/decisions/0013-an-occurrence-is-a-lease.md). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct lease_repeat {
    int rule;      /* 0: it does not recur, else enum recurrence + 1 */
    int64_t times; /* 0: not said */
    int64_t until; /* the last start, seconds since 1970; 0: not said */
};

/* Asks for the lease of one occurrence; returns the exit code. */
typedef int lease_repeat_ask(void *context, const json_t *request);

/* 0, or -1 with err: what is said of the series of which `first` is the start (0: none) does not
 * fit. */
int lease_repeat_check(const struct lease_repeat *repeat, int64_t first, struct error *err);

/* Asks for each occurrence in turn with its start and the name of the series, which is made when
 * the request has none. An occurrence that is refused does not keep the others from being asked
 * for; another failure does. Returns EXIT_DONE, EXIT_REFUSED if any was, or that failure. */
int lease_repeat_ask_all(const struct lease_repeat *repeat, int64_t first, const json_t *request,
                         bool json, lease_repeat_ask *ask, void *context);
