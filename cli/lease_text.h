/* lease_text.h: texts about a lease in a daemon's answer. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/time_text.h"

/* The start of a lease: "3h12m ago", "now" while it starts, "in 5m10s", "~in 5m10s" for an
 * estimate, "due 8s ago" for an overdue start, "unknown", "-". */
void lease_text_start(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX]);

/* Is the lease about to leave its hosts for another lease? */
bool lease_text_is_to_leave(const json_t *lease);

/* The end of a lease: "in 5m10s", "~in 5m10s" if its start is an estimate, "-" if unknown, not
 * planned, or if the lease will be preempted before. */
void lease_text_end(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX]);

/* A start as a date and relative to now; INSTANT_NEVER is "unknown". */
void lease_text_time(int64_t instant, int64_t now, char local[TIME_TEXT_MAX],
                     char relative[TIME_TEXT_MAX]);

/* Has the lease ended, been refused, or failed? */
bool lease_text_is_over(const json_t *lease);

/* The start of a lease: `began` of a finished one; since when a running one has run without a pause
 * (moves between hosts are none); otherwise the first of `expected`, `was_expected` and `start`;
 * INSTANT_NONE: unknown. now: of the answer; any if it does not run. */
int64_t lease_text_start_time(const json_t *lease, int64_t now);

/* The phase of a lease; "suspended" while it waits because it left its hosts for another lease,
 * "unknown" while OpenNebula cannot monitor one of its VMs. */
const char *lease_text_phase(const json_t *lease);

/* Is the start promised instead of estimated? */
bool lease_text_is_contract(const json_t *lease);

/* "17 (web of anna)". */
void lease_text_name(const json_t *lease, char *text, size_t size);

/* Prints the nearest change that would be accepted, if the answer to a refused change has one. */
void lease_text_alternative(const json_t *answer);

/* Sorts an array of leases: running, reserved by start, the queue in its order, incomplete groups,
 * parked, finished with the newest first. A new reference. */
json_t *lease_text_sorted(const json_t *leases);
