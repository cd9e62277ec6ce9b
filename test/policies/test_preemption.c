/* Scores and terms of the preemption policies. */
#include "support.h"

extern const struct galerna_policy galerna_policy_no_preemption,
    galerna_policy_ar_preempts_everything;

enum { LEASES = 6, DAY = 86400, NOW = 100 * DAY };

struct scene {
    struct mock_host *mock;
    void *self;
    const struct galerna_policy *policy;
    struct mock_lease preemptor, leases[LEASES];
    struct galerna_victim victims[LEASES];
    int64_t scores[LEASES];
};

/* Best-effort leases, each a day older than the one before it. */
static void scene_init(struct scene *scene, const struct galerna_policy *policy,
                       enum galerna_compatibility mode, const char *options)
{
    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    mock_host_set_compatibility(scene->mock, mode);
    scene->policy = policy;
    scene->self = make(scene->mock, policy, options);
    scene->preemptor = mock_lease(100, GALERNA_LEASE_RESERVATION);
    for (int i = 0; i < LEASES; i++) {
        scene->leases[i] = mock_lease(i + 1, GALERNA_LEASE_BEST_EFFORT);
        scene->leases[i].submit = NOW - (int64_t)i * DAY;
        scene->victims[i] =
            (struct galerna_victim){.lease = mock_lease_handle(&scene->leases[i]), .started = true};
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

    assert_int_equal(scene->policy->preemption->score(scene->self, &batch, scene->scores,
                                                      mock_host_result(scene->mock)),
                     GALERNA_OK);
    for (int i = 0; i < LEASES; i++)
        assert_in_range(scene->scores[i] + 1, 0, GALERNA_SCORE_MAX + 1);
}

static bool may_preempt(struct scene *scene, enum galerna_lease_kind kind)
{
    scene->preemptor.kind = kind;
    return scene->policy->preemption->may_preempt(scene->self,
                                                  mock_lease_handle(&scene->preemptor));
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

static void no_preemption_preempts_nothing(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_no_preemption, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    assert_false(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    score(&scene);
    for (int i = 0; i < LEASES; i++)
        assert_int_equal(scene.scores[i], GALERNA_VETO);
    finish(&scene);
}

static void by_default_the_youngest_go_first_and_terms_hold(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    scene.leases[1].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    scene.leases[2].kind = GALERNA_LEASE_RESERVATION;
    scene.leases[3].kind = GALERNA_LEASE_IMMEDIATE;
    scene.leases[5].submit = NOW - 90 * DAY; /* there is no seven-day rule */
    score(&scene);
    assert_int_equal(scene.scores[1], GALERNA_VETO);
    assert_int_equal(scene.scores[2], GALERNA_VETO);
    assert_int_equal(scene.scores[3], GALERNA_VETO);
    assert_true(scene.scores[0] > scene.scores[4]);
    assert_true(scene.scores[4] > scene.scores[5]);
    assert_true(scene.scores[5] >= 0);
    finish(&scene);
}

static void haizea_takes_the_oldest_and_ignores_terms(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_HAIZEA_1_0,
               NULL);
    scene.leases[1].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    scene.leases[2].kind = GALERNA_LEASE_IMMEDIATE;
    scene.leases[4].submit = NOW - 7 * DAY + 1;
    scene.leases[5].submit = NOW - 7 * DAY; /* "submit <= time - 7 days" */
    score(&scene);
    assert_true(scene.scores[1] > scene.scores[0]);
    assert_int_equal(scene.scores[2], GALERNA_VETO);
    assert_true(scene.scores[4] > scene.scores[3] && scene.scores[3] > scene.scores[1]);
    assert_int_equal(scene.scores[5], GALERNA_VETO);
    finish(&scene);
}

static void scores_are_equal_for_equal_ages_only(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_HAIZEA_1_0,
               NULL);
    scene.leases[1].submit = scene.leases[0].submit = NOW - 3 * DAY;
    scene.leases[2].submit = NOW - 3 * DAY - 1;
    score(&scene);
    assert_int_equal(scene.scores[0], scene.scores[1]);
    assert_true(scene.scores[2] > scene.scores[0]);
    finish(&scene);
}

static void only_who_may_preempts(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_DEFAULT, NULL);
    assert_true(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    assert_true(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    assert_false(may_preempt(&scene, GALERNA_LEASE_IMMEDIATE));
    assert_false(may_preempt(&scene, GALERNA_LEASE_BEST_EFFORT));
    score(&scene); /* asked all the same */
    assert_int_equal(scene.scores[0], GALERNA_VETO);
    finish(&scene);

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_HAIZEA_1_0,
               NULL);
    assert_true(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    assert_false(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    finish(&scene);
}

static void deadline_leases_have_suspendable_ones_make_room(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_DEFAULT,
               "respect-terms=no");
    scene.preemptor.kind = GALERNA_LEASE_DEADLINE;
    scene.leases[0].terms = GALERNA_TERMS_CANCELABLE;
    scene.leases[1].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_VETO);
    assert_int_equal(scene.scores[1], GALERNA_VETO);
    assert_true(scene.scores[2] > 0);
    finish(&scene);
}

static void options_say_otherwise(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_ar_preempts_everything, GALERNA_COMPATIBILITY_DEFAULT,
               "order=oldest-first respect-terms=no max-age=2d deadlines-preempt=no");
    assert_false(may_preempt(&scene, GALERNA_LEASE_DEADLINE));
    assert_true(may_preempt(&scene, GALERNA_LEASE_RESERVATION));
    scene.leases[0].terms = GALERNA_TERMS_NON_PREEMPTABLE;
    score(&scene);
    assert_true(scene.scores[1] > scene.scores[0] && scene.scores[0] > 0);
    assert_int_equal(scene.scores[2], GALERNA_VETO);
    finish(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_preemption_preempts_nothing),
        cmocka_unit_test(by_default_the_youngest_go_first_and_terms_hold),
        cmocka_unit_test(haizea_takes_the_oldest_and_ignores_terms),
        cmocka_unit_test(scores_are_equal_for_equal_ages_only),
        cmocka_unit_test(only_who_may_preempts),
        cmocka_unit_test(deadline_leases_have_suspendable_ones_make_room),
        cmocka_unit_test(options_say_otherwise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
