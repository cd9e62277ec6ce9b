/* What users have used: charged once, for whatever their VMs ran, also over a restart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "daemon/state/user_usage.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

enum { NOW = 1795273200, DAY = 86400, ANNA = 5, BERT = 6, STAFF = 100, GUESTS = 101 };

static const struct fair_share_settings users = {.by = FAIR_SHARE_USERS, .half_life = DAY};

static struct lease_record *add(struct store *store, int32_t id, int32_t uid, int32_t gid)
{
    struct lease_record *lease = store_add_lease(store, id);

    lease->uid = uid;
    lease->gid = gid;
    store_add_vm(store, id, id)->cpu = 100;
    store_add_vm(store, id + 1, id)->cpu = 50;
    return lease;
}

static double used_at(const struct store *store, int32_t uid, int32_t gid, int64_t now)
{
    size_t n;
    struct used *all = usage_now(store, &users, now, &n);
    double used = 0;

    for (size_t i = 0; i < n; i++)
        if (all[i].uid == uid && all[i].gid == gid)
            used += all[i].used;
    free(all);
    return used;
}

/* 1.5 CPU in [from, until), at a later time. */
static double counts(double from, double until, double at)
{
    return 150 * DAY / log(2) * (exp2(-(at - until) / DAY) - exp2(-(at - from) / DAY));
}

static void assert_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-6 * fmax(1, wanted))
        fail_msg("%.17g is not %.17g", value, wanted);
}

static void what_runs_counts_and_is_charged_when_it_stops(void **state)
{
    struct store_fixture *fixture = *state;
    struct store *store = fixture->store;

    add(store, 1, ANNA, STAFF)->since = NOW - 1000;
    add(store, 11, BERT, STAFF);
    usage_charge(store, &users, NOW);
    assert_true(store_fact(store, "usage 5 100") == NULL); /* nothing is written while it runs */
    assert_near(used_at(store, ANNA, STAFF, NOW), counts(-1000, 0, 0));
    assert_true(used_at(store, BERT, STAFF, NOW) == 0);

    lease_to_change(store, 1)->since = INSTANT_NONE; /* suspended */
    lease_to_change(store, 1)->accumulated = 1000;
    assert_near(used_at(store, ANNA, STAFF, NOW), counts(-1000, 0, 0));
    usage_charge(store, &users, NOW);
    assert_int_equal(store_lease(store, 1)->charged, 1000);
    usage_charge(store, &users, NOW + 5); /* once only */
    assert_near(used_at(store, ANNA, STAFF, NOW + DAY), counts(-1000, 0, DAY));
    store_must_commit(store);
    store_reopen(fixture);
    store = fixture->store;
    assert_near(used_at(store, ANNA, STAFF, NOW + DAY), counts(-1000, 0, DAY));

    lease_to_change(store, 1)->since = NOW + DAY; /* resumed, and it ends */
    assert_near(used_at(store, ANNA, STAFF, NOW + DAY + 500),
                counts(-1000, 0, DAY + 500) + counts(DAY, DAY + 500, DAY + 500));
    lease_to_change(store, 1)->since = INSTANT_NONE;
    lease_to_change(store, 1)->accumulated = 1500;
    lease_to_change(store, 1)->phase = PHASE_ENDED;
    usage_charge(store, &users, NOW + DAY + 500);
    store_must_commit(store);
    store_forget_lease(store, 1);
    assert_near(used_at(store, ANNA, STAFF, NOW + 2 * DAY),
                counts(-1000, 0, 2 * DAY) + counts(DAY, DAY + 500, 2 * DAY));
}

static void less_than_was_charged_charges_nothing(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;

    add(store, 1, ANNA, STAFF)->accumulated = 700;
    lease_to_change(store, 1)->charged = 1000; /* OpenNebula's history was corrected */
    usage_charge(store, &users, NOW);
    assert_int_equal(store_lease(store, 1)->charged, 1000);
    assert_true(used_at(store, ANNA, STAFF, NOW) == 0);
}

static void without_fair_share_nothing_is_written(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct fair_share_settings off = {.by = FAIR_SHARE_NO, .half_life = DAY};

    add(store, 1, ANNA, STAFF)->accumulated = 700;
    usage_charge(store, &off, NOW);
    assert_int_equal(store_lease(store, 1)->charged, 0);
    assert_true(store_fact(store, "usage 5 100") == NULL);
}

static void a_damaged_account_is_an_empty_one(void **state)
{
    static const char *const wrong[] = {"", "nan 5", "-7 5", "1e300 5", "many"};
    struct store *store = ((struct store_fixture *)*state)->store;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        store_set_fact(store, "usage 5 100", wrong[i]);
        assert_true(used_at(store, ANNA, STAFF, NOW) == 0);
    }
    store_set_fact(store, "usage five 100", "1000 5");
    assert_true(used_at(store, ANNA, STAFF, NOW) == 0);
}

static void accounts_add_up_by_user_or_group(void **state)
{
    struct fair_share_settings settings = users;
    struct store *store = ((struct store_fixture *)*state)->store;
    struct fair_share *shares;
    struct share_view view;

    store_set_fact(store, "usage 5 100", "1000 1795273200");
    store_set_fact(store, "usage 5 101", "200 1795273200");
    store_set_fact(store, "usage 6 100", "30 1795273200");
    shares = usage_shares(store, &settings, NOW);
    view = share_look(shares, fair_share_of(shares, ANNA, GUESTS), NOW);
    assert_near(view.used, 1200);
    assert_int_equal(view.group_shares, 0);
    assert_true(share_compare(shares, fair_share_of(shares, BERT, STAFF),
                              fair_share_of(shares, ANNA, GUESTS), NOW) < 0);
    fair_share_destroy(shares);
    settings.by = FAIR_SHARE_GROUPS;
    shares = usage_shares(store, &settings, NOW);
    view = share_look(shares, fair_share_of(shares, ANNA, STAFF), NOW);
    assert_near(view.used, 1000);
    assert_near(view.group_used, 1030);
    assert_true(share_compare(shares, fair_share_of(shares, BERT, STAFF),
                              fair_share_of(shares, ANNA, GUESTS), NOW) > 0);
    fair_share_destroy(shares);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_runs_counts_and_is_charged_when_it_stops),
        TEST(less_than_was_charged_charges_nothing),
        TEST(without_fair_share_nothing_is_written),
        TEST(a_damaged_account_is_an_empty_one),
        TEST(accounts_add_up_by_user_or_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
