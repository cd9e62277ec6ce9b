/* pacp, racp, aacp, cacp: who is let in, and what the others are told. */
#include <string.h>

#include "support.h"

extern const struct galerna_policy galerna_policy_pacp, galerna_policy_racp, galerna_policy_aacp,
    galerna_policy_cacp;

struct scene {
    struct mock_host *mock;
    const struct galerna_policy *policy;
    void *self;
    int64_t now;
    int64_t ids;
    struct galerna_result *result;
};

/* Four hosts of four processors. */
static void scene_init(struct scene *scene, const struct galerna_policy *policy,
                       const char *options)
{
    const int64_t capacity[MOCK_TYPES] = {400, 4096};

    memset(scene, 0, sizeof *scene);
    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    for (int i = 0; i < 4; i++)
        assert_int_equal(mock_host_add(scene->mock, capacity, NULL), i);
    scene->policy = policy;
    scene->self = make(scene->mock, policy, options);
    scene->now = 1000;
}

static struct mock_lease new_lease(struct scene *scene, enum galerna_origin origin)
{
    struct mock_lease lease = mock_lease(++scene->ids, GALERNA_LEASE_BEST_EFFORT);

    lease.origin = origin;
    return lease;
}

static enum galerna_verdict ask(struct scene *scene, const struct mock_lease *lease)
{
    const struct galerna_admission_request request = {
        .size = sizeof request, .lease = mock_lease_handle(lease), .now = scene->now};

    mock_host_set_now(scene->mock, scene->now);
    scene->result = mock_host_result(scene->mock);
    return scene->policy->admission->admit(scene->self, &request, scene->result);
}

static void tell(struct scene *scene, enum galerna_event_kind kind, const struct mock_lease *lease,
                 bool accepted)
{
    const struct galerna_event event = {.size = sizeof event,
                                        .kind = (uint32_t)kind,
                                        .time = scene->now,
                                        .lease = mock_lease_handle(lease),
                                        .other = -1,
                                        .accepted = accepted};

    if (scene->policy->event)
        scene->policy->event(scene->self, &event);
}

/* Ask, and tell what became of it. */
static bool request(struct scene *scene, struct mock_lease *lease)
{
    bool accepted = ask(scene, lease) == GALERNA_OK;

    tell(scene, GALERNA_EVENT_REQUESTED, lease, accepted);
    if (!accepted)
        tell(scene, GALERNA_EVENT_FINISHED, lease, false);
    return accepted;
}

static void end(struct scene *scene, struct mock_lease *lease, int64_t ran)
{
    lease->accumulated = ran;
    tell(scene, GALERNA_EVENT_FINISHED, lease, false);
}

/* How many external requests are let in, one after the other, up to 50. */
static int fill(struct scene *scene)
{
    for (int n = 0; n < 50; n++) {
        struct mock_lease lease = new_lease(scene, GALERNA_ORIGIN_EXTERNAL);

        if (!request(scene, &lease))
            return n;
    }
    return 50;
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

/* The reference values of the analysis: gaps are 1 / rate, variation 1 is exponential. */
static void pacp_lets_in_what_the_analysis_says(void **state)
{
    static const struct {
        const char *options;
        int most;
    } known[] = {
        {"external-gap=120 local-gap=100 local-time=20 local-variation=1 external-time=60", 50},
        {"external-gap=60 local-gap=100 local-time=20 local-variation=1 external-time=60 "
         "low-deadline=6 high-deadline=3",
         5},
        {"external-gap=120 local-gap=50 local-time=20 local-variation=1 external-time=60 low=0.3 "
         "low-deadline=5",
         2},
        {"external-gap=90 local-gap=200 local-time=50 local-variation=1 external-time=60", 3},
        {"external-gap=60 local-gap=100 local-time=20 local-variation=1 external-time=60 "
         "low-deadline=6 high-deadline=3 most=4",
         4},
        /* Alone on the site it takes 75 s: nothing helps. */
        {"external-gap=9999 local-gap=100 local-time=20 external-time=60 low-deadline=1.25 "
         "high-deadline=1",
         0},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct scene scene;

        scene_init(&scene, &galerna_policy_pacp, known[i].options);
        assert_int_equal(fill(&scene), known[i].most);
        finish(&scene);
    }
}

static void refusals_have_numbers(void **state)
{
    struct mock_lease lease;
    struct scene scene;

    scene_init(&scene, &galerna_policy_pacp,
               "external-gap=90 local-gap=200 local-time=50 local-variation=1 external-time=60");
    assert_int_equal(fill(&scene), 3);
    lease = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_NOW);
    assert_string_equal(scene.result->reason, "external-queue-full");
    assert_string_equal(scene.result->text,
                        "external requests: 3 present, at most 3 allowed: with one more they would "
                        "take 181.48 s on average, their deadline is after 180 s (run time 60 s, "
                        "80 s with interruptions; 40 external and 18 local requests an hour)");
    finish(&scene);

    scene_init(&scene, &galerna_policy_pacp,
               "external-gap=90 local-gap=20 local-time=20 external-time=60");
    assert_int_equal(fill(&scene), 0);
    lease = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_NOW);
    assert_string_equal(scene.result->text,
                        "local requests take the whole site: 180 an hour, 20 s each");
    finish(&scene);
}

static void local_requests_pass(void **state)
{
    static const struct {
        const struct galerna_policy *policy;
        const char *options;
    } policies[] = {
        {&galerna_policy_pacp, "external-gap=9 local-gap=20 local-time=20 external-time=60"},
        {&galerna_policy_racp, "external-gap=9 local-gap=20 local-time=20 external-time=60"},
        {&galerna_policy_aacp, "most=0"},
        {&galerna_policy_cacp, NULL},
    };

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct scene scene;

        scene_init(&scene, policies[i].policy, policies[i].options);
        fill(&scene);
        for (int n = 0; n < 20; n++) {
            struct mock_lease lease = new_lease(&scene, GALERNA_ORIGIN_LOCAL);

            assert_true(request(&scene, &lease));
        }
        finish(&scene);
    }
}

static void aacp_takes_one_at_a_time(void **state)
{
    struct mock_lease first, second;
    struct scene scene;

    scene_init(&scene, &galerna_policy_aacp, NULL);
    first = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    second = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    assert_true(request(&scene, &first));
    assert_false(request(&scene, &second));
    assert_string_equal(scene.result->text, "external requests: 1 present, at most 1 allowed");
    end(&scene, &second, 0); /* was never here */
    assert_int_equal(ask(&scene, &second), GALERNA_REFUSED_FOR_NOW);
    end(&scene, &first, 60);
    assert_true(request(&scene, &second));
    finish(&scene);
}

static void cacp_takes_all(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_cacp, NULL);
    assert_int_equal(fill(&scene), 50);
    finish(&scene);
}

/* max(1, round((1 / E T) / local rate)): E T is 75 s, 1 in 100 s: 1.33; in 250 s: E T 65.2, 3.83 */
static void racp_follows_its_formula(void **state)
{
    struct scene scene;

    scene_init(&scene, &galerna_policy_racp,
               "external-gap=1 external-time=60 local-gap=100 "
               "local-time=20");
    assert_int_equal(fill(&scene), 1);
    finish(&scene);
    scene_init(&scene, &galerna_policy_racp,
               "external-gap=1 external-time=60 local-gap=250 "
               "local-time=20");
    assert_int_equal(fill(&scene), 4);
    assert_non_null(strstr(scene.result->text, "external requests: 4 present, at most 4 allowed"));
    finish(&scene);
}

/* Two of them asked for in one second, before any event is told. */
static void requests_of_one_moment_count(void **state)
{
    struct mock_lease first, second, third;
    struct scene scene;

    scene_init(&scene, &galerna_policy_aacp, NULL);
    first = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    second = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    third = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    assert_int_equal(ask(&scene, &first), GALERNA_OK);
    assert_int_equal(ask(&scene, &second), GALERNA_REFUSED_FOR_NOW);
    /* There was no room for the first: its place is free again. */
    tell(&scene, GALERNA_EVENT_REQUESTED, &first, false);
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    /* Only a trial: nothing is told, and a second later it is forgotten. */
    scene.now++;
    assert_int_equal(ask(&scene, &third), GALERNA_OK);
    tell(&scene, GALERNA_EVENT_REQUESTED, &third, true);
    scene.now++;
    assert_int_equal(ask(&scene, &first), GALERNA_REFUSED_FOR_NOW);
    /* Told twice, as after a restart: still one. */
    tell(&scene, GALERNA_EVENT_REQUESTED, &third, true);
    end(&scene, &third, 5);
    assert_int_equal(ask(&scene, &first), GALERNA_OK);
    finish(&scene);
}

/* Like the second line of the reference, in time on four processors of sixteen: 4 times as long. */
static void play(struct scene *scene, int64_t seconds)
{
    int64_t until = scene->now + seconds;

    for (; scene->now < until; scene->now += 60) {
        struct mock_lease external = new_lease(scene, GALERNA_ORIGIN_EXTERNAL);
        struct mock_lease local = new_lease(scene, GALERNA_ORIGIN_LOCAL);

        external.vms = local.vms = 4;
        if (request(scene, &external))
            end(scene, &external, 240);
        local.duration = 80;
        if (scene->now / 60 % 5 < 3) { /* three in five minutes: one in 100 s */
            assert_true(request(scene, &local));
            end(scene, &local, scene->now / 60 % 2 ? 40 : 120);
        }
    }
}

static void pacp_learns_from_what_it_sees(void **state)
{
    struct mock_lease lease;
    struct scene scene;
    int most;

    scene_init(&scene, &galerna_policy_pacp, "low-deadline=6 high-deadline=3 window=1d");
    assert_int_equal(fill(&scene), 50); /* nothing is known */
    finish(&scene);

    scene_init(&scene, &galerna_policy_pacp, "low-deadline=6 high-deadline=3 window=1d");
    play(&scene, 20000);
    most = fill(&scene);
    lease = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_NOW);
    /* 20 s on the whole site, half of them 10 s and half 30 s: less variance than exponential ones
     * (5), so one more may be there. */
    assert_in_range(most, 5, 6);
    assert_non_null(strstr(scene.result->text, "run time 60 s, 7"));
    assert_non_null(strstr(scene.result->text, "local requests an hour"));
    finish(&scene);

    /* With the same told, but the variance of the local ones as in the reference: 5. */
    scene_init(&scene, &galerna_policy_pacp,
               "low-deadline=6 high-deadline=3 window=1d "
               "local-variation=1");
    play(&scene, 20000);
    assert_int_equal(fill(&scene), 5);
    finish(&scene);
}

/* After two windows without local requests more external ones are let in. */
static void pacp_forgets(void **state)
{
    struct scene scene;
    struct mock_lease held[50];
    int n = 0;

    scene_init(&scene, &galerna_policy_pacp,
               "low-deadline=2 high-deadline=2 external-gap=40 "
               "window=1h least=1 external-time=30");
    play(&scene, 3600);
    while (n < 50) {
        held[n] = new_lease(&scene, GALERNA_ORIGIN_EXTERNAL);
        if (!request(&scene, &held[n]))
            break;
        n++;
    }
    assert_in_range(n, 1, 10);
    for (int i = 0; i < n; i++)
        end(&scene, &held[i], 120);
    scene.now += 3 * 3600;
    assert_true(fill(&scene) > n);
    finish(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pacp_lets_in_what_the_analysis_says),
        cmocka_unit_test(refusals_have_numbers),
        cmocka_unit_test(local_requests_pass),
        cmocka_unit_test(aacp_takes_one_at_a_time),
        cmocka_unit_test(cacp_takes_all),
        cmocka_unit_test(racp_follows_its_formula),
        cmocka_unit_test(requests_of_one_moment_count),
        cmocka_unit_test(pacp_learns_from_what_it_sees),
        cmocka_unit_test(pacp_forgets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
