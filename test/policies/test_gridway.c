/* gridway against the reference values of the paper's experiment: an application of ten iterations
 * runs on draco and could move to solea or columba. Everything is a thousand times as long, so that
 * whole seconds are exact enough. */
#include <math.h>
#include <string.h>

#include "support.h"

extern const struct galerna_policy galerna_policy_gridway;

enum { URSA, DRACO, COLUMBA, CEPHEUS, SOLEA, HOSTS };

static const char *name_of(uint32_t place, const char *name)
{
    static const char *const names[] = {"ursa", "draco", "columba", "cepheus", "solea"};

    return strcmp(name, "NAME") == 0 ? names[place] : NULL;
}

#define SPEEDS     "speeds=ursa:330,draco:175,columba:225,cepheus:325,solea:350 work=58723000 "
#define BANDWIDTHS "bandwidths=solea/*:0.2,*/*:0.4 "
#define SENT       "data=ursa:9000,cepheus:4520 restart-data=4460 "
#define FILTERS    "least-free-cpu=90 least-memory=128"

struct scene {
    struct mock_host *mock;
    void *self;
    struct mock_lease lease;
    struct mock_stretch stretches[4];
};

static void begin(struct scene *scene, const char *options)
{
    static const int64_t memory[HOSTS] = {256, 128, 160, 64, 256};

    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    for (int i = 0; i < HOSTS; i++)
        mock_host_add(scene->mock, (const int64_t[MOCK_TYPES]){100, memory[i], 1000, 100, 100},
                      NULL);
    mock_host_set_attributes(scene->mock, name_of);
    scene->self = make(scene->mock, &galerna_policy_gridway, options);
    scene->lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
    scene->lease.terms = GALERNA_TERMS_MIGRATABLE;
    scene->lease.amounts[GALERNA_MEMORY] = 128;
    scene->lease.stretches = scene->stretches;
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

/* Seconds in all, in the paper's scale, when it goes from draco to a host after some iterations. */
static double total(struct scene *scene, int iteration, uint32_t to)
{
    const uint32_t from = DRACO;
    struct galerna_estimate question = {.size = sizeof question,
                                        .n_vms = 1,
                                        .lease = mock_lease_handle(&scene->lease),
                                        .hosts = &to,
                                        .from = &from};
    int64_t milliseconds = -1;

    scene->stretches[0] = (struct mock_stretch){llround(33556.0 * iteration), DRACO};
    scene->lease.n_stretches = 1;
    assert_int_equal(galerna_policy_gridway.host_selection->estimate(
                         scene->self, &question, &milliseconds, mock_host_result(scene->mock)),
                     GALERNA_OK);
    return (double)milliseconds / 1e6;
}

static void is_about(double value, double expected)
{
    if (fabs(value - expected) > 0.1)
        fail_msg("%.3f, expected %.1f", value, expected);
}

static void by_computing_time_alone(void **state)
{
    static const struct {
        int iteration;
        double solea;
    } cases[] = {{0, 167.8}, {1, 184.6}, {2, 201.3}, {3, 218.1},
                 {5, 251.7}, {6, 268.4}, {8, 302.0}};
    struct scene scene;

    begin(&scene, SPEEDS "restart-data=0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_about(total(&scene, cases[i].iteration, SOLEA), cases[i].solea);
        is_about(total(&scene, cases[i].iteration, DRACO), 335.56);
    }
    finish(&scene);
}

static void with_the_transfers(void **state)
{
    static const struct {
        int iteration;
        double solea, gain, columba, columba_gain;
    } cases[] = {
        {0, 291.4, 21.1, 339.7, 8.0},   {1, 308.2, 16.5, 347.2, 6.0},
        {2, 325.0, 12.0, 354.6, 4.0},   {3, 341.8, 7.5, 362.1, 2.0},
        {5, 375.3, -1.6, 377.0, -2.1},  {6, 392.1, -6.2, 384.4, -4.1},
        {8, 425.7, -15.3, 399.4, -8.1},
    };
    struct scene scene;

    begin(&scene, SPEEDS BANDWIDTHS SENT FILTERS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double draco = total(&scene, cases[i].iteration, DRACO);
        double solea = total(&scene, cases[i].iteration, SOLEA);
        double columba = total(&scene, cases[i].iteration, COLUMBA);

        is_about(draco, 369.36);
        is_about(solea, cases[i].solea);
        is_about(columba, cases[i].columba);
        is_about(100 * (draco - solea) / draco, cases[i].gain);
        is_about(100 * (draco - columba) / draco, cases[i].columba_gain);
        /* From the sixth iteration on the nearer host is the better one. */
        assert_int_equal(columba < solea, cases[i].iteration >= 6);
    }
    finish(&scene);
}

/* Granted in the iterations 0, 1 and 2, and no more from the third on. */
static void a_tenth_is_gained_until_the_third_iteration(void **state)
{
    struct scene scene;

    begin(&scene, SPEEDS BANDWIDTHS SENT);
    for (int iteration = 0; iteration < 10; iteration++) {
        double draco = total(&scene, iteration, DRACO), solea = total(&scene, iteration, SOLEA);

        assert_int_equal((draco - solea) / draco >= 0.1, iteration < 3);
    }
    finish(&scene);
}

static void score(struct scene *scene, int64_t *scores)
{
    struct mock_hosts *hosts = mock_host_batch(scene->mock, &scene->lease, 0);

    assert_int_equal(galerna_policy_gridway.host_selection->score(
                         scene->self, &hosts->batch, scores, mock_host_result(scene->mock)),
                     GALERNA_OK);
}

static void hosts_are_ranked_by_the_same_time(void **state)
{
    int64_t scores[HOSTS];
    struct scene scene;

    begin(&scene, SPEEDS BANDWIDTHS SENT FILTERS);
    score(&scene, scores);
    assert_int_equal(scores[CEPHEUS], GALERNA_VETO); /* too little memory */
    /* ursa holds part of the data; solea is as fast, but far from everything. */
    assert_true(scores[URSA] > scores[SOLEA]);
    assert_true(scores[SOLEA] > scores[COLUMBA]);
    assert_true(scores[COLUMBA] > scores[DRACO]);

    scene.stretches[0] = (struct mock_stretch){33556 * 7, DRACO};
    scene.lease.n_stretches = 1;
    score(&scene, scores); /* now it pays to stay */
    assert_true(scores[DRACO] > scores[COLUMBA]);
    assert_true(scores[COLUMBA] > scores[SOLEA]);
    finish(&scene);
}

static void busy_hosts_count_for_less(void **state)
{
    const int64_t capacity[MOCK_TYPES] = {200, 1024, 0, 0, 0},
                  half[MOCK_TYPES] = {50, 1024, 0, 0, 0};
    int64_t scores[HOSTS + 1];
    struct scene scene;

    begin(&scene, "");
    mock_host_add(scene.mock, capacity, half);
    scene.self = make(scene.mock, &galerna_policy_gridway, "speeds=solea:2000,6:3000");
    mock_host_set_attributes(scene.mock, NULL); /* then only ids are known */
    scene.lease.amounts[GALERNA_CPU] = 50;
    score(&scene, scores);
    assert_true(scores[HOSTS] > scores[SOLEA]); /* 3000 / 2 against the reference of 1000 */
    assert_int_equal(scores[SOLEA], scores[DRACO]);
    mock_host_set_attributes(scene.mock, name_of);
    finish(&scene);

    begin(&scene, "least-free-cpu=90");
    mock_host_add(scene.mock, capacity, half);
    mock_host_set_attributes(scene.mock, NULL);
    score(&scene, scores);
    assert_int_equal(scores[HOSTS], GALERNA_VETO);
    finish(&scene);
}

static void the_nearest_copy_of_an_image_is_taken(void **state)
{
    int64_t scores[HOSTS];
    struct scene scene;

    begin(&scene, "images=a.img:nas,a.img:draco,*:elsewhere bandwidths=*/nas:1,columba/draco:100");
    scene.lease.image = "a.img";
    scene.lease.image_size = 1000;
    score(&scene, scores);
    assert_true(scores[DRACO] > scores[COLUMBA]); /* it is there */
    assert_true(scores[COLUMBA] > scores[SOLEA]); /* 10 s from draco; elsewhere: 80 s */
    assert_int_equal(scores[SOLEA], scores[URSA]);
    scene.lease.image = "b.img";
    score(&scene, scores);
    assert_int_equal(scores[DRACO], scores[SOLEA]);
    finish(&scene);
}

static const char *with_speeds(uint32_t place, const char *name)
{
    if (strcmp(name, "MFLOPS") == 0)
        return place == COLUMBA ? "5000" : place == SOLEA ? "fast" : NULL;
    return name_of(place, name);
}

static void speeds_come_from_attributes(void **state)
{
    int64_t scores[HOSTS];
    struct scene scene;

    begin(&scene, "speeds=draco:2000");
    mock_host_set_attributes(scene.mock, with_speeds);
    score(&scene, scores);
    assert_true(scores[COLUMBA] > scores[DRACO]);
    assert_true(scores[DRACO] > scores[SOLEA]);
    assert_int_equal(scores[SOLEA], scores[URSA]); /* no number: the reference speed */
    finish(&scene);
}

static void the_schedulers_own_time_counts(void **state)
{
    uint32_t from = DRACO, to = SOLEA;
    struct galerna_estimate question = {
        .size = sizeof question, .n_vms = 1, .hosts = &to, .from = &from, .overhead = 500};
    int64_t milliseconds;
    struct scene scene;

    begin(&scene, "bandwidth=128"); /* 128 MB in a second */
    scene.stretches[0] = (struct mock_stretch){600, DRACO};
    scene.lease.n_stretches = 1;
    question.lease = mock_lease_handle(&scene.lease);
    galerna_policy_gridway.host_selection->estimate(scene.self, &question, &milliseconds,
                                                    mock_host_result(scene.mock));
    assert_int_equal(milliseconds, (3600 + 500) * 1000);
    question.overhead = 0;
    galerna_policy_gridway.host_selection->estimate(scene.self, &question, &milliseconds,
                                                    mock_host_result(scene.mock));
    assert_int_equal(milliseconds, (3600 + 1) * 1000);
    question.hosts = &from;
    galerna_policy_gridway.host_selection->estimate(scene.self, &question, &milliseconds,
                                                    mock_host_result(scene.mock));
    assert_int_equal(milliseconds, 3600 * 1000);
    finish(&scene);
}

static void a_lease_without_end_counts_as_a_day(void **state)
{
    int64_t scores[HOSTS];
    struct scene scene;

    begin(&scene, "speeds=solea:2000");
    scene.lease.duration = GALERNA_UNLIMITED;
    score(&scene, scores);
    assert_true(scores[SOLEA] > scores[DRACO] && scores[DRACO] > 0);
    finish(&scene);
}

static void lists_that_are_wrong_are_refused(void **state)
{
    static const char *const wrong[] = {
        "speeds=1",         "speeds=1:",       "speeds=1:fast",   "speeds=1:2,",
        "speeds=:2",        "speeds=1:-2",     "data=nas",        "bandwidths=1:3",
        "bandwidths=1/2:0", "bandwidths=/2:1", "bandwidths=1/:1", "images=a.img",
        "images=:nas",      "speeds=1:nan",    "data=nas:inf",    "bandwidths=1/2:nan",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mock_host *mock = mock_host_create();
        void *self;

        if (mock_host_instance(mock, &galerna_policy_gridway, wrong[i], &self) != GALERNA_ERROR)
            fail_msg("'%s' was accepted", wrong[i]);
        mock_host_destroy(mock);
    }
}

/* Replays know their hosts from the beginning, by number. */
static void unknown_hosts_are_refused(void **state)
{
    static const struct {
        const char *options;
        bool named, good;
    } cases[] = {
        {"speeds=1:2,5:3", false, true},    {"speeds=*:2", false, true},
        {"speeds=1:2,6:3", false, false},   {"speeds=solea:3", false, false},
        {"speeds=solea:3,1:2", true, true}, {"speeds=ursa:1,solar:3", true, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mock_host *mock = mock_host_create();
        const struct galerna_result *result = mock_host_result(mock);
        enum galerna_verdict verdict;
        void *self;

        for (int place = 0; place < HOSTS; place++)
            mock_host_add(mock, (const int64_t[MOCK_TYPES]){100, 1024, 0, 0, 0}, NULL);
        if (cases[i].named)
            mock_host_set_attributes(mock, name_of);
        verdict = mock_host_instance(mock, &galerna_policy_gridway, cases[i].options, &self);
        if ((verdict == GALERNA_OK) != cases[i].good)
            fail_msg("'%s': %d", cases[i].options, (int)verdict);
        if (!cases[i].good) {
            const char *word = i == 2 ? "'6'" : i == 3 ? "'solea'" : "'solar'";

            assert_string_equal(result->reason, "unknown-host");
            assert_non_null(strstr(result->text, word));
        }
        mock_host_destroy(mock);
    }
}

/* The daemon finds its hosts later; one may be gone for a while. */
static void hosts_that_are_found_later_are_told_of_once(void **state)
{
    int64_t scores[HOSTS];
    struct mock_host *mock = mock_host_create();
    struct scene scene = {.mock = mock};

    scene.self = make(mock, &galerna_policy_gridway, "speeds=solea:2000,solar:3");
    assert_int_equal(mock_host_log_count(mock), 0);
    for (int place = 0; place < HOSTS; place++)
        mock_host_add(mock, (const int64_t[MOCK_TYPES]){100, 1024, 0, 0, 0}, NULL);
    mock_host_set_attributes(mock, name_of);
    scene.lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
    for (int again = 0; again < 3; again++) {
        score(&scene, scores);
        assert_true(scores[SOLEA] > scores[DRACO]);
        assert_int_equal(mock_host_log_count(mock), 1);
        assert_non_null(strstr(mock_host_log_text(mock), "'solar'"));
    }
    finish(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_computing_time_alone),
        cmocka_unit_test(with_the_transfers),
        cmocka_unit_test(a_tenth_is_gained_until_the_third_iteration),
        cmocka_unit_test(hosts_are_ranked_by_the_same_time),
        cmocka_unit_test(busy_hosts_count_for_less),
        cmocka_unit_test(the_nearest_copy_of_an_image_is_taken),
        cmocka_unit_test(speeds_come_from_attributes),
        cmocka_unit_test(the_schedulers_own_time_counts),
        cmocka_unit_test(a_lease_without_end_counts_as_a_day),
        cmocka_unit_test(lists_that_are_wrong_are_refused),
        cmocka_unit_test(unknown_hosts_are_refused),
        cmocka_unit_test(hosts_that_are_found_later_are_told_of_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
