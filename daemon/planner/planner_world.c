/* What policy modules may ask about the world while the daemon runs. */
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/planner/planner_inside.h"
#include "plugin/policy_host.h"

static int64_t now_there(void *context)
{
    const struct planner *planner = context;

    return planner->engine ? engine_now(planner->engine) : clock_now();
}

static bool free_at(void *context, uint32_t place, int64_t at, int64_t *amounts)
{
    const struct planner *planner = context;
    const struct site *site = planner->engine ? engine_site(planner->engine) : NULL;

    if (!site || place >= site->n_hosts)
        return false;
    if (at < engine_now(planner->engine))
        at = engine_now(planner->engine);
    memset(amounts, 0, RESOURCE_TYPES_MAX * sizeof *amounts);
    for (int type = 0; type < site->types.count; type++)
        amounts[type] = engine_free(planner->engine, place, type, at);
    return true;
}

/* Its place in the engine's site is its place in the pool. */
static const char *host_attribute(void *context, uint32_t place, const char *name)
{
    const struct planner *planner = context;

    if (!planner->hosts || place >= planner->hosts->pool.n)
        return NULL;
    if (strcmp(name, "NAME") == 0)
        return planner->hosts->pool.items[place].name;
    return attributes_find(&planner->hosts->pool.items[place].attributes, name);
}

void planner_world(struct planner *planner, struct policy_world *world)
{
    *world = (struct policy_world){
        .context = planner, .now = now_there, .free_at = free_at, .host_attribute = host_attribute};
}
