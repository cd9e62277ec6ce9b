/* Planned leases leave their hosts, and keep their time, for a lease that could start at once. */
#include "scenario.h"

static void unlimited(struct scenario *s, int64_t id)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_BEST_EFFORT,
                        .duration = SPAN_UNLIMITED,
                        .non_preemptable = true});
    settle(s);
}

/* Host 1 is reserved from 7200 on for lease 10 and idle from 100 on, host 2 is taken forever, and
 * the others are busy until 5000. */
static void begin(struct scenario *s, size_t n_hosts)
{
    scenario_begin(s, n_hosts);
    best_effort(s, 1, 1, 100);
    settle(s);
    reservation(s, 10, 1, 7200, 600);
    settle(s);
    unlimited(s, 2);
    for (int64_t id = 3; id <= (int64_t)n_hosts; id++)
        best_effort(s, id, 1, 5000);
    settle(s);
    assert_string_equal(plan_of(s, 10), "VM 7200-7800 on 1; SHUTDOWN 7800-7800 on 1");
}

static void a_reservation_moves_and_keeps_its_time(void **state)
{
    struct scenario s;

    begin(&s, 3);
    at(&s, 200);
    unlimited(&s, 20);
    assert_string_equal(plan_of(&s, 20), "VM 200-ever on 1");
    assert_string_equal(plan_of(&s, 10), "VM 7200-7800 on 3; SHUTDOWN 7800-7800 on 3");
    at(&s, 8000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 7200);
    assert_int_equal(lease_of(&s, 10)->end, 7800);
    scenario_end(&s);
}

static void without_other_hosts_it_stays_and_is_named(void **state)
{
    struct scenario s;

    begin(&s, 2);
    at(&s, 200);
    unlimited(&s, 20);
    assert_string_equal(plan_of(&s, 20), "VM 7800-ever on 1");
    unlimited(&s, 21);
    assert_int_equal(state_of(&s, 21), LEASE_QUEUED);
    assert_string_equal(reason_of(&s, 21),
                        "room-reserved: waits for room: 1 VM requested, but the room now free "
                        "does not last: lease 10 needs host 1 from 7200 on");
    at(&s, 8000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 7200);
    assert_int_equal(lease_of(&s, 20)->start_actual, 7800);
    scenario_end(&s);
}

/* Not of the lease that ends at that time. */
static void a_lease_that_follows_another_is_named(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask(&s,
        (struct ask){.id = 1, .kind = LEASE_BEST_EFFORT, .cpu = 60, .memory = 64, .duration = 100});
    settle(&s);
    reservation(&s, 10, 1, 100, 600);
    settle(&s);
    ask(&s,
        (struct ask){.id = 20, .kind = LEASE_IMMEDIATE, .cpu = 40, .memory = 64, .duration = 200});
    settle(&s);
    assert_string_equal(reason_of(&s, 20),
                        "no-room-at-once: refused: 1 VM requested for an immediate start, but the "
                        "room now free does not last: lease 10 needs host 1 from 100 on");
    scenario_end(&s);
}

/* It would have to leave for the reservation, and it may not wait. */
static void an_immediate_lease_is_told_who_needs_the_room(void **state)
{
    struct scenario s;

    begin(&s, 2);
    at(&s, 200);
    immediate(&s, 21, 1, 10000);
    settle(&s);
    assert_int_equal(state_of(&s, 21), LEASE_REJECTED);
    assert_string_equal(
        reason_of(&s, 21),
        "no-room-at-once: refused: 1 VM requested for an immediate start, but the room now "
        "free does not last: lease 10 needs host 1 from 7200 on");
    scenario_end(&s);
}

/* The first choice of the newcomer is a host whose reservation has nowhere to go. */
static void another_host_is_tried(void **state)
{
    static const uint64_t only_first[] = {0x1}, only_third[] = {0x4};
    const struct host_filter first = {.allowed = only_first}, third = {.allowed = only_third};
    struct scenario s;

    scenario_begin(&s, 3);
    ask(&s, (struct ask){.id = 1, .kind = LEASE_BEST_EFFORT, .duration = 500, .hosts = &third});
    ask(&s,
        (struct ask){
            .id = 10, .kind = LEASE_RESERVATION, .start = 1000, .duration = 100, .hosts = &first});
    ask(&s, (struct ask){.id = 11, .kind = LEASE_RESERVATION, .start = 1000, .duration = 100});
    settle(&s);
    assert_string_equal(plan_of(&s, 11), "VM 1000-1100 on 2; SHUTDOWN 1100-1100 on 2");
    unlimited(&s, 20);
    assert_string_equal(plan_of(&s, 20), "VM 0-ever on 2");
    assert_string_equal(plan_of(&s, 10), "VM 1000-1100 on 1; SHUTDOWN 1100-1100 on 1");
    assert_string_equal(plan_of(&s, 11), "VM 1000-1100 on 3; SHUTDOWN 1100-1100 on 3");
    scenario_end(&s);
}

static void those_that_fit_beside_it_stay(void **state)
{
    struct scenario s;

    begin(&s, 3);
    ask(&s, (struct ask){.id = 11,
                         .kind = LEASE_RESERVATION,
                         .cpu = 20,
                         .memory = 64,
                         .start = 6000,
                         .duration = 100});
    at(&s, 200);
    assert_string_equal(plan_of(&s, 11), "VM 6000-6100 on 1; SHUTDOWN 6100-6100 on 1");
    ask(&s, (struct ask){.id = 20,
                         .kind = LEASE_BEST_EFFORT,
                         .cpu = 80,
                         .memory = 512,
                         .duration = SPAN_UNLIMITED,
                         .non_preemptable = true});
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 200-ever on 1");
    assert_string_equal(plan_of(&s, 10), "VM 7200-7800 on 3; SHUTDOWN 7800-7800 on 3");
    assert_string_equal(plan_of(&s, 11), "VM 6000-6100 on 1; SHUTDOWN 6100-6100 on 1");
    scenario_end(&s);
}

static void a_deadline_lease_that_waits_moves_too(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    best_effort(&s, 1, 1, 100);
    settle(&s);
    ask(&s, (struct ask){.id = 2, .kind = LEASE_BEST_EFFORT, .duration = 150});
    ask(&s, (struct ask){
                .id = 10, .kind = LEASE_DEADLINE, .start = 300, .duration = 100, .deadline = 400});
    settle(&s);
    assert_string_equal(plan_of(&s, 10), "VM 300-400 on 1; SHUTDOWN 400-400 on 1");
    at(&s, 120);
    unlimited(&s, 20);
    assert_string_equal(plan_of(&s, 20), "VM 120-ever on 1");
    assert_string_equal(plan_of(&s, 10), "VM 300-400 on 2; SHUTDOWN 400-400 on 2");
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reservation_moves_and_keeps_its_time),
        cmocka_unit_test(without_other_hosts_it_stays_and_is_named),
        cmocka_unit_test(a_lease_that_follows_another_is_named),
        cmocka_unit_test(an_immediate_lease_is_told_who_needs_the_room),
        cmocka_unit_test(another_host_is_tried),
        cmocka_unit_test(those_that_fit_beside_it_stay),
        cmocka_unit_test(a_deadline_lease_that_waits_moves_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
