/* Tells whether there may be room for a planned lease at an earlier time. */
#include "core/earlier_room.h"

#include <string.h>

#include "core/engine_state.h"
#include "core/placing.h"
#include "util/memory.h"

static struct blocked_hosts *blocked_hosts_of(struct engine *engine, struct lease *lease)
{
    struct blocked_hosts *blocked = lease->plan->planned_blocked;
    size_t passed = 0;

    if (!blocked) {
        blocked = lease->plan->planned_blocked = memory_new(1, sizeof *blocked);
        blocked->least = placing_least_span(engine, lease);
    }
    while (passed < blocked->n && blocked->items[passed].until <= engine->now)
        passed++;
    if (passed) {
        blocked->n -= passed;
        memmove(blocked->items, blocked->items + passed, blocked->n * sizeof *blocked->items);
    }
    return blocked;
}

/* The first entry that may cover `at`, or the last. */
static struct blocked_host *blocked_at(struct blocked_hosts *blocked, int64_t at, size_t *i)
{
    while (*i < blocked->n && blocked->items[*i].until <= at)
        (*i)++;
    if (*i == BLOCKED_KEPT)
        --*i;
    else if (*i == blocked->n)
        blocked->items[blocked->n++] = (struct blocked_host){0};
    return &blocked->items[*i];
}

bool room_check_is_exact(const struct engine *engine, const struct lease *lease)
{
    return !policy_may_preempt(engine->hooks, lease) &&
           !slot_table_was_overbooked(engine->table, RESOURCE_CPU);
}

/* For how long the site's total must suffice: the lease's shortest run, unless victims may make
 * room, or the total is too small because a host is overbooked. */
static int64_t least_span(struct engine *engine, struct lease *lease)
{
    return room_check_is_exact(engine, lease) || engine->binding.late
               ? placing_least_span(engine, lease)
               : 1;
}

bool has_room_before(struct engine *engine, struct lease *lease, int64_t before)
{
    const int64_t cpu = lease_cpu(lease), span = least_span(engine, lease);
    const struct placement *placement = lease_plan_current(lease)->vm->placement;
    int64_t at = slot_table_earliest_free_cpu(engine->table, cpu, engine->now, span, before);
    struct blocked_hosts *blocked;
    size_t i = 0;

    if (!lease_is_suspended(lease))
        return at < before;
    blocked = blocked_hosts_of(engine, lease);
    while (at < before) {
        int64_t from =
            slot_table_placement_free_from(engine->table, placement, (struct interval){at, before},
                                           blocked->least, blocked_at(blocked, at, &i));

        if (from == at)
            from = slot_table_earliest_free_cpu(engine->table, cpu, at, span, before);
        if (from == at)
            return true;
        at = from;
    }
    return false;
}
