/* Leases without an end run in front of reservations, and leave in time. 512 MB at 100 Mbit/s take
 * 41 s. */
#include <string.h>

#include "scenario.h"

static const uint64_t first_only[] = {0x1};
static const uint64_t second_only[] = {0x2};
static const struct host_filter only_first = {.allowed = first_only};
static const struct host_filter only_second = {.allowed = second_only};

static struct ask half_for_ever(int64_t id)
{
    return (struct ask){.id = id,
                        .kind = LEASE_BEST_EFFORT,
                        .cpu = 50,
                        .memory = 512,
                        .duration = SPAN_UNLIMITED,
                        .non_preemptable = true};
}

/* Host 1 is free until 20000, when reservation 10 takes it, and may be on no other; host 2 is taken
 * until 5000. */
static void begin(struct scenario *s, bool moves)
{
    scenario_begin(s, 2);
    s->settings.transfer_bandwidth = 100;
    s->settings.in_front_least = moves ? 3600 : 0;
    ask(s, (struct ask){.id = 10,
                        .kind = LEASE_RESERVATION,
                        .start = 20000,
                        .duration = 600,
                        .hosts = &only_first});
    settle(s);
    ask(s,
        (struct ask){.id = 1, .kind = LEASE_BEST_EFFORT, .duration = 5000, .hosts = &only_second});
    settle(s);
}

static void it_starts_at_once_and_leaves_before_the_reservation(void **state)
{
    struct scenario s;

    begin(&s, true);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_int_equal(state_of(&s, 20), LEASE_ACTIVE);
    assert_string_equal(plan_of(&s, 20),
                        "VM 0-19959 on 1; MEM_MIGRATION 19918-19959 on 2; VM 19959-ever on 2");
    assert_string_equal(reason_of(&s, 20), "leaves: moves off host 1 at 19918");
    at(&s, 20000);
    assert_string_equal(states_of(&s, 20), "0 Pending Queued Scheduled Ready Active | "
                                           "19918 Migrating | 19959 Active");
    assert_int_equal(lease_of(&s, 10)->start_actual, 20000);
    at(&s, 30000);
    cancel(&s, 20);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 20)->accumulated, 30000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void where_it_may_not_move_it_waits(void **state)
{
    struct scenario s;

    begin(&s, false);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_int_not_equal(state_of(&s, 20), LEASE_ACTIVE);
    assert_string_equal(plan_of(&s, 20), "VM 5000-ever on 2");
    scenario_end(&s);
}

/* It was planned for later, as no host was free. */
static void it_starts_in_front_once_a_host_is_free(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.transfer_bandwidth = 100;
    s.settings.in_front_least = 3600;
    best_effort(&s, 1, 1, 100);
    settle(&s);
    best_effort(&s, 2, 1, 5000);
    settle(&s);
    ask(&s, (struct ask){.id = 10,
                         .kind = LEASE_RESERVATION,
                         .start = 20000,
                         .duration = 600,
                         .hosts = &only_first});
    settle(&s);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 5000-ever on 2");
    at(&s, 100);
    assert_int_equal(lease_of(&s, 20)->start_actual, 100);
    at(&s, 20000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 20000);
    assert_int_equal(state_of(&s, 20), LEASE_ACTIVE);
    cancel(&s, 20);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Nobody gets the room that it needs later. */
static void its_next_host_is_kept_for_it(void **state)
{
    struct scenario s;

    begin(&s, true);
    ask(&s, half_for_ever(20));
    settle(&s);
    ask(&s, (struct ask){
                .id = 30, .kind = LEASE_RESERVATION, .start = 19000, .duration = SPAN_UNLIMITED});
    settle(&s);
    assert_int_equal(state_of(&s, 30), LEASE_REJECTED);
    ask(&s, (struct ask){.id = 31,
                         .kind = LEASE_RESERVATION,
                         .cpu = 50,
                         .memory = 512,
                         .start = 19000,
                         .duration = SPAN_UNLIMITED});
    settle(&s);
    assert_string_equal(plan_of(&s, 31), "VM 19000-ever on 2");
    at(&s, 20000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 20000);
    scenario_end(&s);
}

static void without_the_reservation_it_stays(void **state)
{
    struct scenario s;

    begin(&s, true);
    ask(&s, half_for_ever(20));
    at(&s, 6000);
    cancel(&s, 10);
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 0-ever on 1");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 20), "0 Pending Queued Scheduled Ready Active");
    cancel(&s, 20);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_near_reservation_is_not_worth_a_move(void **state)
{
    struct scenario s;

    begin(&s, true);
    at(&s, 4900);
    ask(&s, (struct ask){.id = 11,
                         .kind = LEASE_RESERVATION,
                         .start = 8400,
                         .duration = 600,
                         .hosts = &only_first});
    settle(&s);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 5000-ever on 2");
    scenario_end(&s);
}

static void it_ends_before_it_has_moved(void **state)
{
    struct scenario s;

    begin(&s, true);
    ask(&s, half_for_ever(20));
    at(&s, 7000);
    ends(&s, 20);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 20), LEASE_DONE);
    assert_int_equal(lease_of(&s, 20)->accumulated, 7000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* --- on hosts that are closed later ----------------------------------------------------------- */

enum { CLOSED = 90, DAY = 86400, WEEK = 7 * DAY };

/* Each host is closed for an hour, on another day of the next weeks. */
static void close_in_turn(struct scenario *s, uint32_t n_hosts, int weeks)
{
    for (uint32_t host = 0; host < n_hosts; host++)
        for (int week = 0; week < weeks; week++) {
            int64_t from = week * WEEK + (host + 1) * DAY;

            adopt(
                s,
                (struct ask){.id = CLOSED + (int64_t)host * weeks + week,
                             .duration = SPAN_UNLIMITED,
                             .non_preemptable = true},
                (struct adoption){
                    .as = ADOPTED_CLOSING, .vm_host = &host, .since = from, .until = from + 3600});
        }
}

static void begin_closing(struct scenario *s, uint32_t n_hosts, int weeks)
{
    scenario_begin(s, n_hosts);
    s->settings.transfer_bandwidth = 100;
    s->settings.in_front_least = 3600;
    s->unchecked = true; /* it may be where a later closing is */
    close_in_turn(s, n_hosts, weeks);
}

static void hosts_that_are_closed_in_turn_are_used(void **state)
{
    struct scenario s;

    begin_closing(&s, 2, 3);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_int_equal(state_of(&s, 20), LEASE_ACTIVE);
    assert_string_equal(reason_of(&s, 20), "leaves: moves off host 1 at 86318");
    assert_string_equal(plan_of(&s, 20), "VM 0-86359 on 1; MEM_MIGRATION 86318-86359 on 2; "
                                         "VM 86359-ever on 2");
    scenario_end(&s);
}

/* Nobody could take it when its host is closed. */
static void without_a_host_for_later_it_waits_for_the_last_closing(void **state)
{
    struct scenario s;

    begin_closing(&s, 1, 3);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 1299600-ever on 1");
    scenario_end(&s);
}

/* A host without closings comes first. */
static void hosts_that_are_never_closed_come_first(void **state)
{
    struct scenario s;

    scenario_begin(&s, 3);
    s.settings.in_front_least = 3600;
    close_in_turn(&s, 2, 1);
    ask(&s, half_for_ever(20));
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 0-ever on 3");
    scenario_end(&s);
}

/* It must leave host 1; host 2 closes, too, a day later. */
static void a_host_that_closes_later_takes_what_must_leave(void **state)
{
    static const uint32_t host_1[] = {0};
    struct ask what = half_for_ever(20);
    struct scenario s;

    begin_closing(&s, 2, 1);
    what.hosts = &only_second;
    adopt(&s, what,
          (struct adoption){.as = ADOPTED_RUNNING,
                            .vm_host = host_1,
                            .since = 0,
                            .until = INSTANT_NEVER,
                            .leave_by = 1});
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 0-41 on 1; MEM_MIGRATION 0-41 on 2; VM 41-ever on 2");
    scenario_end(&s);
}

/* --- in an engine that takes over ------------------------------------------------------------- */

static const uint32_t host_1[] = {0}, host_2[] = {1};
/* Lease 20 runs on host 1, which reservation 10 is to get; lease 1 takes all or half of host 2. */
static void take_over(struct scenario *s, int64_t now, int64_t beside)
{
    struct ask what = half_for_ever(20);

    scenario_begin(s, 2);
    s->now = now;
    s->settings.transfer_bandwidth = 100;
    s->settings.in_front_least = 3600;
    what.hosts = &only_second;
    adopt(s, what,
          (struct adoption){.as = ADOPTED_RUNNING,
                            .vm_host = host_1,
                            .since = 900,
                            .until = INSTANT_NEVER,
                            .leave_by = 20000,
                            .makes_room = true,
                            .leave_for = 10});
    adopt(s, (struct ask){.id = 1, .cpu = beside, .memory = 512, .duration = SPAN_UNLIMITED},
          (struct adoption){
              .as = ADOPTED_RUNNING, .vm_host = host_2, .since = 900, .until = INSTANT_NEVER});
}

static int adopt_reservation(struct scenario *s)
{
    return adopt(
        s, (struct ask){.id = 10, .kind = LEASE_RESERVATION, .start = 20000, .duration = 600},
        (struct adoption){.as = ADOPTED_RESERVED, .vm_host = host_1, .not_before = INSTANT_NONE});
}

static void a_new_engine_plans_the_move_again(void **state)
{
    struct scenario s;

    take_over(&s, 1000, 50);
    assert_int_equal(adopt_reservation(&s), 0);
    ask(&s, (struct ask){.id = 30,
                         .kind = LEASE_IMMEDIATE,
                         .cpu = 50,
                         .memory = 512,
                         .duration = SPAN_UNLIMITED});
    settle(&s);
    assert_int_equal(state_of(&s, 30), LEASE_REJECTED);
    assert_string_equal(plan_of(&s, 20),
                        "VM 900-19959 on 1; MEM_MIGRATION 19918-19959 on 2; VM 19959-ever on 2");
    assert_string_equal(plan_of(&s, 10), "VM 20000-20600 on 1; SHUTDOWN 20600-20600 on 1");
    at(&s, 20000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 20000);
    scenario_end(&s);
}

static void a_new_engine_begins_a_late_move_at_once(void **state)
{
    struct scenario s;

    take_over(&s, 19950, 50);
    assert_int_equal(adopt_reservation(&s), 0);
    settle(&s);
    assert_string_equal(plan_of(&s, 20),
                        "VM 900-19991 on 1; MEM_MIGRATION 19950-19991 on 2; VM 19991-ever on 2");
    at(&s, 20000);
    assert_int_equal(lease_of(&s, 10)->start_actual, 20000);
    scenario_end(&s);
}

static void without_another_host_it_stays_and_says_so(void **state)
{
    struct scenario s;

    take_over(&s, 1000, 100);
    assert_int_equal(adopt_reservation(&s), 0);
    s.unchecked = true; /* host 1 is promised twice */
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 900-ever on 1");
    assert_string_equal(reason_of(&s, 20),
                        "cannot-leave: must leave its host by 20000, but no other host that it may "
                        "use has room for the rest of its lifetime");
    cancel(&s, 1);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 20), "MEM_MIGRATION 19918-19959"));
    scenario_end(&s);
}

static void a_new_engine_leaves_it_where_it_can_stay(void **state)
{
    struct scenario s;

    take_over(&s, 1000, 50);
    settle(&s);
    assert_string_equal(plan_of(&s, 20), "VM 900-ever on 1");
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_at_once_and_leaves_before_the_reservation),
        cmocka_unit_test(where_it_may_not_move_it_waits),
        cmocka_unit_test(it_starts_in_front_once_a_host_is_free),
        cmocka_unit_test(its_next_host_is_kept_for_it),
        cmocka_unit_test(without_the_reservation_it_stays),
        cmocka_unit_test(a_near_reservation_is_not_worth_a_move),
        cmocka_unit_test(it_ends_before_it_has_moved),
        cmocka_unit_test(hosts_that_are_closed_in_turn_are_used),
        cmocka_unit_test(without_a_host_for_later_it_waits_for_the_last_closing),
        cmocka_unit_test(hosts_that_are_never_closed_come_first),
        cmocka_unit_test(a_host_that_closes_later_takes_what_must_leave),
        cmocka_unit_test(a_new_engine_plans_the_move_again),
        cmocka_unit_test(a_new_engine_begins_a_late_move_at_once),
        cmocka_unit_test(without_another_host_it_stays_and_says_so),
        cmocka_unit_test(a_new_engine_leaves_it_where_it_can_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
