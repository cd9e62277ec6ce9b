/* series.h: the requests of a series of reservations, one for each occurrence
 * (doc/decisions/0013-an-occurrence-is-a-lease.md). For clients of galernad. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "core/lease_terms.h"
#include "util/error.h"
#include "util/recurrence.h"

struct series {
    enum recurrence rule;
    int64_t first; /* start of the first occurrence, seconds since 1970 */
    uint32_t n;    /* number of occurrences */
    term_text name;
};

/* The series ends after `times` occurrences or, if that is 0, at `until`, the latest start. The
 * name comes from the request, or else from the rule and the time. -1 with err (EINVAL): no
 * occurrences, or too many. O(occurrences). */
int series_make(struct series *series, int64_t times, int64_t until, const json_t *request,
                struct error *err);

int64_t series_start(const struct series *series, uint32_t i);

/* The request for occurrence i, with its start and the name of the series; to be released. */
json_t *series_request(const struct series *series, const json_t *request, uint32_t i);
