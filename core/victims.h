/* victims.h: chooses victims among the leases that may make room (candidates.h); victim_sets.c: the
 * test for policies that choose a set. */
#pragma once

#include "core/candidates.h"
#include "core/mapper.h"

/* --- victim_sets.c --- */

/* Lets the policy choose a set, takes the set out of the slot table and maps the request. O(change
 * points of the interval), plus the policy's tests (victim_room.h). */
bool victims_by_choice(struct engine *engine, const struct map_request *request,
                       const struct victims *victims, const struct host_snapshot *snapshot,
                       struct mapping *mapping);

/* --- victims.c --- */

/* Maps with as many leases preempted as the policy and the room require. */
bool map_with_victims(struct engine *engine, const struct map_request *request,
                      struct mapping *mapping);
