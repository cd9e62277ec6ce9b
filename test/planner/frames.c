/* Plans for tests, as bytes. */
#include "test/planner/frames.h"

#include "core/host_filter.h"
#include "core/settings.h"

static struct lease_request request_of(const struct test_plan *plan, int64_t id,
                                       struct node_set *set)
{
    *set = (struct node_set){.count = 1};
    set->amounts.of[RESOURCE_CPU] = plan->cpu;
    set->amounts.of[RESOURCE_MEMORY] = 1024;
    return (struct lease_request){.id = id,
                                  .kind = plan->kind,
                                  .submit = plan->now,
                                  .start = INSTANT_NONE,
                                  .deadline = INSTANT_NONE,
                                  .duration_original = 100,
                                  .duration = 100,
                                  .duration_known = SPAN_NONE,
                                  .preemptible = true,
                                  .terms =
                                      plan->looks_for_moves ? TERMS_MIGRATABLE : TERMS_SUSPENDABLE,
                                  .user = -1,
                                  .node_sets = set,
                                  .n_node_sets = 1};
}

static void put_events(struct wire_writer *frame, const struct test_plan *plan)
{
    wire_put(frame, plan->n_events);
    for (int i = 0; i < plan->n_events; i++) {
        struct node_set set;
        struct lease_request request = request_of(plan, 1000000 + i, &set);

        wire_put(frame, POLICY_EVENT_REQUESTED);
        wire_put(frame, plan->now);
        wire_put(frame, -1);
        wire_put(frame, true);
        wire_put(frame, 0);
        wire_put_request(frame, &request, NULL);
    }
}

static void put_site(struct wire_writer *frame, const struct test_plan *plan)
{
    struct engine_settings settings;

    engine_settings_init(&settings);
    if (plan->looks_for_moves) {
        settings.migration = MIGRATION_YES;
        settings.migration_interval = 11;
    }
    wire_put_raw(frame, &settings, sizeof settings);
    wire_put(frame, 0); /* units */
    wire_put(frame, plan->n_hosts);
    for (int i = 0; i < plan->n_hosts; i++) {
        wire_put(frame, i);
        wire_put(frame, false);
        wire_put(frame, 0);  /* cluster */
        wire_put(frame, -1); /* units */
        wire_put(frame, 400);
        wire_put(frame, 8192);
    }
    wire_put(frame, 0); /* booked hosts */
    wire_put(frame, 0); /* usage */
}

/* A column of the hosts' places, and a filter with it as the rank. */
static void put_filter(struct wire_writer *frame, const struct test_plan *plan)
{
    uint64_t allowed = (UINT64_C(1) << (plan->n_hosts - 1)) - 1;

    wire_put(frame, 1);
    for (int i = 0; i < plan->n_hosts; i++) {
        double place = i;

        wire_put_raw(frame, &place, sizeof place);
    }
    wire_put(frame, 1); /* bitmaps */
    wire_align(frame, WIRE_HEADER);
    wire_put_raw(frame, &allowed, sizeof allowed);
    wire_put(frame, 1); /* filters */
    wire_put(frame, 0); /* the bitmap */
    wire_put(frame, true);
    wire_put(frame, 1);
    wire_put(frame, RANK_COLUMN);
    wire_put(frame, 0);
    wire_put(frame, -1); /* added */
    wire_put(frame, -1); /* preferences */
    wire_put(frame, 0);  /* per VM */
}

void test_plan_write(struct wire_writer *frame, const struct test_plan *plan)
{
    const struct set_numbers numbers = {.filter = 0, .demand = -1};

    wire_begin(frame);
    wire_put(frame, FRAME_PLAN);
    wire_put(frame, plan->now);
    wire_put(frame, !plan->goes_on);
    if (!plan->goes_on)
        put_site(frame, plan);
    put_events(frame, plan);
    if (plan->is_ranked) {
        put_filter(frame, plan);
    } else {
        wire_put(frame, 0); /* columns */
        wire_put(frame, 0); /* bitmaps */
        wire_align(frame, WIRE_HEADER);
        wire_put(frame, 0); /* filters */
    }
    wire_put(frame, 0); /* demands */
    if (!plan->goes_on)
        wire_put(frame, 0); /* adoptions */
    wire_put(frame, 1);     /* steps */
    wire_put(frame, plan->n_leases);
    for (int i = 0; i < plan->n_leases; i++) {
        struct node_set set;
        struct lease_request request = request_of(plan, plan->first + i, &set);

        wire_put(frame, false);
        wire_put_request(frame, &request, plan->is_ranked ? &numbers : NULL);
    }
    wire_end(frame);
}
