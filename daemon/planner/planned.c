/* The leases in the engine, by their ids. */
#include <stdlib.h>

#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

struct planned *planned_of(const struct map *planned, int64_t lease)
{
    struct planned **found = map_value(planned, map_find(planned, lease));

    return found ? *found : NULL;
}

static void planned_free(struct planned *planned)
{
    if (planned)
        free(planned->vms);
    free(planned);
}

void planned_drop(struct map *planned, int64_t lease)
{
    uint32_t number = map_find(planned, lease);

    if (number == MAP_NONE)
        return;
    planned_free(planned_of(planned, lease));
    map_remove(planned, number);
}

void planned_drop_all(struct map *planned)
{
    for (uint32_t i = 0; i < planned->n; i++)
        planned_free(*(struct planned **)map_value(planned, i));
    map_finish(planned);
    map_init(planned, sizeof(struct planned *));
}

struct planned *planned_add(struct facts *facts, int64_t lease)
{
    struct planned *planned = memory_new(1, sizeof *planned);

    planned_drop(facts->planned, lease);
    planned->end = INSTANT_NONE;
    *(struct planned **)map_value(facts->planned, map_add(facts->planned, lease)) = planned;
    return planned;
}

const struct vm_record *planner_vm(const struct planner *planner, int64_t id, uint32_t vm)
{
    const struct planned *planned = planned_of(&planner->planned, id);
    const struct vm_record *found =
        planned && vm < planned->n_vms ? store_vm(planner->store, planned->vms[vm]) : NULL;

    return found && !found->gone ? found : NULL;
}
