/* What the engine gets out of chains, and what becomes of broken answers. */
#include <string.h>

#include "core/engine.h"
#include "plugin/galerna_policy.h"
#include "support.h"

enum { HOSTS = 4 };

struct selection {
    struct bench bench;
    struct site site;
    struct lease lease;
    struct host_batch batch;
    int64_t scores[HOSTS];
};

static const uint32_t places[HOSTS] = {0, 1, 2, 3};
static const int32_t present[HOSTS] = {0, 1, 2, 9};
static const int64_t unchanged[HOSTS] = {INSTANT_NEVER, 4600, 2800, 1000};

static void selection_init(struct selection *selection, const char *chain)
{
    bench_init(&selection->bench);
    test_site(&selection->site, HOSTS);
    selection->bench.settings.host_selection = chain;
    selection->lease = test_lease(1, LEASE_BEST_EFFORT);
    selection->batch = (struct host_batch){
        .lease = &selection->lease,
        .site = &selection->site,
        .at = 1000,
        .duration = 3600,
        .n_hosts = HOSTS,
        .hosts = places,
        .leases_present = present,
        .unchanged_until = unchanged,
    };
}

static void score(struct selection *selection)
{
    const struct policy_hooks *hooks = selection->bench.hooks;

    hooks->score_hosts(hooks->context, &selection->batch, selection->scores);
}

static void selection_finish(struct selection *selection)
{
    bench_stop(&selection->bench);
    site_finish(&selection->site);
}

static void one_module_scores_hosts(void **state)
{
    struct selection s;

    selection_init(&s, "greedy");
    bench_start(&s.bench);
    assert_int_equal(s.bench.hooks->host_columns,
                     HOST_COLUMN_LEASES | HOST_COLUMN_CHANGE | HOST_COLUMNS_SUFFICE);
    score(&s);
    assert_int_equal(s.scores[0], POLICY_SCORE_MAX);         /* 0.75 + 0.25 */
    assert_int_equal(s.scores[1], POLICY_SCORE_MAX / 8 * 7); /* 0.625 + 0.25 */
    assert_int_equal(s.scores[2], POLICY_SCORE_MAX / 8 * 5); /* 0.5 + 0.125 */
    assert_int_equal(s.scores[3], POLICY_SCORE_MAX / 4);     /* 0.25 + 0 */
    selection_finish(&s);
}

static void scores_are_weighted_and_vetoes_count(void **state)
{
    struct selection s;

    selection_init(&s, "hosts*3, more-hosts");
    bench_option(&s.bench, "hosts", "score", "100");
    bench_option(&s.bench, "more-hosts", "score", "20");
    bench_option(&s.bench, "more-hosts", "veto-place", "2");
    bench_start(&s.bench);
    score(&s);
    assert_int_equal(s.scores[0], (3 * 100 + 20) / 4);
    assert_int_equal(s.scores[2], POLICY_VETO);
    assert_int_equal(s.scores[3], 80);
    selection_finish(&s);
}

static void the_largest_scores_do_not_overflow(void **state)
{
    struct selection s;

    selection_init(&s, "hosts*100, no-policy*100, no-policy*100, no-policy*100");
    bench_option(&s.bench, "hosts", "score", "18014398509481984");
    bench_start(&s.bench);
    score(&s);
    assert_int_equal(s.scores[0], POLICY_SCORE_MAX);
    selection_finish(&s);
}

static void no_opinion_leaves_it_to_the_others(void **state)
{
    struct selection s;

    selection_init(&s, "hosts,more-hosts");
    bench_option(&s.bench, "hosts", "verdict", "skip");
    bench_option(&s.bench, "more-hosts", "score", "20");
    bench_start(&s.bench);
    score(&s);
    assert_int_equal(s.scores[0], 20);
    selection_finish(&s);

    selection_init(&s, "hosts");
    bench_option(&s.bench, "hosts", "verdict", "skip");
    bench_start(&s.bench);
    score(&s);
    assert_int_equal(s.scores[1], POLICY_SCORE_MAX);
    assert_int_equal(s.bench.n_lines, 0);
    selection_finish(&s);
}

static void scores_out_of_range_are_clamped_and_counted(void **state)
{
    static const struct {
        const char *score;
        int64_t clamped;
    } cases[] = {
        {"18014398509481985", POLICY_SCORE_MAX},
        {"9223372036854775807", POLICY_SCORE_MAX},
        {"-2", 0},
        {"-9223372036854775808", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct selection s;
        struct policy_status status;

        selection_init(&s, "hosts");
        s.bench.settings.faults_allowed = 10;
        bench_option(&s.bench, "hosts", "score", cases[i].score);
        bench_start(&s.bench);
        score(&s);
        for (size_t j = 0; j < HOSTS; j++)
            assert_int_equal(s.scores[j], cases[i].clamped);
        policy_host_status(s.bench.host, 2, &status);
        assert_int_equal(status.faults, HOSTS);
        assert_has(status.last_fault, cases[i].score);
        assert_false(status.replaced);
        assert_int_equal(bench_logged(&s.bench, "policy hosts gave an invalid answer: score gave"),
                         1);
        assert_int_equal(s.bench.n_lines, 1); /* logged once */
        selection_finish(&s);
    }
}

static void after_many_faults_the_built_in_default_takes_over(void **state)
{
    struct selection s;
    struct policy_status status;

    selection_init(&s, "hosts");
    s.bench.settings.faults_allowed = 3;
    bench_option(&s.bench, "hosts", "verdict", "error");
    bench_start(&s.bench);
    for (int i = 0; i < 5; i++) {
        score(&s);
        assert_int_equal(s.scores[0], POLICY_SCORE_MAX);
    }
    policy_host_status(s.bench.host, 2, &status);
    assert_true(status.replaced);
    assert_int_equal(status.faults, 3);
    assert_string_equal(status.last_fault, "score failed: no more scores today");
    assert_int_equal(
        bench_logged(&s.bench, "policy hosts is out of service: it gave 3 invalid answers"), 1);
    assert_int_equal(s.bench.n_lines, 2);
    selection_finish(&s);
}

static void a_verdict_without_meaning_is_a_fault(void **state)
{
    struct selection s;
    struct policy_status status;

    selection_init(&s, "hosts");
    bench_option(&s.bench, "hosts", "verdict", "nonsense");
    bench_start(&s.bench);
    score(&s);
    policy_host_status(s.bench.host, 2, &status);
    assert_string_equal(status.last_fault, "score returned verdict 77, which is not valid there");
    selection_finish(&s);
}

static void slow_calls_are_counted(void **state)
{
    struct selection s;
    struct policy_status status;

    selection_init(&s, "hosts");
    s.bench.settings.slow_call = 1000;
    bench_option(&s.bench, "hosts", "sleep", "3000");
    bench_start(&s.bench);
    score(&s);
    policy_host_status(s.bench.host, 2, &status);
    assert_int_equal(status.slow_calls, 1);
    assert_int_equal(status.faults, 0);
    assert_int_equal(bench_logged(&s.bench, "policy hosts is slow: score took"), 1);
    selection_finish(&s);
}

static void the_first_refusal_of_a_chain_is_recorded(void **state)
{
    struct bench bench;
    struct lease lease = test_lease(1, LEASE_RESERVATION);
    struct lease other = test_lease(5, LEASE_RESERVATION);
    struct lease best_effort = test_lease(7, LEASE_BEST_EFFORT);
    struct reason reason = {0};

    bench_init(&bench);
    bench.settings.admission = "accept-all,witness,no-ars";
    bench_start(&bench);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    assert_has(reason.text, "witness: ");
    assert_string_equal(reason_word(&reason), "options");
    /* The witness has no opinion on lease 5. */
    assert_false(bench.hooks->admit(bench.hooks->context, &other, 0, &reason));
    assert_string_equal(reason.text, "no-ars: advance reservations are not accepted here");
    assert_true(bench.hooks->admit(bench.hooks->context, &best_effort, 0, &reason));
    bench_stop(&bench);
}

/* Without an end, or with other characters than a module's word may have. */
static void malformed_texts_of_a_refusal_do_no_harm(void **state)
{
    struct bench bench;
    struct lease lease = test_lease(8, LEASE_RESERVATION);
    struct reason reason = {0};

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_start(&bench);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    assert_int_equal(strlen(reason.text), strlen("witness: ") + GALERNA_TEXT_MAX - 1);
    assert_string_equal(reason_word(&reason), "refused-by-policy");
    lease.request.id = 9;
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    assert_string_equal(reason.text, "witness: no");
    assert_string_equal(reason_word(&reason), "refused-by-policy");
    bench_stop(&bench);
}

static void a_failing_admission_refuses_and_is_counted(void **state)
{
    struct bench bench;
    struct lease lease = test_lease(6, LEASE_RESERVATION);
    struct reason reason;
    struct policy_status status;

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_start(&bench);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    policy_host_status(bench.host, 0, &status);
    assert_int_equal(status.faults, 1);
    assert_string_equal(status.last_fault, "admit failed: cannot say");
    assert_string_equal(reason_word(&reason), POLICY_OUT_OF_SERVICE);
    bench_stop(&bench);
}

static bool free_at(void *context, uint32_t place, int64_t at, int64_t *amounts)
{
    int *asked = context;

    ++*asked;
    memset(amounts, 0, RESOURCE_TYPES_MAX * sizeof *amounts);
    amounts[RESOURCE_CPU] = 10 * place + at;
    return true;
}

static void a_module_is_told_what_it_asks(void **state)
{
    const struct node_set sets[] = {{.count = 2, .amounts = {{100}}},
                                    {.count = 1, .amounts = {{250}}}};
    struct bench bench;
    struct site site;
    struct lease lease = test_lease(2, LEASE_DEADLINE);
    int asked = 0;
    struct policy_world world = {.context = &asked, .free_at = free_at};
    struct reason reason = {0};

    lease.request.terms = TERMS_MIGRATABLE;
    lease.request.origin = ORIGIN_EXTERNAL;
    lease.request.priority = -3500; /* rounded down */
    lease.request.user = 12;
    lease.request.submit = 77;
    lease.request.node_sets = sets;
    lease.request.n_node_sets = 2;
    lease.request.image = "debian";
    lease.n_vms = 3;
    test_site(&site, 2);
    bench_init(&bench);
    bench.settings.site = &site;
    bench.settings.admission = "witness";
    bench_start(&bench);
    policy_host_set_world(bench.host, &world);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 500, &reason));
    assert_string_equal(reason.text,
                        "witness: kind 3 terms 2 origin 1 priority -4 user 12 submit 77 duration "
                        "3600 vms 3 cpu 100,250,0 image debian");
    lease.request.id = 3;
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 500, &reason));
    assert_string_equal(reason.text, "witness: now 500 hosts 2 id 2,-1 capacity 4096 types 5 "
                                     "'Disk' 1,-1 free 1 510");
    assert_int_equal(asked, 2);
    bench_stop(&bench);
    site_finish(&site);
}

static void draw(uint64_t seed, char *text, size_t size)
{
    struct bench bench;
    struct lease lease = test_lease(4, LEASE_BEST_EFFORT);
    struct reason reason = {0};

    bench_init(&bench);
    bench.settings.seed = seed;
    bench.settings.admission = "witness";
    bench_start(&bench);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    assert_true(strlen(reason.text) < size);
    strcpy(text, reason.text);
    assert_false(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
    assert_string_not_equal(text, reason.text);
    bench_stop(&bench);
}

static int64_t estimate(const struct bench *bench)
{
    const uint32_t from[] = {3}, to[] = {5};
    struct lease lease = test_lease(4, LEASE_BEST_EFFORT);
    struct site site;
    const struct lease_estimate question = {
        .lease = &lease, .site = &site, .at = 100, .hosts = to, .from = from, .overhead = 40};
    int64_t milliseconds;

    test_site(&site, 6);
    milliseconds = bench->hooks->estimate(bench->hooks->context, &question);
    site_finish(&site);
    return milliseconds;
}

/* The first module with an opinion is believed; one that is below 0 is a fault. */
static void estimates_are_passed_on(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.host_selection = "hosts,no-policy,more-hosts";
    bench_option(&bench, "more-hosts", "estimate", "7000");
    bench_start(&bench);
    assert_int_equal(estimate(&bench), 7000 + 2 + 40);
    bench_stop(&bench);

    bench_init(&bench);
    bench.settings.host_selection = "hosts";
    bench_option(&bench, "hosts", "estimate", "-500");
    bench_start(&bench);
    assert_int_equal(estimate(&bench), -1);
    assert_int_equal(bench_logged(&bench, "estimate gave -458 milliseconds"), 1);
    bench_stop(&bench);

    bench_init(&bench);
    bench.settings.host_selection = "no-policy";
    bench_start(&bench);
    assert_null(bench.hooks->estimate);
    bench_stop(&bench);
}

static void random_numbers_follow_from_the_seed(void **state)
{
    char first[64], again[64], other[64];

    draw(1, first, sizeof first);
    draw(1, again, sizeof again);
    draw(2, other, sizeof other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
}

enum { VICTIMS = 5 };

struct scene {
    struct bench bench;
    struct lease preemptor, leases[VICTIMS];
    struct victim victims[VICTIMS];
    struct victim_test test;
    size_t needed; /* so many victims are enough */
};

static bool enough(const struct victim_test *test, const size_t *chosen, size_t n_chosen)
{
    const struct scene *scene = test->engine;

    for (size_t i = 0; i < n_chosen; i++)
        assert_true(chosen[i] < VICTIMS);
    return n_chosen >= scene->needed;
}

static void scene_init(struct scene *scene, const char *chain)
{
    bench_init(&scene->bench);
    scene->bench.settings.preemption = chain;
    scene->preemptor = test_lease(100, LEASE_RESERVATION);
    for (int i = 0; i < VICTIMS; i++) {
        scene->leases[i] = test_lease(i + 1, LEASE_BEST_EFFORT);
        scene->leases[i].request.submit = 100 * i;
        scene->victims[i] = (struct victim){.lease = &scene->leases[i], .overhead = 10 + i};
    }
    scene->test = (struct victim_test){.enough = enough, .engine = scene};
    scene->needed = 2;
}

static size_t choose(struct scene *scene, size_t *chosen)
{
    const struct policy_hooks *hooks = scene->bench.hooks;

    return hooks->choose_victims(
        hooks->context, &(struct victim_batch){&scene->preemptor, 1000, scene->victims, VICTIMS},
        &scene->test, chosen);
}

static void a_set_of_victims_is_chosen(void **state)
{
    struct scene scene;
    size_t chosen[VICTIMS];

    scene_init(&scene, "chooser");
    bench_start(&scene.bench);
    assert_int_equal(choose(&scene, chosen), 2);
    assert_int_equal(chosen[0], 4);
    assert_int_equal(chosen[1], 3);
    scene.needed = VICTIMS + 1;
    assert_int_equal(choose(&scene, chosen), 0);
    bench_stop(&scene.bench);
}

static void wrong_sets_are_faults_and_preempt_nobody(void **state)
{
    static const struct {
        const char *how, *text;
    } cases[] = {
        {"outside", "choose named leases (2) that are not distinct ones of the candidates (5)"},
        {"twice", "choose named leases (2) that are not distinct ones"},
        {"too-many", "choose named leases (6) that are not distinct ones"},
        {"too-few", "choose named leases (1) that do not make enough room"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct policy_status status;
        size_t chosen[VICTIMS];

        scene_init(&scene, "chooser");
        scene.bench.settings.faults_allowed = 2;
        bench_option(&scene.bench, "chooser", "how", cases[i].how);
        bench_start(&scene.bench);
        assert_int_equal(choose(&scene, chosen), 0);
        policy_host_status(scene.bench.host, 1, &status);
        assert_int_equal(status.faults, 1);
        assert_has(status.last_fault, cases[i].text);
        assert_int_equal(choose(&scene, chosen), 0);
        assert_int_equal(choose(&scene, chosen), 0); /* the built-in default by now */
        policy_host_status(scene.bench.host, 1, &status);
        assert_true(status.replaced);
        assert_false(scene.bench.hooks->may_preempt(scene.bench.hooks->context, &scene.preemptor));
        bench_stop(&scene.bench);
    }
}

static void none_is_no_fault(void **state)
{
    struct scene scene;
    struct policy_status status;
    size_t chosen[VICTIMS];

    scene_init(&scene, "chooser");
    bench_option(&scene.bench, "chooser", "how", "none");
    bench_start(&scene.bench);
    assert_int_equal(choose(&scene, chosen), 0);
    policy_host_status(scene.bench.host, 1, &status);
    assert_int_equal(status.faults, 0);
    bench_stop(&scene.bench);
}

static void vetoed_victims_are_not_offered(void **state)
{
    struct scene scene;
    size_t chosen[VICTIMS];

    scene_init(&scene, "ar-preempts-everything,chooser");
    scene.leases[4].request.terms = TERMS_NON_PREEMPTABLE;
    scene.leases[2].request.terms = TERMS_NON_PREEMPTABLE;
    bench_start(&scene.bench);
    assert_int_equal(choose(&scene, chosen), 2);
    assert_int_equal(chosen[0], 3);
    assert_int_equal(chosen[1], 1);
    bench_stop(&scene.bench);
}

static void victims_are_scored(void **state)
{
    struct scene scene;
    int64_t scores[VICTIMS];
    const struct policy_hooks *hooks;

    scene_init(&scene, "ar-preempts-everything");
    scene.leases[1].request.terms = TERMS_NON_PREEMPTABLE;
    bench_start(&scene.bench);
    hooks = scene.bench.hooks;
    assert_null(hooks->choose_victims);
    assert_true(hooks->may_preempt(hooks->context, &scene.preemptor));
    assert_false(hooks->may_preempt(hooks->context, &scene.leases[0]));
    hooks->score_victims(hooks->context,
                         &(struct victim_batch){&scene.preemptor, 1000, scene.victims, VICTIMS},
                         scores);
    assert_int_equal(scores[1], POLICY_VETO);
    assert_true(scores[4] > scores[3] && scores[3] > scores[2] && scores[2] > scores[0]);
    bench_stop(&scene.bench);
}

static void modules_are_told_events(void **state)
{
    struct bench bench;
    struct lease lease = test_lease(9, LEASE_BEST_EFFORT);
    struct engine_output items[] = {
        {.kind = OUTPUT_REQUESTED, .time = 5, .lease = &lease, .accepted = true},
        {.kind = OUTPUT_STATE, .time = 6, .lease = &lease, .from = LEASE_READY, .to = LEASE_ACTIVE},
        {.kind = OUTPUT_STATE, .time = 6, .lease = &lease, .from = LEASE_NEW, .to = LEASE_PENDING},
        {.kind = OUTPUT_PREEMPTED, .time = 7, .lease = &lease, .other = 3},
        {.kind = OUTPUT_STATE,
         .time = 8,
         .lease = &lease,
         .from = LEASE_RESUMED_READY,
         .to = LEASE_ACTIVE},
        {.kind = OUTPUT_FINISHED, .time = 9, .lease = &lease},
    };
    const struct engine_outputs outputs = {.items = items, .n_items = 6};
    struct observer observer;

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_start(&bench);
    assert_true(policy_host_wants_events(bench.host));
    observer = policy_host_observer(bench.host);
    assert_int_equal(observer.step(observer.context, NULL, 9, &outputs, NULL), 0);
    assert_int_equal(bench_logged(&bench, "policy witness: event "), 5);
    assert_int_equal(bench_logged(&bench, "event 0 at 5 lease 9 other -1 accepted 1"), 1);
    assert_int_equal(bench_logged(&bench, "event 1 at 6"), 1);
    assert_int_equal(bench_logged(&bench, "event 2 at 7 lease 9 other 3"), 1);
    assert_int_equal(bench_logged(&bench, "event 3 at 8"), 1);
    assert_int_equal(bench_logged(&bench, "event 4 at 9"), 1);
    bench_stop(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_module_scores_hosts),
        cmocka_unit_test(scores_are_weighted_and_vetoes_count),
        cmocka_unit_test(the_largest_scores_do_not_overflow),
        cmocka_unit_test(no_opinion_leaves_it_to_the_others),
        cmocka_unit_test(scores_out_of_range_are_clamped_and_counted),
        cmocka_unit_test(after_many_faults_the_built_in_default_takes_over),
        cmocka_unit_test(a_verdict_without_meaning_is_a_fault),
        cmocka_unit_test(slow_calls_are_counted),
        cmocka_unit_test(the_first_refusal_of_a_chain_is_recorded),
        cmocka_unit_test(malformed_texts_of_a_refusal_do_no_harm),
        cmocka_unit_test(a_failing_admission_refuses_and_is_counted),
        cmocka_unit_test(a_module_is_told_what_it_asks),
        cmocka_unit_test(estimates_are_passed_on),
        cmocka_unit_test(random_numbers_follow_from_the_seed),
        cmocka_unit_test(a_set_of_victims_is_chosen),
        cmocka_unit_test(wrong_sets_are_faults_and_preempt_nobody),
        cmocka_unit_test(none_is_no_fault),
        cmocka_unit_test(vetoed_victims_are_not_offered),
        cmocka_unit_test(victims_are_scored),
        cmocka_unit_test(modules_are_told_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
