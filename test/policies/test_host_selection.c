/* Scores of the host selection policies, greedy's bit for bit. */
#include "support.h"

extern const struct galerna_policy galerna_policy_no_policy, galerna_policy_greedy,
    galerna_policy_pack, galerna_policy_spread;

enum { HOSTS_MAX = 8 };

struct scene {
    struct mock_host *mock;
    void *self;
    const struct galerna_policy *policy;
    struct mock_lease lease;
    struct mock_hosts *hosts;
    int64_t scores[HOSTS_MAX];
};

/* n hosts of 400 CPU and 4096 MB, empty and unchanging. */
static void scene_init(struct scene *scene, const struct galerna_policy *policy, int n)
{
    const int64_t capacity[MOCK_TYPES] = {400, 4096, 1000, 100, 100};

    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    scene->policy = policy;
    scene->self = make(scene->mock, policy, NULL);
    scene->lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
    for (int i = 0; i < n; i++)
        assert_int_equal(mock_host_add(scene->mock, capacity, NULL), i);
    scene->hosts = mock_host_batch(scene->mock, &scene->lease, 1000);
    assert_non_null(scene->hosts);
}

static void score(struct scene *scene)
{
    assert_int_equal(scene->policy->host_selection->score(scene->self, &scene->hosts->batch,
                                                          scene->scores,
                                                          mock_host_result(scene->mock)),
                     GALERNA_OK);
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

/* Haizea's own expression, in the order in which Python evaluates it. */
static int64_t haizea(int n, int64_t left, int64_t duration)
{
    double d = (double)left / (double)duration;
    double share = 0.5 * (4 - (n < 4 ? n : 4)) / 4 + 0.25 + 0.25 * d;

    return (int64_t)(share * 18014398509481984.0);
}

static void greedy_is_haizeas_double_bit_for_bit(void **state)
{
    static const struct {
        int32_t leases;
        int64_t duration, left, score; /* score: computed with Python's floats, times 2**54 */
    } cases[] = {
        {1, 3, 1, INT64_C(12760198944216406)},         {0, 3600, 1234, INT64_C(15054532754382374)},
        {2, 7, 6, INT64_C(12867427506772846)},         {3, 86400, 1, INT64_C(6755451566051431)},
        {4, 3153600000, 1, INT64_C(4503599628798578)}, {9, 11, 10, INT64_C(8597781106798220)},
        {1, 3601, 3600, INT64_C(15761348043303714)},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;

        scene_init(&scene, &galerna_policy_greedy, 1);
        scene.hosts->leases_present[0] = cases[i].leases;
        scene.hosts->unchanged_until[0] = 1000 + cases[i].left;
        scene.hosts->batch.duration = cases[i].duration;
        score(&scene);
        assert_int_equal(scene.scores[0], cases[i].score);
        assert_int_equal(scene.scores[0],
                         haizea(cases[i].leases, cases[i].left, cases[i].duration));
        finish(&scene);
    }
}

static void greedy_follows_the_formula_everywhere(void **state)
{
    uint64_t random = 88172645463325252u;
    struct scene scene;

    scene_init(&scene, &galerna_policy_greedy, HOSTS_MAX);
    for (int round = 0; round < 20000; round++) {
        scene.hosts->batch.at = round % 2 ? 1000 : -5000;
        for (int i = 0; i < HOSTS_MAX; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            scene.hosts->batch.duration = 1 + (int64_t)(random % 100000);
            scene.hosts->leases_present[i] = (int32_t)(random >> 20) & 7;
            scene.hosts->unchanged_until[i] =
                scene.hosts->batch.at + (int64_t)((random >> 32) % 120000);
        }
        score(&scene);
        for (int i = 0; i < HOSTS_MAX; i++) {
            int64_t left = scene.hosts->unchanged_until[i] - scene.hosts->batch.at;
            int64_t duration = scene.hosts->batch.duration;

            assert_int_equal(scene.scores[i], haizea(scene.hosts->leases_present[i],
                                                     left < duration ? left : duration, duration));
        }
    }
    finish(&scene);
}

static void greedy_at_the_edges(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_greedy, 4);
    scene.hosts->unchanged_until[1] = 1000 + 3600; /* changes as the lease ends: not before */
    scene.hosts->unchanged_until[2] = 1000;        /* changes at once */
    scene.hosts->unchanged_until[3] = 1000 + 3599;
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_SCORE_MAX);
    assert_int_equal(scene.scores[1], GALERNA_SCORE_MAX);
    assert_int_equal(scene.scores[2], GALERNA_SCORE_MAX / 4 * 3);
    assert_true(scene.scores[3] < scene.scores[0] && scene.scores[3] > scene.scores[2]);

    scene.hosts->batch.duration = GALERNA_UNLIMITED;
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_SCORE_MAX);
    assert_int_equal(scene.scores[1], GALERNA_SCORE_MAX / 4 * 3);

    scene.hosts->batch.duration = GALERNA_NEVER - 10; /* would end after the end of time */
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_SCORE_MAX);

    scene.hosts->batch.duration = 0;
    score(&scene);
    assert_int_equal(scene.scores[2], GALERNA_SCORE_MAX);
    finish(&scene);
}

static void greedy_asks_for_what_it_reads(void **state)
{
    assert_int_equal(galerna_policy_greedy.host_selection->columns,
                     GALERNA_COLUMN_LEASES | GALERNA_COLUMN_CHANGE | GALERNA_COLUMNS_SUFFICE);
    assert_int_equal(galerna_policy_no_policy.host_selection->columns, GALERNA_COLUMNS_SUFFICE);
    assert_int_equal(galerna_policy_pack.host_selection->columns,
                     GALERNA_COLUMN_FREE | GALERNA_COLUMNS_SUFFICE);
    assert_int_equal(galerna_policy_spread.host_selection->columns,
                     GALERNA_COLUMN_FREE | GALERNA_COLUMNS_SUFFICE);
}

static void no_policy_finds_all_equal(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_no_policy, 3);
    scene.hosts->leases_present[1] = 3;
    score(&scene);
    assert_int_equal(scene.scores[0], scene.scores[1]);
    assert_int_equal(scene.scores[0], scene.scores[2]);
    finish(&scene);
}

/* Host 0 is empty, 1 half full, 2 full but for this VM, 3 short of CPU alone. */
static void fill_hosts(struct scene *scene)
{
    int64_t *free_amounts = scene->hosts->free;

    free_amounts[1 * MOCK_TYPES + GALERNA_CPU] = 200;
    free_amounts[1 * MOCK_TYPES + GALERNA_MEMORY] = 2048;
    free_amounts[2 * MOCK_TYPES + GALERNA_CPU] = 100;
    free_amounts[2 * MOCK_TYPES + GALERNA_MEMORY] = 1024;
    free_amounts[3 * MOCK_TYPES + GALERNA_CPU] = 100;
}

static void pack_takes_the_fullest(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_pack, 4);
    fill_hosts(&scene);
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_SCORE_MAX / 4);     /* 1/4 and 1/4 */
    assert_int_equal(scene.scores[1], GALERNA_SCORE_MAX / 4 * 3); /* 3/4 and 3/4 */
    assert_int_equal(scene.scores[2], GALERNA_SCORE_MAX);
    assert_int_equal(scene.scores[3], GALERNA_SCORE_MAX / 8 * 5); /* 1 and 1/4 */
    finish(&scene);
}

static void spread_takes_the_emptiest(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_spread, 4);
    fill_hosts(&scene);
    score(&scene);
    assert_int_equal(scene.scores[0], GALERNA_SCORE_MAX / 4 * 3);
    assert_int_equal(scene.scores[1], GALERNA_SCORE_MAX / 4);
    assert_int_equal(scene.scores[2], 0);
    assert_int_equal(scene.scores[3], GALERNA_SCORE_MAX / 8 * 3);
    finish(&scene);
}

static void strange_hosts_stay_in_range(void **state)
{
    const int64_t nothing[MOCK_TYPES] = {0}, overbooked[MOCK_TYPES] = {-300, 9999};
    const int64_t capacity[MOCK_TYPES] = {400, 4096};
    const struct galerna_policy *const policies[] = {&galerna_policy_pack, &galerna_policy_spread};

    for (size_t i = 0; i < 2; i++) {
        struct scene scene;

        scene_init(&scene, policies[i], 0);
        assert_int_equal(mock_host_add(scene.mock, nothing, nothing), 0);
        assert_int_equal(mock_host_add(scene.mock, capacity, overbooked), 1);
        scene.hosts = mock_host_batch(scene.mock, &scene.lease, 0);
        score(&scene);
        for (int j = 0; j < 2; j++)
            assert_true(scene.scores[j] >= 0 && scene.scores[j] <= GALERNA_SCORE_MAX);
        finish(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_is_haizeas_double_bit_for_bit),
        cmocka_unit_test(greedy_follows_the_formula_everywhere),
        cmocka_unit_test(greedy_at_the_edges),
        cmocka_unit_test(greedy_asks_for_what_it_reads),
        cmocka_unit_test(no_policy_finds_all_equal),
        cmocka_unit_test(pack_takes_the_fullest),
        cmocka_unit_test(spread_takes_the_emptiest),
        cmocka_unit_test(strange_hosts_stay_in_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
