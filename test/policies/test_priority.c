/* priority: who gives way to whom, and in which order. */
#include "support.h"

extern const struct galerna_policy galerna_policy_priority;

enum { LEASES = 6, NOW = 1000000 };

struct scene {
    struct mock_host *mock;
    void *self;
    struct mock_lease preemptor, leases[LEASES];
    struct galerna_victim victims[LEASES];
    int64_t scores[LEASES];
};

/* Best-effort leases of priorities 0, 1, 2, 0, 1, 2, asked for one after the other; the preemptor
 * has priority 2. */
static void scene_init(struct scene *scene, enum galerna_compatibility mode, const char *options)
{
    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    mock_host_set_compatibility(scene->mock, mode);
    scene->self = make(scene->mock, &galerna_policy_priority, options);
    scene->preemptor = mock_lease(100, GALERNA_LEASE_IMMEDIATE);
    scene->preemptor.priority = 2;
    scene->preemptor.submit = NOW;
    for (int i = 0; i < LEASES; i++) {
        scene->leases[i] = mock_lease(i + 1, GALERNA_LEASE_BEST_EFFORT);
        scene->leases[i].priority = i % 3;
        scene->leases[i].submit = NOW - 1000 + 10 * i;
        scene->victims[i] = (struct galerna_victim){.lease = mock_lease_handle(&scene->leases[i])};
    }
}

static void score(struct scene *scene)
{
    const struct galerna_victim_batch batch = {
        .size = sizeof batch,
        .victim_size = sizeof *scene->victims,
        .preemptor = mock_lease_handle(&scene->preemptor),
        .at = NOW,
        .n_victims = LEASES,
        .victims = scene->victims,
    };

    assert_int_equal(galerna_policy_priority.preemption->score(scene->self, &batch, scene->scores,
                                                               mock_host_result(scene->mock)),
                     GALERNA_OK);
}

/* The leases that give way, in the order of the host: the highest score, then the larger id. */
static void expect_order(struct scene *scene, const int *ids, int n)
{
    bool taken[LEASES] = {false};

    score(scene);
    for (int i = 0; i <= n; i++) {
        int best = -1;

        for (int k = 0; k < LEASES; k++)
            if (!taken[k] && scene->scores[k] >= 0 &&
                (best < 0 || scene->scores[k] >= scene->scores[best]))
                best = k;
        assert_int_equal(best, i < n ? ids[i] - 1 : -1);
        if (best >= 0)
            taken[best] = true;
    }
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

static void the_lowest_and_youngest_give_way_first(void **state)
{
    struct scene scene;

    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    expect_order(&scene, (const int[]){4, 1, 5, 2}, 4);
    scene.preemptor.kind = GALERNA_LEASE_BEST_EFFORT;
    expect_order(&scene, (const int[]){4, 1, 5, 2}, 4);
    scene.preemptor.priority = 1;
    expect_order(&scene, (const int[]){4, 1}, 2);
    scene.preemptor.priority = 0; /* equal is not lower */
    expect_order(&scene, NULL, 0);
    scene.preemptor.priority = -5;
    expect_order(&scene, NULL, 0);
    scene.preemptor.priority = 9;
    scene.leases[0].submit = scene.leases[3].submit;
    score(&scene);
    assert_int_equal(scene.scores[0], scene.scores[3]);
    expect_order(&scene, (const int[]){4, 1, 5, 2, 6, 3}, 6);
    finish(&scene);
}

static void promises_and_terms_are_kept(void **state)
{
    struct scene scene;

    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    scene.leases[0].kind = GALERNA_LEASE_RESERVATION;
    scene.leases[1].kind = GALERNA_LEASE_DEADLINE;
    scene.leases[3].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    scene.leases[4].kind = GALERNA_LEASE_IMMEDIATE;
    expect_order(&scene, (const int[]){5}, 1);
    finish(&scene);
    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, "respect-terms=no");
    scene.leases[3].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    expect_order(&scene, (const int[]){4, 1, 5, 2}, 4);
    finish(&scene);
}

static bool may_preempt(struct scene *scene, enum galerna_lease_kind kind)
{
    scene->preemptor.kind = kind;
    return galerna_policy_priority.preemption->may_preempt(scene->self,
                                                           mock_lease_handle(&scene->preemptor));
}

static void options_say_who_preempts(void **state)
{
    struct scene scene;

    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    assert_true(may_preempt(&scene, GALERNA_LEASE_IMMEDIATE));
    assert_true(may_preempt(&scene, GALERNA_LEASE_BEST_EFFORT));
    assert_true(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    assert_false(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    expect_order(&scene, NULL, 0); /* asked all the same */
    finish(&scene);

    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, "reservations=by-priority deadlines=no");
    assert_false(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    assert_true(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    expect_order(&scene, (const int[]){4, 1, 5, 2}, 4);
    finish(&scene);

    scene_init(&scene, GALERNA_COMPATIBILITY_HAIZEA_1_0, NULL);
    assert_false(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    assert_true(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    scene.preemptor.priority = 0;
    scene.leases[3].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    scene.leases[4].kind = GALERNA_LEASE_IMMEDIATE;
    expect_order(&scene, (const int[]){4, 1, 2, 6, 3}, 5); /* whatever their priority */
    finish(&scene);
}

static void who_waits_becomes_more_important(void **state)
{
    struct scene scene;

    scene_init(&scene, GALERNA_COMPATIBILITY_DEFAULT, "ageing=10m");
    scene.preemptor.priority = 0;
    scene.preemptor.kind = GALERNA_LEASE_BEST_EFFORT;
    /* All were asked for 950 to 1000 s ago, which makes one more. */
    expect_order(&scene, NULL, 0);
    scene.preemptor.submit = NOW - 1200; /* 0 + 2 over 0 + 1 */
    expect_order(&scene, (const int[]){4, 1}, 2);
    scene.preemptor.submit = NOW - 2400; /* 0 + 4 over all */
    expect_order(&scene, (const int[]){4, 1, 5, 2, 6, 3}, 6);
    scene.leases[3].submit = NOW - 86400; /* runs since yesterday: is not displaced in turn */
    expect_order(&scene, (const int[]){1, 5, 2, 6, 3}, 5);
    finish(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_and_youngest_give_way_first),
        cmocka_unit_test(promises_and_terms_are_kept),
        cmocka_unit_test(options_say_who_preempts),
        cmocka_unit_test(who_waits_becomes_more_important),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
