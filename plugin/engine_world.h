/* engine_world.h: answers modules' queries in a simulation, from the engine. */
#pragma once

#include "core/engine.h"
#include "plugin/policy_host.h"

/* Lets the engine, which must outlive all queries, answer modules' queries about time, hosts and
 * leases, but not about the past. Hosts have no attributes. start: the local time at time 0, as
 * seconds since 1970; INSTANT_NONE: unknown. */
void engine_world_set(struct policy_host *host, struct engine *engine, int64_t start);
