/* engine_world.h: the world of a simulation, in which the engine knows what modules may ask. */
#ifndef GALERNA_PLUGIN_ENGINE_WORLD_H
#define GALERNA_PLUGIN_ENGINE_WORLD_H

#include "core/engine.h"
#include "plugin/policy_host.h"

/* What modules ask about time and hosts is answered by the engine, which must outlive the
 * questions; about the past there is no answer. Hosts have no attributes. */
void engine_world_set(struct policy_host *host, struct engine *engine);

#endif
