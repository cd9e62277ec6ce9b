/* lease_text.h: a lease in a daemon's answer, as people read it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/time_text.h"

/* When it started or will: "3h12m ago", "now" while it is being started, "in 5m10s", "~in 5m10s"
 * for an estimate, "due 8s ago" for an overdue start, "unknown", "-". */
void lease_text_start(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX]);

/* Is it about to leave its hosts for another lease? */
bool lease_text_is_to_leave(const json_t *lease);

/* When it ended or will, as far as is known: "in 5m10s", "~in 5m10s" when its start is an estimate,
 * "-" also for a lease without a planned end, or if the lease will be preempted before. */
void lease_text_end(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX]);

/* A start as a date and relative to now; INSTANT_NEVER is "unknown". */
void lease_text_time(int64_t instant, int64_t now, char local[TIME_TEXT_MAX],
                     char relative[TIME_TEXT_MAX]);

/* Ended, refused or failed? */
bool lease_text_is_over(const json_t *lease);

/* When it starts: `began` of one that is over, `since` of a running one, else `expected`, else
 * `was_expected`, else `start`; INSTANT_NONE when it is not known. */
int64_t lease_text_start_time(const json_t *lease);

/* The phase of a lease; "suspended" while it waits because it left its hosts for another lease,
 * "unknown" while OpenNebula cannot monitor one of its VMs. */
const char *lease_text_phase(const json_t *lease);

/* Is its start promised, not estimated? */
bool lease_text_is_contract(const json_t *lease);

/* "17 (web of anna)". */
void lease_text_name(const json_t *lease, char *text, size_t size);

/* Prints the nearest change that would be accepted, if the answer to a refused change has one. */
void lease_text_alternative(const json_t *answer);

/* Sorts an array of leases: running, reserved by start, the queue in its order, incomplete groups,
 * parked, finished with the newest first. A new reference. */
json_t *lease_text_sorted(const json_t *leases);
