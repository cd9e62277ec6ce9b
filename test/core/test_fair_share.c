/* Fair share: usage fades with its half-life, and among leases of equal priority the one goes first
 * whose owner has used the least for their share. */
#include <math.h>

#include "core/fair_share.h"
#include "core/usage.h"
#include "scenario.h"
#include "test/support/random.h"

enum { HALF_LIFE = 1000, QUEUES = 150, LEASES = 40, USERS = 4 };

/* --- usage ------------------------------------------------------------------------------------ */

static void assert_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9 * fmax(1, fabs(wanted)))
        fail_msg("%.17g is not %.17g", value, wanted);
}

/* What [from, until) counts at a later time. */
static double counts(double cpu, double from, double until, double at, double half_life)
{
    return cpu * half_life / log(2) *
           (exp2(-(at - until) / half_life) - exp2(-(at - from) / half_life));
}

static void usage_fades_with_its_half_life(void **state)
{
    struct usage usage = {0};

    usage_add(&usage, HALF_LIFE, 100, 0, 50);
    assert_near(usage_until(&usage, HALF_LIFE, 50), counts(100, 0, 50, 50, HALF_LIFE));
    assert_near(usage_until(&usage, HALF_LIFE, 50 + HALF_LIFE),
                usage_until(&usage, HALF_LIFE, 50) / 2);
    assert_near(usage_until(&usage, HALF_LIFE, 50 + 3 * HALF_LIFE),
                usage_until(&usage, HALF_LIFE, 50) / 8);
    assert_true(usage_until(&usage, HALF_LIFE, INT64_C(1) << 40) == 0);
    assert_true(usage_until(&usage, HALF_LIFE, -7) == usage_until(&usage, HALF_LIFE, 50));
}

/* However the time is cut into pieces, and whether it is told as it passes or afterwards. */
static void any_history_counts_alike(void **state)
{
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct usage told_at_once = {0}, told_later = {0};
        int64_t now = 0, half_life;
        struct random random;
        double wanted = 0;
        struct {
            int64_t cpu, from, until;
        } uses[20];

        random_init(&random, seed);
        half_life = random_between(&random, 1, 100000);
        for (int i = 0; i < 20; i++) {
            uses[i].cpu = random_between(&random, 0, 1000);
            uses[i].from = now;
            usage_change(&told_at_once, half_life, now, uses[i].cpu);
            now += random_between(&random, 0, 5000);
            if (random_once_in(&random, 3))
                usage_change(&told_at_once, half_life, now, 0);
            now += random_between(&random, 0, 5000);
            uses[i].until = now;
            usage_change(&told_at_once, half_life, now, -uses[i].cpu);
            now += random_between(&random, 0, 100);
        }
        for (int i = 20; i-- > 0;) {
            usage_add(&told_later, half_life, uses[i].cpu, uses[i].from, uses[i].until);
            wanted += counts((double)uses[i].cpu, (double)uses[i].from, (double)uses[i].until,
                             (double)now, (double)half_life);
        }
        assert_near(usage_until(&told_at_once, half_life, now), wanted);
        assert_near(usage_until(&told_later, half_life, now), wanted);
    }
}

/* --- the queue -------------------------------------------------------------------------------- */

static void begin(struct scenario *s, enum fair_share_by by, enum backfilling backfilling)
{
    scenario_begin(s, 1);
    s->settings.fair_share.by = by;
    s->settings.fair_share.half_life = HALF_LIFE;
    s->settings.backfilling = backfilling;
    s->settings.suspension = SUSPENSION_NONE;
}

static void wish_of(struct scenario *s, int64_t id, int64_t user, int64_t group, int64_t duration)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_BEST_EFFORT,
                        .duration = duration,
                        .user = user,
                        .group = group});
}

/* One user fills the queue; when does the only lease of another one start? */
static int64_t start_beside_many(enum fair_share_by by, enum backfilling backfilling)
{
    struct scenario s;
    int64_t start;

    begin(&s, by, backfilling);
    s.settings.backfilling_reservations = 3;
    for (int64_t id = 1; id <= 20; id++)
        wish_of(&s, id, 1, 1, 100);
    settle(&s);
    at(&s, 10);
    wish_of(&s, 21, 2, 2, 100);
    run_to_end(&s);
    start = lease_of(&s, 21)->start_actual;
    expect_nothing_left(&s);
    scenario_end(&s);
    return start;
}

static void old_leases_of_one_user_do_not_starve_another(void **state)
{
    static const enum backfilling all[] = {BACKFILLING_OFF, BACKFILLING_AGGRESSIVE,
                                           BACKFILLING_INTERMEDIATE, BACKFILLING_CONSERVATIVE};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(start_beside_many(FAIR_SHARE_NO, all[i]), 2000);
        assert_int_equal(start_beside_many(FAIR_SHARE_USERS, all[i]), 100);
        assert_int_equal(start_beside_many(FAIR_SHARE_GROUPS, all[i]), 100);
    }
}

static void priority_comes_before_fair_share(void **state)
{
    struct scenario s;

    begin(&s, FAIR_SHARE_USERS, BACKFILLING_OFF);
    wish_of(&s, 1, 1, 0, 100);
    ask(&s, (struct ask){
                .id = 2, .kind = LEASE_BEST_EFFORT, .duration = 100, .user = 1, .priority = 1});
    wish_of(&s, 3, 2, 0, 100);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 0);
    assert_int_equal(lease_of(&s, 3)->start_actual, 100);
    assert_int_equal(lease_of(&s, 1)->start_actual, 200);
    scenario_end(&s);
}

/* As the policy `priority` with ageing: older leases are preferred. */
static void prefer_the_older(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = batch->victims[i].lease->request.submit > batch->preemptor->request.submit
                        ? 1
                        : POLICY_VETO;
}

/* When does the lease of the other user end, whose turn it is at 1000? Others ask meanwhile. */
static int64_t end_beside_older_leases(enum fair_share_by by)
{
    struct scenario s;
    int64_t end;

    begin(&s, by, BACKFILLING_AGGRESSIVE);
    s.settings.suspension = SUSPENSION_ALL;
    s.policies.score_victims = prefer_the_older;
    wish_of(&s, 1, 1, 0, 1000);
    wish_of(&s, 2, 1, 0, 1000);
    at(&s, 10);
    wish_of(&s, 3, 2, 0, 400);
    for (int64_t id = 4; id <= 6; id++) {
        at(&s, 1100 + 100 * (id - 4));
        wish_of(&s, id, 1, 0, 1000);
        settle(&s);
    }
    run_to_end(&s);
    end = lease_of(&s, 3)->end;
    scenario_end(&s);
    return end;
}

static void old_leases_do_not_preempt_whose_turn_it_is(void **state)
{
    assert_int_equal(end_beside_older_leases(FAIR_SHARE_NO), 2400);
    assert_int_equal(end_beside_older_leases(FAIR_SHARE_USERS), 1400);
}

static void what_was_used_before_counts(void **state)
{
    struct scenario s;

    begin(&s, FAIR_SHARE_USERS, BACKFILLING_OFF);
    adopt(&s, (struct ask){.id = 1, .kind = LEASE_BEST_EFFORT, .duration = 100, .user = 1},
          (struct adoption){.as = ADOPTED_QUEUED, .not_before = INSTANT_NONE});
    engine_use(s.engine, 1, 0, 5000);
    engine_use(s.engine, 2, 0, 4000);
    wish_of(&s, 2, 2, 0, 100);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 2)->start_actual, 0);
    assert_int_equal(lease_of(&s, 1)->start_actual, 100);
    scenario_end(&s);
}

/* --- random queues ---------------------------------------------------------------------------- */

struct account {
    double used, shares;
};

/* Usage at a time by what has run until then. */
static struct account account_of(struct scenario *s, int n, int64_t at, int64_t user, int64_t group)
{
    struct account account = {.shares = 1};

    for (size_t i = 0; i < s->settings.fair_share.n_weights; i++) {
        const struct fair_share_weight *weight = &s->settings.fair_share.weights[i];

        if (weight->id == (weight->is_group ? group : user) &&
            (weight->is_group ? user < 0 : user >= 0))
            account.shares = (double)weight->shares;
    }
    for (int64_t id = 1; id <= n; id++) {
        const struct lease *lease = lease_of(s, id);

        if (lease->start_actual < at && (group < 0 || lease->request.group == group) &&
            (user < 0 || lease->request.user == user))
            account.used += counts(SCENARIO_CPU, (double)lease->start_actual, (double)lease->end,
                                   (double)at, HALF_LIFE);
    }
    return account;
}

/* Below 0: `a` has less. */
static int compare(struct account a, struct account b)
{
    double one = a.used / a.shares, other = b.used / b.shares;

    if (fabs(one - other) <= 1e-9 * fmax(one, other))
        return 0;
    return one < other ? -1 : 1;
}

static bool should_go_first(struct scenario *s, int n, const struct lease *a, const struct lease *b)
{
    const struct lease_request *x = &a->request, *y = &b->request;
    bool by_group = s->settings.fair_share.by == FAIR_SHARE_GROUPS;
    int64_t at = b->start_actual;
    int order = 0;

    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (by_group && x->group != y->group)
        order = compare(account_of(s, n, at, -1, x->group), account_of(s, n, at, -1, y->group));
    if (order == 0 && (x->user != y->user || (by_group && x->group != y->group)))
        order = compare(account_of(s, n, at, x->user, by_group ? x->group : -1),
                        account_of(s, n, at, y->user, by_group ? y->group : -1));
    return order ? order < 0 : x->submit < y->submit || (x->submit == y->submit && x->id < y->id);
}

static void play(uint32_t seed, enum fair_share_by by)
{
    struct scenario s;
    struct random random;
    int n = 0;

    random_init(&random, seed);
    begin(&s, by, BACKFILLING_OFF);
    s.seed = seed;
    s.settings.fair_share.weights[0] = (struct fair_share_weight){false, 1, 3};
    s.settings.fair_share.weights[1] = (struct fair_share_weight){true, 2, 2};
    s.settings.fair_share.n_weights = 2;
    while (n < LEASES) {
        for (int64_t batch = random_between(&random, 1, 8); batch && n < LEASES; batch--)
            ask(&s, (struct ask){.id = ++n,
                                 .kind = LEASE_BEST_EFFORT,
                                 .duration = random_between(&random, 1, 300),
                                 .user = random_between(&random, 1, USERS),
                                 .group = random_between(&random, 1, 2),
                                 .priority = random_once_in(&random, 8) ? 500 : 0});
        settle(&s);
        at(&s, s.now + random_between(&random, 1, 600));
    }
    run_to_end(&s);
    for (int64_t one = 1; one <= n; one++)
        for (int64_t other = 1; other <= n; other++) {
            const struct lease *a = lease_of(&s, one), *b = lease_of(&s, other);

            if (a->request.submit <= b->start_actual && a->start_actual > b->start_actual &&
                should_go_first(&s, n, a, b))
                fail_msg("seed %u: lease %d started at %lld, before lease %d", seed, (int)other,
                         (long long)b->start_actual, (int)one);
        }
    scenario_end(&s);
}

static void whoever_used_the_least_for_their_share_goes_first(void **state)
{
    for (uint32_t seed = 1; seed <= QUEUES; seed++) {
        play(seed, FAIR_SHARE_USERS);
        play(seed, FAIR_SHARE_GROUPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_fades_with_its_half_life),
        cmocka_unit_test(any_history_counts_alike),
        cmocka_unit_test(old_leases_of_one_user_do_not_starve_another),
        cmocka_unit_test(priority_comes_before_fair_share),
        cmocka_unit_test(old_leases_do_not_preempt_whose_turn_it_is),
        cmocka_unit_test(what_was_used_before_counts),
        cmocka_unit_test(whoever_used_the_least_for_their_share_goes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
