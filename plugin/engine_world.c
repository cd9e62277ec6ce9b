/* Answers modules' queries in a simulation, from the engine. */
#include "plugin/engine_world.h"

static int64_t now(void *context)
{
    return engine_now(context);
}

static bool free_at(void *context, uint32_t place, int64_t at, int64_t *amounts)
{
    const struct engine *engine = context;
    const struct site *site = engine_site(engine);

    if (place >= site->n_hosts || at < engine_now(engine))
        return false;
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        amounts[type] = type < site->types.count ? engine_free(engine, place, type, at) : 0;
    return true;
}

static void each_lease(void *context, void (*visit)(void *, const struct lease *), void *visitor)
{
    engine_each_lease(context, visit, visitor);
}

void engine_world_set(struct policy_host *host, struct engine *engine, int64_t start)
{
    const struct policy_world world = {
        .context = engine,
        .now = now,
        .free_at = free_at,
        .each_lease = each_lease,
        .clock = start == INSTANT_NONE ? POLICY_CLOCK_NONE : POLICY_CLOCK_START,
        .start = start,
    };

    policy_host_set_world(host, &world);
}
