/* mov, mlip and moml against brute force, on leases that hold VMs on hosts for a part of the time.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "util/clock.h"
#include "util/unqualified.h"

extern const struct galerna_policy galerna_policy_mov, galerna_policy_mlip, galerna_policy_moml;

enum { LEASES_MAX = 1000, HOSTS_MAX = 64, PARTS = 3, SETS_MAX = 1 << 12 };

struct scene {
    struct mock_host *mock;
    struct mock_lease preemptor, leases[LEASES_MAX];
    struct galerna_victim victims[LEASES_MAX];
    size_t n;
    int hosts;
    int free[HOSTS_MAX][PARTS]; /* VMs that fit, by part of the interval */
    short holds[LEASES_MAX][HOSTS_MAX][PARTS];
    int needed; /* VMs, each on one host for all parts */
    size_t tests;
    uint64_t random;
};

static int below(struct scene *scene, int n)
{
    uint64_t z = scene->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

static int room(struct scene *scene, const size_t *chosen, size_t n_chosen)
{
    int sum = 0;

    for (int host = 0; host < scene->hosts; host++) {
        int least = 1 << 20;

        for (int part = 0; part < PARTS; part++) {
            int there = scene->free[host][part];

            for (size_t i = 0; i < n_chosen; i++)
                there += scene->holds[chosen[i]][host][part];
            least = there < least ? there : least;
        }
        sum += least;
    }
    return sum;
}

static bool enough(const struct galerna_victim_batch *batch, const size_t *chosen, size_t n_chosen)
{
    struct scene *scene = unqualified(batch->context);

    scene->tests++;
    return room(scene, chosen, n_chosen) >= scene->needed;
}

static void scene_init(struct scene *scene, uint64_t seed, size_t n, int hosts)
{
    memset(scene, 0, sizeof *scene);
    scene->mock = mock_host_create();
    assert_non_null(scene->mock);
    scene->random = seed;
    scene->n = n;
    scene->hosts = hosts;
    scene->preemptor = mock_lease(9999, GALERNA_LEASE_RESERVATION);
    for (size_t i = 0; i < n; i++) {
        struct mock_lease *lease = &scene->leases[i];
        int from = below(scene, PARTS), until = from + 1 + below(scene, PARTS - from);

        *lease = mock_lease((int64_t)i + 1, GALERNA_LEASE_BEST_EFFORT);
        lease->origin = GALERNA_ORIGIN_EXTERNAL;
        lease->vms = 1 + (uint32_t)below(scene, 4);
        if (below(scene, 3)) /* most leases are there all the time */
            from = 0, until = PARTS;
        for (uint32_t vm = 0; vm < lease->vms; vm++) {
            int host = below(scene, hosts);

            for (int part = from; part < until; part++)
                scene->holds[i][host][part]++;
        }
        scene->victims[i] = (struct galerna_victim){.lease = mock_lease_handle(lease),
                                                    .overhead = 10 * below(scene, 30)};
    }
    scene->needed = 1 + below(scene, (int)n * 2);
}

/* Let the module see what is free at the start, and how much the request asks for: it may then
 * leave out trials, and must come to the same answers. */
static void show_hosts(struct scene *scene)
{
    scene->preemptor.vms = (uint32_t)scene->needed;
    for (int host = 0; host < scene->hosts; host++) {
        const int64_t capacity[MOCK_TYPES] = {100000, 100000000};
        int64_t left[MOCK_TYPES] = {0, 100000000};

        for (int part = 0; part < PARTS; part++)
            scene->free[host][part] = below(scene, 2);
        left[GALERNA_CPU] = 100 * scene->free[host][0];
        assert_int_equal(mock_host_add(scene->mock, capacity, left), host);
    }
    for (size_t i = 0; i < scene->n; i++)
        scene->leases[i].amounts[GALERNA_CPU] = 100;
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

static size_t choose(struct scene *scene, const struct galerna_policy *policy, const char *options,
                     size_t *chosen)
{
    const struct galerna_victim_batch batch = {
        .size = sizeof batch,
        .victim_size = sizeof *scene->victims,
        .preemptor = mock_lease_handle(&scene->preemptor),
        .n_victims = scene->n,
        .victims = scene->victims,
        .enough = enough,
        .context = scene,
    };
    size_t n_chosen = SIZE_MAX;
    void *self = make(scene->mock, policy, options);

    scene->tests = 0;
    assert_int_equal(
        policy->preemption->choose(self, &batch, chosen, &n_chosen, mock_host_result(scene->mock)),
        GALERNA_OK);
    assert_true(n_chosen <= scene->n);
    return n_chosen;
}

/* ---- brute force ---- */

struct set {
    unsigned bits;
    int64_t overhead;
    int number;
};

struct brute {
    struct set sets[SETS_MAX]; /* minimal ones */
    size_t n;
};

static bool bits_are_enough(struct scene *scene, unsigned bits)
{
    size_t chosen[16], n = 0;

    for (unsigned i = 0; i < scene->n; i++)
        if (bits >> i & 1)
            chosen[n++] = i;
    return room(scene, chosen, n) >= scene->needed;
}

static void find_minimal(struct scene *scene, struct brute *brute)
{
    brute->n = 0;
    for (unsigned bits = 1; bits < 1u << scene->n; bits++) {
        struct set set = {.bits = bits};
        bool minimal = bits_are_enough(scene, bits);

        for (unsigned i = 0; i < scene->n && minimal; i++)
            if (bits >> i & 1) {
                minimal = !bits_are_enough(scene, bits & ~(1u << i));
                set.number++;
                set.overhead += scene->victims[i].overhead;
            }
        if (minimal)
            brute->sets[brute->n++] = set;
    }
}

static int by_ids(unsigned a, unsigned b)
{
    unsigned differ = a ^ b;

    return a & (differ & (~differ + 1)) ? -1 : 1;
}

static int by_overhead(const void *left, const void *right)
{
    const struct set *a = left, *b = right;

    if (a->overhead != b->overhead)
        return a->overhead < b->overhead ? -1 : 1;
    return a->number != b->number ? a->number - b->number : by_ids(a->bits, b->bits);
}

static unsigned bits_of(const size_t *chosen, size_t n)
{
    unsigned bits = 0;

    for (size_t i = 0; i < n; i++)
        bits |= 1u << chosen[i];
    return bits;
}

/* Sets are sorted by overhead. The fewest leases of those up to alpha. */
static unsigned fewest(const struct brute *brute, int64_t alpha)
{
    const struct set *best = NULL;

    for (size_t i = 0; i < brute->n; i++)
        if (brute->sets[i].overhead <= alpha && (!best || brute->sets[i].number < best->number))
            best = &brute->sets[i];
    return best ? best->bits : brute->sets[0].bits;
}

static unsigned answer(struct scene *scene, const struct galerna_policy *policy,
                       const char *options)
{
    size_t chosen[16];

    return bits_of(chosen, choose(scene, policy, options, chosen));
}

static void exact_answers_are_those_of_brute_force(void **state)
{
    static struct brute brute;
    static struct scene scene;
    int with_choice = 0, impossible = 0;

    for (uint64_t seed = 1; seed <= 3000; seed++) {
        int64_t median;

        scene_init(&scene, seed, 1 + seed % 10, 1 + (int)(seed / 10 % 5));
        if (seed % 3)
            show_hosts(&scene);
        find_minimal(&scene, &brute);
        if (room(&scene, NULL, 0) >= scene.needed) { /* nobody would ask */
            finish(&scene);
            continue;
        }
        if (brute.n == 0) {
            impossible++;
            assert_int_equal(answer(&scene, &galerna_policy_mov, NULL), 0);
            assert_int_equal(answer(&scene, &galerna_policy_moml, NULL), 0);
            finish(&scene);
            continue;
        }
        with_choice += brute.n > 2;
        qsort(brute.sets, brute.n, sizeof *brute.sets, by_overhead);
        median = brute.sets[(brute.n - 1) / 2].overhead;
        assert_int_equal(answer(&scene, &galerna_policy_mov, "tests=100000"), brute.sets[0].bits);
        assert_int_equal(answer(&scene, &galerna_policy_mlip, "tests=100000"),
                         fewest(&brute, GALERNA_NEVER));
        assert_int_equal(answer(&scene, &galerna_policy_moml, "tests=100000"),
                         fewest(&brute, median));
        assert_int_equal(answer(&scene, &galerna_policy_moml, "tests=100000 alpha=minimum"),
                         brute.sets[0].bits);
        assert_int_equal(answer(&scene, &galerna_policy_moml, "tests=100000 alpha=maximum"),
                         fewest(&brute, GALERNA_NEVER));
        assert_int_equal(answer(&scene, &galerna_policy_moml, "tests=100000 alpha=300"),
                         fewest(&brute, 300));
        assert_int_equal(mock_host_log_count(scene.mock), 0);
        finish(&scene);
    }
    assert_in_range(with_choice, 1000, 3000);
    assert_in_range(impossible, 100, 1900);
}

struct outcome {
    size_t n;
    int64_t overhead;
};

/* Choose, and check what holds of every answer, exact or not. */
static struct outcome properties(struct scene *scene, const struct galerna_policy *policy,
                                 const char *options, bool possible)
{
    static size_t chosen[LEASES_MAX], fewer[LEASES_MAX], again[LEASES_MAX];
    struct outcome outcome = {.n = choose(scene, policy, options, chosen)};

    if (!possible) {
        assert_int_equal(outcome.n, 0);
        return outcome;
    }
    assert_true(outcome.n > 0);
    assert_true(room(scene, chosen, outcome.n) >= scene->needed);
    for (size_t i = 0; i < outcome.n; i++) {
        const struct mock_lease *lease = &scene->leases[chosen[i]];
        size_t n = 0;

        for (size_t j = 0; j < outcome.n; j++)
            if (j != i)
                fewer[n++] = chosen[j];
        assert_true(n == outcome.n - 1); /* no lease twice */
        if (room(scene, fewer, n) >= scene->needed)
            fail_msg("%s: lease %zu is not needed", policy->name, chosen[i]);
        assert_int_not_equal(lease->terms, GALERNA_TERMS_NON_PREEMPTABLE);
        assert_int_equal(lease->origin, GALERNA_ORIGIN_EXTERNAL);
        outcome.overhead += scene->victims[chosen[i]].overhead;
    }
    assert_int_equal(choose(scene, policy, options, again), outcome.n);
    assert_memory_equal(again, chosen, outcome.n * sizeof *chosen);
    return outcome;
}

static bool is_possible(struct scene *scene)
{
    static size_t all[LEASES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < scene->n; i++)
        if (scene->leases[i].terms != GALERNA_TERMS_NON_PREEMPTABLE &&
            scene->leases[i].origin == GALERNA_ORIGIN_EXTERNAL)
            all[n++] = i;
    return room(scene, all, n) >= scene->needed;
}

static void properties_hold_with_few_tests(void **state)
{
    static struct scene scene;
    int cut = 0, checked = 0;

    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct outcome mov, mlip, moml;
        bool possible;

        scene_init(&scene, seed, 11 + seed % 40, 1 + (int)(seed % 9));
        for (size_t i = 0; i < scene.n; i++) {
            scene.leases[i].terms = (enum galerna_terms)below(&scene, 5);
            scene.leases[i].origin = (enum galerna_origin)(below(&scene, 6) > 0);
        }
        if (seed % 2)
            show_hosts(&scene);
        possible = is_possible(&scene) && room(&scene, NULL, 0) < scene.needed;
        if (room(&scene, NULL, 0) >= scene.needed) {
            finish(&scene);
            continue;
        }
        checked += possible;
        mov = properties(&scene, &galerna_policy_mov, NULL, possible);
        mlip = properties(&scene, &galerna_policy_mlip, NULL, possible);
        moml = properties(&scene, &galerna_policy_moml, NULL, possible);
        if (mock_host_log_count(scene.mock) == 0) { /* all exact */
            assert_true(mlip.n <= moml.n);
            assert_true(mov.overhead <= moml.overhead && mov.overhead <= mlip.overhead);
        } else {
            assert_non_null(
                strstr(mock_host_log_text(scene.mock), "were not exact (option tests)"));
            cut++;
        }
        finish(&scene);
    }
    assert_in_range(checked, 200, 600);
    assert_in_range(cut, 50, 600);
}

/* On average over many cases that cannot be searched through, the policies still do what they are
 * for. */
static void bounded_searches_keep_their_purpose(void **state)
{
    static struct scene scene;
    struct outcome sums[3] = {{0}};
    int checked = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        const struct galerna_policy *const policies[] = {&galerna_policy_mov, &galerna_policy_mlip,
                                                         &galerna_policy_moml};

        scene_init(&scene, seed, 60, 8);
        scene.needed = 20 + below(&scene, 20);
        if (seed % 2)
            show_hosts(&scene);
        if (!is_possible(&scene)) {
            finish(&scene);
            continue;
        }
        checked++;
        for (int i = 0; i < 3; i++) {
            struct outcome outcome = properties(&scene, policies[i], NULL, true);

            sums[i].n += outcome.n;
            sums[i].overhead += outcome.overhead;
        }
        finish(&scene);
    }
    assert_in_range(checked, 100, 200);
    assert_true(sums[0].overhead < sums[2].overhead && sums[2].overhead < sums[1].overhead);
    assert_true(sums[1].n < sums[2].n && sums[2].n < sums[0].n);
}

static void only_some_may_preempt(void **state)
{
    static struct scene scene;
    void *self;

    scene_init(&scene, 1, 5, 1);
    self = make(scene.mock, &galerna_policy_mov, NULL);
    for (int kind = GALERNA_LEASE_BEST_EFFORT; kind <= GALERNA_LEASE_DEADLINE; kind++) {
        scene.preemptor.kind = (enum galerna_lease_kind)kind;
        assert_int_equal(
            galerna_policy_mov.preemption->may_preempt(self, mock_lease_handle(&scene.preemptor)),
            kind != GALERNA_LEASE_BEST_EFFORT);
    }
    scene.preemptor.origin = GALERNA_ORIGIN_EXTERNAL;
    assert_false(
        galerna_policy_mov.preemption->may_preempt(self, mock_lease_handle(&scene.preemptor)));
    scene.needed = 1;
    scene.hosts = 1;
    assert_int_equal(answer(&scene, &galerna_policy_moml, NULL), 0);
    assert_int_not_equal(answer(&scene, &galerna_policy_moml, "preemptors=any"), 0);
    for (int i = 0; i < 5; i++)
        scene.leases[i].origin = GALERNA_ORIGIN_LOCAL;
    assert_int_equal(answer(&scene, &galerna_policy_mov, "preemptors=any"), 0);
    assert_int_not_equal(answer(&scene, &galerna_policy_mov, "preemptors=any victims=any"), 0);
    finish(&scene);
}

static double processor_ms(void)
{
    return (double)clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

/* What the choice itself costs; the trials cost here as little as they can. */
static void choices_are_quick(void **state)
{
    static const struct {
        size_t n;
        double limit; /* milliseconds */
    } sizes[] = {{30, 1}, {1000, 10}};
    static struct scene scene;
    static size_t chosen[LEASES_MAX];
    const struct galerna_policy *const policies[] = {&galerna_policy_mov, &galerna_policy_mlip,
                                                     &galerna_policy_moml};

    for (size_t s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++) {
            double least = 1e9, spent = 0, began, all;

            scene_init(&scene, 5, sizes[s].n, 1);
            memset(scene.free, 0, sizeof scene.free);
            scene.needed = 16;
            for (int round = 0; round < 5; round++) {
                began = processor_ms();
                assert_true(choose(&scene, policies[i], NULL, chosen) > 0);
                all = processor_ms() - began;
                spent = all < least ? all : least;
                least = spent;
            }
            print_message("%s, %zu leases: %.3f ms, %zu tests\n", policies[i]->name, sizes[s].n,
                          least, scene.tests);
            assert_true(least < sizes[s].limit);
            finish(&scene);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_answers_are_those_of_brute_force),
        cmocka_unit_test(properties_hold_with_few_tests),
        cmocka_unit_test(bounded_searches_keep_their_purpose),
        cmocka_unit_test(only_some_may_preempt),
        cmocka_unit_test(choices_are_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
