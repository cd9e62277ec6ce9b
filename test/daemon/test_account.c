/* Who used and reserved how much: leases in memory and past ones, over any period. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/control/account.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"

/* Times of the story: seconds from the beginning. */
enum { BEGIN = 1795000000 };

static struct lease_record *add(struct store *store, int32_t id, const char *user, int64_t submit)
{
    struct lease_record *lease = store_add_lease(store, id);
    struct vm_record *vm = store_add_vm(store, id, id);

    vm->cpu = 200;
    vm->memory = 1024;
    lease->submit = BEGIN + submit;
    store_put_text(&lease->user, user, STORE_NAME_MAX);
    store_put_text(&lease->user_group, strcmp(user, "carl") == 0 ? "guests" : "staff",
                   STORE_NAME_MAX);
    return lease;
}

static void say(struct store *store, int64_t id, int64_t at, const char *word)
{
    store_history(store, id, BEGIN + at, word, "%s", "");
}

/* Lease 1 of anna ran from 1000 to 2000 and from 4000 to 5000, preempted in between; the record
 * knows 1800 seconds. It is in memory no more. Lease 2 of bert is a reservation from 3000 to 7000
 * that started at 3100 and runs. Lease 3 of carl was refused. Lease 4 of anna waits. */
static void tell_story(struct store_fixture *fixture)
{
    struct store *store = fixture->store;
    struct lease_record *lease = add(store, 1, "anna", 0);

    lease->phase = PHASE_ENDED;
    lease->accumulated = 1800;
    lease->end = BEGIN + 5000;
    vm_to_change(store, 1)->gone = true;
    say(store, 1, 0, "requested");
    say(store, 1, 1000, "running");
    say(store, 1, 1100, "preempted"); /* plans change: */
    say(store, 1, 1200, "kept");
    say(store, 1, 1300, "preempted");
    say(store, 1, 1990, "preempted");
    say(store, 1, 1995, "suspending");
    say(store, 1, 2000, "suspended");
    say(store, 1, 4000, "running");
    say(store, 1, 5000, "ended");
    lease = add(store, 2, "bert", 100);
    lease->kind = LEASE_RESERVATION;
    lease->accepted = true;
    lease->phase = PHASE_RUNNING;
    lease->start = BEGIN + 3000;
    lease->duration = 4000;
    lease->since = BEGIN + 3100;
    say(store, 2, 3100, "running");
    say(store, 2, 3100, "late");
    lease = add(store, 3, "carl", 200);
    lease->phase = PHASE_REFUSED;
    say(store, 3, 210, "refused");
    say(store, 3, 3004, "late");
    say(store, 3, 3100, "missed");
    add(store, 4, "anna", 9000);
    store_must_commit(store);
    store_reopen(fixture);
    assert_null(store_lease(fixture->store, 1));
}

static struct account_row *make(struct store *store, const struct account_period *period,
                                size_t limit, size_t *n)
{
    struct account *account = account_begin(store, period);
    struct account_period of;
    struct account_row *rows;
    struct error err = {0};
    int more, turns = 100;

    while ((more = account_go_on(account, limit, &err)) > 0)
        assert_true(turns-- > 0);
    if (more < 0)
        fail_msg("%s", err.text);
    rows = account_rows(account, &of, n);
    assert_memory_equal(&of, period, sizeof of);
    account_destroy(account);
    return rows;
}

static struct account_row row_of(struct store *store, const char *name, int64_t from, int64_t until)
{
    const struct account_period period = {BEGIN + from, BEGIN + until, BEGIN + 6000,
                                          strcmp(name, "staff") == 0};
    struct account_row row = {.leases = -1}, *rows;
    size_t n;

    rows = make(store, &period, 1000, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].name, name) == 0)
            row = rows[i];
    free(rows);
    return row;
}

static void a_lease_that_gives_way_is_preempted(void **state)
{
    struct store_fixture *fixture = *state;

    add(fixture->store, 5, "dora", 0);
    say(fixture->store, 5, 100, "running");
    say(fixture->store, 5, 200, "preempted");
    say(fixture->store, 5, 300, "gives-way");
    add(fixture->store, 6, "emil", 0); /* its time is over before it is to be preempted */
    say(fixture->store, 6, 100, "running");
    say(fixture->store, 6, 200, "preempted");
    say(fixture->store, 6, 300, "ending");
    store_must_commit(fixture->store);
    assert_int_equal(row_of(fixture->store, "dora", 0, 1000).preemptions, 1);
    assert_int_equal(row_of(fixture->store, "emil", 0, 1000).preemptions, 0);
}

/* Whatever the size of the pieces, and if a lease leaves memory between them. */
static void pieces_add_up(void **state)
{
    struct store_fixture *fixture = *state;
    const struct account_period period = {BEGIN, BEGIN + 10000, BEGIN + 6000, false};
    struct account_row *whole, *rows;
    struct account *account;
    struct account_period of;
    struct error err = {0};
    size_t n, n_rows;

    tell_story(fixture);
    whole = make(fixture->store, &period, 1000, &n);
    assert_int_equal(n, 3);
    for (size_t limit = 1; limit <= 3; limit++) {
        rows = make(fixture->store, &period, limit, &n_rows);
        assert_int_equal(n_rows, n);
        assert_memory_equal(rows, whole, n * sizeof *rows);
        free(rows);
    }
    say(fixture->store, 4, 9500, "refused"); /* not committed */
    account = account_begin(fixture->store, &period);
    assert_int_equal(account_go_on(account, 1, &err), 1);
    lease_to_change(fixture->store, 4)->phase = PHASE_ENDED;
    vm_to_change(fixture->store, 4)->gone = true;
    store_must_commit(fixture->store);
    store_forget_lease(fixture->store, 4);
    store_must_commit(fixture->store);
    while (account_go_on(account, 1, &err) > 0)
        continue;
    rows = account_rows(account, &of, &n_rows);
    assert_int_equal(n_rows, n);
    assert_int_equal(rows[0].leases, whole[0].leases);
    assert_int_equal(rows[0].refused, whole[0].refused + 1);
    account_destroy(account);
    free(rows);
    free(whole);
}

/* The first lease of all has the number 0. */
static void the_last_piece_may_be_full(void **state)
{
    struct store_fixture *fixture = *state;
    const struct account_period period = {BEGIN, BEGIN + 10000, BEGIN + 6000, false};
    struct account_row *rows;
    size_t n;

    for (int32_t id = 0; id < 2; id++) {
        add(fixture->store, id, "anna", 10)->phase = PHASE_REFUSED;
        vm_to_change(fixture->store, id)->gone = true;
    }
    store_must_commit(fixture->store);
    store_reopen(fixture);
    rows = make(fixture->store, &period, 2, &n);
    assert_int_equal(rows[0].leases, 2);
    free(rows);
}

static void all_is_summed_up(void **state)
{
    struct store_fixture *fixture = *state;
    struct account_row row;

    tell_story(fixture);
    row = row_of(fixture->store, "anna", 0, 10000);
    assert_int_equal(row.leases, 2);
    assert_int_equal(row.cpu, 1800 * 200);
    assert_int_equal(row.memory, 1800 * 1024);
    assert_int_equal(row.preemptions, 1);
    assert_int_equal(row.waits, 1);
    assert_int_equal(row.waited, 1000);
    assert_int_equal(row.cpu_reserved, 0);
    row = row_of(fixture->store, "bert", 0, 10000);
    assert_int_equal(row.cpu, 2900 * 200);
    assert_int_equal(row.cpu_kept, 2900 * 200);
    assert_int_equal(row.cpu_reserved, 4000 * 200);
    assert_int_equal(row.waited, 100);
    assert_int_equal(row.late, 1);
    row = row_of(fixture->store, "carl", 0, 10000);
    assert_int_equal(row.refused, 1);
    assert_int_equal(row.late, 1);
    assert_int_equal(row.cpu + row.waits, 0);
    row = row_of(fixture->store, "staff", 0, 10000);
    assert_int_equal(row.leases, 3);
    assert_int_equal(row.cpu, (1800 + 2900) * 200);
}

static void periods_add_up(void **state)
{
    struct store_fixture *fixture = *state;
    int64_t cpu = 0, reserved = 0;

    tell_story(fixture);
    assert_int_equal(row_of(fixture->store, "anna", 1000, 1500).cpu, 450 * 200);
    assert_int_equal(row_of(fixture->store, "anna", 2000, 4000).cpu, 0);
    assert_int_equal(row_of(fixture->store, "anna", 2000, 4000).preemptions, 0);
    assert_int_equal(row_of(fixture->store, "anna", 2000, 4000).leases, 1);
    assert_int_equal(row_of(fixture->store, "anna", 6000, 8000).leases, -1);
    for (int64_t from = 0; from < 10000; from += 1000) {
        struct account_row row = row_of(fixture->store, "bert", from, from + 1000);

        cpu += row.cpu;
        reserved += row.leases < 0 ? 0 : row.cpu_reserved;
    }
    assert_int_equal(cpu, 2900 * 200);
    assert_int_equal(reserved, 4000 * 200);
}

/* A reservation that is given up is held no longer than that. */
static void what_is_given_up_is_not_reserved(void **state)
{
    struct store_fixture *fixture = *state;
    struct lease_record *lease = add(fixture->store, 7, "anna", 0);

    lease->kind = LEASE_RESERVATION;
    lease->accepted = true;
    lease->phase = PHASE_ENDED;
    lease->start = BEGIN + 1000;
    lease->duration = 4000;
    say(fixture->store, 7, 1500, "ended");
    assert_int_equal(row_of(fixture->store, "anna", 0, 10000).cpu_reserved, 500 * 200);
    assert_int_equal(row_of(fixture->store, "anna", 0, 10000).cpu, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_is_summed_up), TEST(a_lease_that_gives_way_is_preempted),
        TEST(pieces_add_up),    TEST(the_last_piece_may_be_full),
        TEST(periods_add_up),   TEST(what_is_given_up_is_not_reserved),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
