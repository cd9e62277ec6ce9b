#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapters/opennebula/rpc.h"
#include "daemon/book.h"
#include "daemon/daemon.h"
#include "daemon/reconcile_inside.h"
#include "test/daemon/book_fixture.h"

static struct book_lease *add(struct daemon *daemon, int64_t id, enum lease_phase phase,
                              enum lease_kind kind)
{
    struct book_lease *lease = book_add_lease(daemon->book, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->duration = 600;
    return lease;
}

static void a_start_that_was_missed_is_looked_at_at_once(void **state)
{
    struct book_fixture *fixture = *state;
    struct live_configuration live = {.poll_interval = 30};
    struct daemon daemon = {.book = fixture->book, .live = &live};
    struct book_lease *lease = add(&daemon, 1, PHASE_STARTING, LEASE_RESERVATION);

    lease->start = 1000;
    lease->end = 1600;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1031);
    lease->phase = PHASE_RESERVED;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1031);
    assert_int_equal(reconcile_next_time(&daemon, 1031), 1600);
    lease->late = true;
    assert_int_equal(reconcile_next_time(&daemon, 1000), 1600);
}

static void what_waits_again_forgets_when_it_started(void **state)
{
    struct book_fixture *fixture = *state;
    struct live_configuration live = {.poll_interval = 30};
    struct daemon daemon = {.book = fixture->book, .live = &live};
    struct book_lease *waits = add(&daemon, 1, PHASE_STOPPING, LEASE_BEST_EFFORT);
    struct book_lease *promised = add(&daemon, 2, PHASE_STARTING, LEASE_DEADLINE);

    waits->expected = promised->expected = 1000;
    promised->accepted = true;
    reconcile_wait_again(&daemon, waits, "suspended", 2000);
    reconcile_wait_again(&daemon, promised, "pending-again", 2000);
    assert_int_equal(waits->phase, PHASE_WAITING);
    assert_true(waits->expected == INSTANT_NONE);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(promised->expected, 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, book_set_up, book_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_start_that_was_missed_is_looked_at_at_once),
        TEST(what_waits_again_forgets_when_it_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
