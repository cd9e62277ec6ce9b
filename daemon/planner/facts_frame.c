/* Puts the facts of a plan, with the settings and hosts, in a frame for the planner process. */
#include <math.h>
#include <stdlib.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/user_usage.h"

void facts_init(struct facts *facts, const struct planner *planner, int64_t now)
{
    *facts = (struct facts){.planner = planner,
                            .store = planner->store,
                            .drains = planner->settings.drains,
                            .now = now,
                            .leave_by = INSTANT_NONE,
                            .not_before = INSTANT_NONE,
                            .retry = INSTANT_NEVER};
}

void facts_finish(struct facts *facts)
{
    wire_writer_finish(&facts->column_section);
    wire_writer_finish(&facts->bitmap_section);
    wire_writer_finish(&facts->filter_section);
    wire_writer_finish(&facts->demand_section);
    wire_writer_finish(&facts->adoption_section);
    wire_writer_finish(&facts->step_section);
    free(facts->step_leases);
    free(facts->notes);
    free(facts->promised);
    free(facts->suspensions);
    free(facts->together);
}

static void put_settings(const struct planner *planner, struct wire_writer *frame)
{
    const struct engine_settings settings = planner_engine_settings(planner);

    wire_put_raw(frame, &settings, sizeof settings);
}

/* A host that was never monitored is sent without capacity. */
static void put_hosts(const struct facts *facts, struct wire_writer *frame)
{
    const struct snapshot *snapshot = facts->snapshot;
    const struct host_pool *pool = &snapshot->hosts->pool;
    int32_t *units = facts_put_units(facts, frame);

    wire_put(frame, (int64_t)pool->n);
    for (size_t i = 0; i < pool->n; i++) {
        wire_put(frame, pool->items[i].id);
        wire_put(frame, snapshot->closed[i]);
        wire_put(frame, pool->items[i].cluster);
        wire_put(frame, units[i]);
        wire_put(frame, pool->items[i].cpu > 0 ? pool->items[i].cpu : 0);
        wire_put(frame, pool->items[i].memory > 0 ? pool->items[i].memory : 0);
    }
    facts_put_insides(facts, frame);
    free(units);
}

/* Usage for fair share before this plan. */
static void put_usage(const struct facts *facts, struct wire_writer *frame)
{
    const struct fair_share_settings *settings = &facts->planner->settings.engine.fair_share;
    size_t n = 0;
    struct used *all =
        settings->by == FAIR_SHARE_NO ? NULL : usage_now(facts->store, settings, facts->now, &n);

    wire_put(frame, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        wire_put(frame, all[i].uid);
        wire_put(frame, all[i].gid);
        wire_put(frame, llround(all[i].used));
    }
    free(all);
}

static void put_attributes(const struct attributes *attributes, struct map *names,
                           struct wire_writer *hosts)
{
    for (size_t i = 0; i < attributes->n; i++) {
        wire_put(hosts, map_add_text(names, attributes->items[i].name));
        wire_put_text(hosts, attributes->items[i].value);
    }
}

void facts_put_attributes(const struct host_pool *pool, struct wire_writer *frame)
{
    struct wire_writer hosts = {0};
    struct map names;

    map_init(&names, 0);
    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        wire_put_text(&hosts, host->name);
        wire_put(&hosts, (int64_t)(host->attributes.n + host->figures.n));
        put_attributes(&host->attributes, &names, &hosts);
        put_attributes(&host->figures, &names, &hosts);
    }
    wire_put(frame, (int64_t)names.n);
    for (uint32_t i = 0; i < names.n; i++)
        wire_put_text(frame, map_key_bytes(&names, i));
    wire_put(frame, (int64_t)pool->n);
    wire_move(frame, &hosts);
    map_finish(&names);
}

void facts_put(struct facts *facts, bool rebuild, struct wire_writer *frame)
{
    wire_put(frame, facts->now);
    wire_put(frame, rebuild);
    if (rebuild) {
        put_settings(facts->planner, frame);
        put_hosts(facts, frame);
        put_usage(facts, frame);
    }
    wire_put(frame, facts->is_trial ? 0 : (int64_t)facts->planner->n_events);
    if (!facts->is_trial)
        wire_put_all(frame, &facts->planner->events);
    wire_put(frame, (int64_t)facts->n_new_columns);
    wire_move(frame, &facts->column_section);
    wire_put(frame, (int64_t)facts->n_new_bitmaps);
    wire_align(frame, WIRE_HEADER);
    wire_move(frame, &facts->bitmap_section);
    wire_put(frame, (int64_t)facts->n_new_filters);
    wire_move(frame, &facts->filter_section);
    wire_put(frame, (int64_t)facts->n_new_demands);
    wire_move(frame, &facts->demand_section);
    if (rebuild) {
        wire_put(frame, (int64_t)facts->n_adoptions);
        wire_move(frame, &facts->adoption_section);
    }
    wire_put(frame, (int64_t)facts->n_steps);
    wire_move(frame, &facts->step_section);
}
