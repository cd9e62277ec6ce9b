/* Counts requested and refused leases by origin. */
#include "sweep/origins.h"

static void count(struct origins *origins, const struct lease *lease)
{
    origins->requested[lease->request.origin]++;
    if (lease->state == LEASE_REJECTED)
        origins->rejected[lease->request.origin]++;
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    (void)engine;
    (void)now;
    (void)err;
    for (size_t i = 0; i < outputs->n_items; i++)
        if (outputs->items[i].kind == OUTPUT_FINISHED)
            count(context, outputs->items[i].lease);
    return 0;
}

static void count_unfinished(void *context, const struct lease *lease)
{
    if (!lease_state_is_final(lease->state))
        count(context, lease);
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    (void)end_time;
    (void)err;
    engine_each_lease(engine, count_unfinished, context);
    return 0;
}

struct observer origins_observer(struct origins *origins)
{
    return (struct observer){.context = origins, .step = step, .end = end};
}
