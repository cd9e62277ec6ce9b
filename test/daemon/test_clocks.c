/* Clocks that are set or differ, and the times that depend on them. */
#include "daemon/live/clocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/store/store.h"
#include "test/daemon/store_fixture.h"

static void a_clock_that_is_set_is_noticed(void **state)
{
    struct clocks clocks = {0};

    assert_int_equal(clocks_watch(&clocks, 1000000, 5000), 0); /* the first look */
    assert_int_equal(clocks_watch(&clocks, 1060000, 65000), 0);
    assert_int_equal(clocks_watch(&clocks, 1061500, 65500), 0); /* steered, not set */
    assert_int_equal(clocks_watch(&clocks, 4662500, 66500), 3600 * 1000);
    assert_int_equal(clocks_watch(&clocks, 4663500, 67500), 0);
    assert_int_equal(clocks_watch(&clocks, 1063500, 67500), -3600 * 1000);
    assert_int_equal(clocks_watch(&clocks, 9063500, 8067500), 0); /* asleep for long */
}

static void dates_tell_how_far_the_other_clock_is_ahead(void **state)
{
    struct clocks clocks = {0};

    assert_int_equal(clocks_compare(&clocks, 1001, 1000), 0);
    assert_true(clocks.known);
    assert_int_equal(clocks.ahead, 0);

    /* One date may be wrong. */
    assert_int_equal(clocks_compare(&clocks, 1500, 1010), 0);
    assert_int_equal(clocks_compare(&clocks, 1020, 1020), 0);
    assert_int_equal(clocks_compare(&clocks, 1630, 1030), 0);
    assert_int_equal(clocks_compare(&clocks, 1940, 1040), 0);
    assert_int_equal(clocks.ahead, 0);
    assert_int_equal(clocks_compare(&clocks, 1951, 1050), 901);
    assert_int_equal(clocks.ahead, 901);
    assert_int_equal(clocks_compare(&clocks, 1959, 1060), 0); /* as good as the same */
    assert_int_equal(clocks_compare(&clocks, 1070, 1070), 0);
    assert_int_equal(clocks_compare(&clocks, 1080, 1080), -901);
    assert_int_equal(clocks.ahead, 0);
}

static void no_vm_is_created_in_the_future(void **state)
{
    struct daemon daemon = {.clocks = {.ahead = 3600}};
    int64_t theirs = clock_now() + 3600;

    assert_int_equal(clocks_ahead_at(&daemon, theirs - 60), 3600);
    daemon.clocks.ahead = -1400; /* it was set back by 5,000 s */
    assert_in_range(clocks_ahead_at(&daemon, theirs - 60), 3538, 3540);
    assert_int_equal(clocks_ahead_at(&daemon, theirs - 6000), -1400);
}

/* Before three dates have agreed that OpenNebula's clock was set back. */
static void a_vm_that_was_created_since_the_clock_was_set(void **state)
{
    struct daemon daemon = {.clocks = {.known = true}};
    int64_t now = clock_now();

    assert_int_equal(clocks_compare(&daemon.clocks, now - 3600, now), 0);
    assert_int_equal(clocks_ahead_at(&daemon, now - 3602), -3600);
    assert_int_equal(clocks_ahead_at(&daemon, now - 2), 0); /* created before */
    assert_int_equal(daemon.clocks.ahead, 0);
}

static void the_first_date_is_no_jump(void **state)
{
    struct clocks clocks = {0};

    assert_int_equal(clocks_compare(&clocks, 500, 4100), 0);
    assert_int_equal(clocks.ahead, -3600);
}

static struct vm_history record(int32_t sequence, int64_t rstime)
{
    return (struct vm_history){.sequence = sequence, .rstime = rstime};
}

/* Set while a VM runs: it has not run longer for that. */
static void a_vm_runs_since_when_it_ran(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct daemon daemon = {.store = store, .clocks = {.known = true, .ahead = 100}};
    struct lease_record *lease = store_add_lease(store, 1);
    struct vm_record *vm = store_add_vm(store, 1, 1);
    struct vm_observation observed = {.has_times = true, .history = record(0, 0)};

    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 0);
    observed.history.rstime = 5100;
    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 5000);
    daemon.clocks.ahead = 3700; /* OpenNebula's was set: the record's begin was told before */
    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 5000);
    vm->since_told = SINCE_NOT;
    lease->phase = PHASE_RUNNING;
    lease->since = 5000;
    observed.history = record(1, 10000);
    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 6300);
}

static void after_a_restart_the_store_knows(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct daemon daemon = {.store = store, .clocks = {.known = true, .ahead = 3600}};
    struct lease_record *lease = store_add_lease(store, 1);
    struct vm_record *vm = store_add_vm(store, 1, 1);
    struct vm_observation observed = {.has_times = true, .history = record(1, 5000)};

    lease->phase = PHASE_RUNNING;
    lease->since = 5000;
    vm->sequence = 0;
    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 5000);
    vm->since_told = 0;
    vm->sequence = -1; /* another record than that of the store */
    assert_int_equal(clocks_running_since(&daemon, lease, vm, &observed), 1400);
}

static struct lease_record *add(struct daemon *daemon, int64_t id, enum lease_phase phase,
                                enum lease_kind kind)
{
    struct lease_record *lease = store_add_lease(daemon->store, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->submit = 1000;
    lease->start = lease->earliest = lease->deadline = lease->expected = INSTANT_NONE;
    lease->since = INSTANT_NONE;
    lease->end = lease->group_until = INSTANT_NEVER;
    lease->duration = 600;
    return lease;
}

static void lengths_stay_as_they_are(void **state)
{
    struct store_fixture *fixture = *state;
    struct daemon daemon = {.store = fixture->store, .clocks = {.known = true}};
    struct lease_record *runs = add(&daemon, 1, PHASE_RUNNING, LEASE_BEST_EFFORT);
    struct lease_record *later = add(&daemon, 2, PHASE_RESERVED, LEASE_RESERVATION);
    struct lease_record *noon = add(&daemon, 3, PHASE_RESERVED, LEASE_RESERVATION);
    struct lease_record *over = add(&daemon, 4, PHASE_ENDED, LEASE_BEST_EFFORT);
    struct lease_record *due = add(&daemon, 5, PHASE_WAITING, LEASE_BEST_EFFORT);
    struct vm_record *vm = store_add_vm(daemon.store, 1, 1);

    runs->since = 2000;
    runs->end = 2600;
    later->start = 3000;
    later->relative = RELATIVE_START;
    noon->start = 3000;
    over->end = 1500;
    due->earliest = 3000;
    due->deadline = 9000;
    due->relative = RELATIVE_EARLIEST;
    vm->next_try = 2100;
    vm->sent = INSTANT_NONE;

    clocks_move(&daemon, -500);
    assert_int_equal(runs->since, 1500);
    assert_int_equal(runs->end, 2100);
    assert_int_equal(later->start, 2500);
    assert_int_equal(noon->start, 3000);
    assert_int_equal(over->end, 1500);
    assert_int_equal(due->earliest, 2500);
    assert_int_equal(due->deadline, 9000);
    assert_true(due->end == INSTANT_NEVER && due->start == INSTANT_NONE);
    assert_int_equal(vm->next_try, 1600);
    assert_true(vm->sent == INSTANT_NONE);
    assert_int_equal(daemon.clocks.ahead, 500);

    /* It lasts. */
    store_must_commit(daemon.store);
    store_reopen(fixture);
    assert_int_equal(store_lease(fixture->store, 2)->start, 2500);
    assert_int_equal(store_lease(fixture->store, 2)->relative, RELATIVE_START);
}

enum { WALL = 1000 * 1000, STEADY = 50 * 1000 /* milliseconds */ };

/* galernad ran in the boot "b1" and wrote its store with a lease that runs since 900. */
static struct daemon stopped(struct store_fixture *fixture)
{
    struct daemon daemon = {
        .store = fixture->store,
        .clocks = {.known = true, .ahead = 100, .wall = WALL, .steady = STEADY, .boot = "b1"}};
    struct lease_record *lease = add(&daemon, 1, PHASE_RUNNING, LEASE_BEST_EFFORT);

    lease->since = 900;
    lease->end = 1500;
    clocks_remember(&daemon);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    return (struct daemon){.store = fixture->store};
}

/* It starts again in that boot or another one. */
static struct daemon started(struct store_fixture *fixture, const char *boot, int64_t wall,
                             int64_t steady)
{
    struct daemon daemon = stopped(fixture);

    snprintf(daemon.clocks.boot, sizeof daemon.clocks.boot, "%s", boot);
    clocks_recall(&daemon, wall, steady);
    assert_int_equal(daemon.clocks.wall, wall);
    assert_int_equal(daemon.clocks.steady, steady);
    return daemon;
}

static void expect_set(const struct daemon *daemon, int64_t by, int64_t ahead)
{
    const struct lease_record *lease = store_lease(daemon->store, 1);

    assert_int_equal(daemon->clocks.set_by, by);
    assert_int_equal(lease->since, 900 + by);
    assert_int_equal(lease->end, 1500 + by);
    assert_int_equal(daemon->clocks.ahead, ahead);
}

static void a_pause_is_no_jump(void **state)
{
    struct daemon daemon = started(*state, "b1", WALL + 7201 * 1000, STEADY + 7200 * 1000);

    expect_set(&daemon, 0, 100);
    assert_int_equal(daemon.clocks.set_at, 0);
    assert_true(daemon.clocks.known);
}

static void a_clock_set_back_meanwhile_is_noticed(void **state)
{
    struct daemon daemon = started(*state, "b1", WALL - 3590 * 1000, STEADY + 10 * 1000);

    expect_set(&daemon, -3600, 3700);
    assert_int_equal(daemon.clocks.set_at, 1000 - 3590);
    assert_int_equal(daemon.clocks.set_when, CLOCKS_DOWN);
    assert_true(daemon.clocks.known);
}

static void a_clock_set_forward_meanwhile_is_noticed(void **state)
{
    struct daemon daemon = started(*state, "b1", WALL + 3610 * 1000, STEADY + 10 * 1000);

    expect_set(&daemon, 3600, -3500);
}

/* How long the machine was down is not known. */
static void over_a_boot_time_never_runs_backwards(void **state)
{
    struct daemon daemon = started(*state, "b2", WALL - 300 * 1000, 5000);

    expect_set(&daemon, -300, 0);
    assert_int_equal(daemon.clocks.set_when, CLOCKS_DOWN_AT_LEAST);
    assert_false(daemon.clocks.known);
}

static void over_a_boot_nothing_else_is_noticed(void **state)
{
    struct daemon daemon = started(*state, "b2", WALL + 3600 * 1000, 5000);

    expect_set(&daemon, 0, 0);
    assert_false(daemon.clocks.known);
}

static void a_boot_without_a_name_is_another_one(void **state)
{
    struct daemon daemon = started(*state, "", WALL + 3600 * 1000, STEADY);

    expect_set(&daemon, 0, 0);
}

static void a_damaged_memory_is_none(void **state)
{
    struct store_fixture *fixture = *state;
    struct daemon daemon = stopped(fixture);

    store_set_fact(fixture->store, "clock", "12 x");
    clocks_recall(&daemon, 500, 600);
    expect_set(&daemon, 0, 0);
    assert_int_equal(daemon.clocks.wall, 500);
}

static void collect(void *context, const struct store_event *event)
{
    char *text = context;

    snprintf(text, 64, "%s %s", event->event, event->text);
}

static void it_stands_in_the_history(void **state)
{
    struct daemon daemon = started(*state, "b1", WALL - 3590 * 1000, STEADY + 10 * 1000);
    char text[64] = "";

    store_each_event(daemon.store, STORE_NO_LEASE, 1, collect, text, NULL);
    assert_string_equal(text, "clock-set back by 1h00m while galernad was not running");
}

static void this_boot_has_a_name_that_stays(void **state)
{
    char one[CLOCKS_BOOT_MAX], two[CLOCKS_BOOT_MAX];

    clocks_boot(one);
    clocks_boot(two);
    assert_string_equal(one, two);
    assert_null(strpbrk(one, " \n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

#define TEST_OF_STORE(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_is_set_is_noticed),
        cmocka_unit_test(dates_tell_how_far_the_other_clock_is_ahead),
        cmocka_unit_test(no_vm_is_created_in_the_future),
        cmocka_unit_test(a_vm_that_was_created_since_the_clock_was_set),
        cmocka_unit_test(the_first_date_is_no_jump),
        TEST_OF_STORE(a_vm_runs_since_when_it_ran),
        TEST_OF_STORE(after_a_restart_the_store_knows),
        TEST_OF_STORE(lengths_stay_as_they_are),
        TEST(a_pause_is_no_jump),
        TEST(a_clock_set_back_meanwhile_is_noticed),
        TEST(a_clock_set_forward_meanwhile_is_noticed),
        TEST(over_a_boot_time_never_runs_backwards),
        TEST(over_a_boot_nothing_else_is_noticed),
        TEST(a_boot_without_a_name_is_another_one),
        TEST(a_damaged_memory_is_none),
        TEST(it_stands_in_the_history),
        cmocka_unit_test(this_boot_has_a_name_that_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
