/* Counting whether there is room gives the mapper's answer. */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/restricted.h"
#include "core/room.h"
#include "test/support/random.h"
#include "util/memory.h"

enum { SCENES = 300, QUESTIONS = 60, LEASES = 24, HOSTS_MAX = 6, BACKGROUND = 4, BEGIN = 500 };

struct scene {
    struct scenario s;
    struct random random;
    struct lease *newcomer;
    struct map_request request;
    struct candidates candidates;
    struct host_snapshot snapshot;
    bool allowed[HOSTS_MAX];
    struct host_filter filter;
    int yes, no, maybe;
};

/* Smaller than a host; some are asked for with none of the memory. */
static struct amounts vm_size(struct random *random)
{
    return (struct amounts){
        {random_between(random, 1, 4) * 20, random_between(random, 0, 4) * 128}};
}

static void fill_site(struct scene *scene)
{
    struct random *random = &scene->random;

    for (int64_t id = 1; id <= LEASES; id++) {
        const struct node_set set = {.count = (uint32_t)random_between(random, 1, 3),
                                     .amounts = vm_size(random)};
        bool fixed = id <= BACKGROUND; /* does not go, and ends or begins at any time */

        ask(&scene->s, (struct ask){.id = id,
                                    .kind = fixed ? LEASE_RESERVATION : LEASE_BEST_EFFORT,
                                    .start = fixed ? random_between(random, 1, 2 * BEGIN) : 0,
                                    .duration = random_between(random, BEGIN, 4 * BEGIN),
                                    .sets = &set,
                                    .n_sets = 1});
    }
    at(&scene->s, 1);
}

/* What is asked for at BEGIN, and what the mapper would be given for it. */
static void make_request(struct scene *scene)
{
    struct random *random = &scene->random;
    const struct host_filter *hosts = random_once_in(random, 3) ? &scene->filter : NULL;
    struct engine *engine = scene->s.engine;
    const struct node_set sets[] = {
        {(uint32_t)random_between(random, 1, 5), vm_size(random), hosts},
        {(uint32_t)random_between(random, 1, 3), vm_size(random), hosts},
    };
    const struct lease_request wish = {.id = 1000,
                                       .kind = LEASE_RESERVATION,
                                       .start = BEGIN,
                                       .deadline = INSTANT_NONE,
                                       .duration = random_between(random, 1, 2 * BEGIN),
                                       .duration_known = SPAN_NONE,
                                       .node_sets = sets,
                                       .n_node_sets = (size_t)random_between(random, 1, 2)};
    struct host_order order = {0};

    for (int host = 0; host < HOSTS_MAX; host++)
        scene->allowed[host] = !random_once_in(random, 3);
    scene->filter.allowed = scene->allowed;
    scene->newcomer = lease_create(&wish);
    scene->request = (struct map_request){.lease = scene->newcomer,
                                          .from = BEGIN,
                                          .until = BEGIN + wish.duration,
                                          .shortest = wish.duration,
                                          .strict = !random_once_in(random, 4)};
    if (!scene->request.strict)
        scene->request.shortest = random_between(random, 1, wish.duration);
    mapper_prepare(engine, scene->newcomer);
    if (!is_restricted(engine, scene->newcomer))
        mapper_order_all(engine, &scene->request, &order);
    scene->snapshot.choices = memory_copy(order.choices, order.n * sizeof *order.choices);
    scene->snapshot.n = order.n;
    scene->snapshot.in_order = order.in_order;
    candidates_gather(engine, &scene->request, &scene->candidates);
}

/* Hosts are liked in an order of their own, and one of them not at all. */
static void score_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    (void)context;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i] == 4 ? POLICY_VETO : (int64_t)(batch->hosts[i] * 7 % 5);
}

static void scene_begin(struct scene *scene, uint32_t seed)
{
    memset(scene, 0, sizeof *scene);
    random_init(&scene->random, seed);
    scenario_begin(&scene->s, (size_t)random_between(&scene->random, 1, HOSTS_MAX));
    scene->s.seed = seed;
    if (random_once_in(&scene->random, 5))
        scene->s.settings.behaviour.mapper_stops_at_first_misfit = true;
    if (random_once_in(&scene->random, 3))
        scene->s.policies.score_hosts = score_hosts;
    fill_site(scene);
    make_request(scene);
}

static void scene_end(struct scene *scene)
{
    lease_destroy(scene->newcomer);
    candidates_finish(&scene->candidates);
    free(scene->snapshot.choices);
    scenario_end(&scene->s);
}

static bool mapper_says(struct scene *scene, const size_t *gone, size_t n)
{
    struct engine *engine = scene->s.engine;
    size_t mark = slot_table_mark(engine->table);
    struct mapping mapping = {0};
    bool mapped;

    for (size_t i = 0; i < n; i++)
        lease_release_booked(engine, scene->candidates.may.items[gone[i]].lease);
    mapped = mapper_map_in_order(engine, &scene->request, &scene->snapshot, &mapping);
    slot_table_undo(engine->table, mark);
    mapping_finish(&mapping);
    return mapped;
}

static bool must_be_sure(const struct scene *scene, bool restricted)
{
    bool one_size = scene->newcomer->request.n_node_sets == 1;

    return scene->request.strict &&
           (one_size || (!restricted && !scene->s.settings.behaviour.mapper_stops_at_first_misfit));
}

static void ask_about(struct scene *scene, struct room *room, const size_t *gone, size_t n)
{
    bool restricted = is_restricted(scene->s.engine, scene->newcomer);
    bool vetoed = restricted && scene->s.policies.score_hosts;
    bool has_room = mapper_says(scene, gone, n);

    switch (room_without(room, gone, n)) {
    case ROOM_YES:
        /* Whom host selection refuses is not known where hosts are judged anew each time. */
        if (!has_room && !vetoed)
            fail_msg("seed %u: no room without %zu leases", scene->s.seed, n);
        scene->yes++;
        break;
    case ROOM_NO:
        if (has_room)
            fail_msg("seed %u: there is room without %zu leases", scene->s.seed, n);
        scene->no++;
        break;
    case ROOM_MAYBE:
        if (must_be_sure(scene, restricted))
            fail_msg("seed %u: counting was enough", scene->s.seed);
        scene->maybe++;
    }
}

static void ask_about_many(struct scene *scene)
{
    struct engine *engine = scene->s.engine;
    size_t n = scene->candidates.may.n, gone[LEASES];
    struct room *room =
        room_create(engine, &scene->request, &scene->candidates.may,
                    is_restricted(engine, scene->newcomer) ? NULL : &scene->snapshot);

    for (int question = 0; question < QUESTIONS; question++) {
        size_t n_gone = 0;
        int64_t share = random_between(&scene->random, 2, 4);

        for (size_t i = 0; i < n; i++)
            if (random_between(&scene->random, 1, 4) <= share)
                gone[n_gone++] = i;
        ask_about(scene, room, gone, n_gone);
    }
    room_destroy(room);
}

static void counting_gives_the_mappers_answer(void **state)
{
    static struct scene scene;
    int yes = 0, no = 0, maybe = 0;

    (void)state;
    for (uint32_t seed = 1; seed <= SCENES; seed++) {
        scene_begin(&scene, seed);
        ask_about_many(&scene);
        yes += scene.yes;
        no += scene.no;
        maybe += scene.maybe;
        scene_end(&scene);
    }
    assert_in_range(yes, SCENES * QUESTIONS / 10, SCENES * QUESTIONS);
    assert_in_range(no, SCENES * QUESTIONS / 10, SCENES * QUESTIONS);
    assert_in_range(maybe, SCENES * QUESTIONS / 20, SCENES * QUESTIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_gives_the_mappers_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
