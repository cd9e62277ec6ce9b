/* Leases that must leave their hosts: hosts that their filters exclude, or that are taken out of
 * service. */
#include <string.h>

#include "leaving_scene.h"

static const uint64_t only_first[] = {0x1};
static const struct host_filter stay = {.allowed = only_first};

static void it_moves_at_once(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    runs(&s, what, first, 3000, 1000);
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 900-1041 on 1; MEM_MIGRATION 1000-1041 on 2,1; "
                                        "VM 1041-3000 on 2; SHUTDOWN 3000-3000 on 2");
    assert_string_equal(reason_of(&s, 1), "leaves: moves off host 1 at 1000");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1000 Migrating | 1041 Active | 3000 Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 2100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void terms_do_not_matter(void **state)
{
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_RESERVATION, LEASE_DEADLINE};

    for (size_t i = 0; i < 3; i++) {
        struct ask what = half(1, 2000);
        struct scenario s;

        leaving_begin(&s, 2);
        what.kind = kinds[i];
        what.start = 900;
        what.deadline = kinds[i] == LEASE_DEADLINE ? 9000 : 0;
        what.hosts = &off_first;
        what.non_preemptable = true;
        runs(&s, what, first, 3000, 1000);
        run_to_end(&s);
        assert_non_null(strstr(plan_of(&s, 1), "VM 1041-3000 on 2"));
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

/* What waits does not take the room. */
static void it_goes_before_the_queue(void **state)
{
    struct ask what = half(1, 2000), waits = half(2, 100);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    runs(&s, what, first, 3000, 1000);
    runs(&s, half(3, 2000), second, 3000, 0);
    adopt(&s, waits, (struct adoption){.as = ADOPTED_QUEUED, .not_before = INSTANT_NONE});
    settle(&s);
    assert_int_equal(state_of(&s, 1), LEASE_MIGRATING);
    assert_int_equal(state_of(&s, 2), LEASE_ACTIVE);
    run_to_end(&s);
    assert_non_null(strstr(plan_of(&s, 2), "on 1"));
    scenario_end(&s);
}

static void without_room_it_stays_and_says_so(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    runs(&s, what, first, 3000, 1000);
    runs(&s, (struct ask){.id = 2, .duration = 2000}, second, 1500, 0);
    settle(&s);
    assert_int_equal(state_of(&s, 1), LEASE_ACTIVE);
    assert_string_equal(reason_of(&s, 1),
                        "cannot-leave: must leave its host by 1000, but no other host that it may "
                        "use has room for the rest of its lifetime");
    run_to_end(&s); /* room comes free */
    assert_non_null(strstr(plan_of(&s, 1), "MEM_MIGRATION 1500-1541 on 2,1"));
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* There is room, but its time is over before it could have moved. */
static void one_that_ends_first_stays_and_says_so(void **state)
{
    struct ask what = half(1, 2000);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    runs(&s, what, first, 1030, 1000);
    settle(&s);
    assert_string_equal(reason_of(&s, 1),
                        "cannot-leave: must leave its host by 1000, but migrating its VMs is "
                        "estimated to take longer than they still run");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_window_is_left_in_time(void **state)
{
    struct scenario s;

    leaving_begin(&s, 2);
    close_host(&s, first, 2000, 2600);
    runs(&s, half(1, 2000), first, 3000, 2000);
    runs(&s, half(2, 500), first, 1500, 0); /* ends before it */
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 900-2000 on 1; MEM_MIGRATION 1959-2000 on 2,1; "
                                        "VM 2000-3000 on 2; SHUTDOWN 3000-3000 on 2");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1959 Migrating | 2000 Active | 3000 Done");
    assert_int_equal(lease_of(&s, 1)->accumulated, 2100);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* The host is used until the window, by what ends in time, and from its end on. */
static void a_window_is_planned_around(void **state)
{
    struct scenario s;

    leaving_begin(&s, 1);
    close_host(&s, first, 2000, 2600);
    best_effort(&s, 1, 1, 1000);
    settle(&s);
    best_effort(&s, 2, 1, 500);
    at(&s, 1010);
    reservation(&s, 3, 1, 2500, 50);
    reservation(&s, 4, 1, 3200, 50);
    settle(&s);
    run_to_end(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 1000-2000 on 1"));
    assert_non_null(strstr(plan_of(&s, 2), "VM 2600-3100 on 1"));
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    assert_non_null(strstr(plan_of(&s, 4), "VM 3200-3250 on 1"));
    expect_nothing_left(&s);
    scenario_end(&s);
}

static struct ask endless_from(int64_t id, int64_t start)
{
    struct ask what = half(id, SPAN_UNLIMITED);

    what.kind = LEASE_RESERVATION;
    what.start = start;
    return what;
}

/* Each host closes at some time: one that has no end starts where it can stay for long enough. */
static void a_reservation_without_an_end_starts_before_windows(void **state)
{
    struct scenario s;

    leaving_begin(&s, 2);
    s.settings.in_front_least = 1000;
    s.unchecked = true; /* it is booked for ever */
    close_host(&s, first, 4000, 4600);
    close_host(&s, second, 4500, 8600);
    adopt(&s, endless_from(1, 2000),
          (struct adoption){
              .as = ADOPTED_RESERVED, .vm_host = first, .since = INSTANT_NONE, .until = 0});
    settle(&s);
    ask(&s, endless_from(2, 3450));
    ask(&s, endless_from(3, 3700));
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 2000-"));
    assert_non_null(strstr(plan_of(&s, 2), "VM 3450-"));
    assert_non_null(strstr(plan_of(&s, 2), "on 2"));
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    scenario_end(&s);
}

/* A promise on the host is kept elsewhere. */
static void reservations_are_placed_elsewhere(void **state)
{
    struct scenario s;

    leaving_begin(&s, 2);
    close_host(&s, first, 2000, 2600);
    adopt(&s, (struct ask){.id = 1, .kind = LEASE_RESERVATION, .start = 2100, .duration = 100},
          (struct adoption){.as = ADOPTED_RESERVED, .vm_host = first, .since = INSTANT_NONE});
    run_to_end(&s);
    assert_non_null(strstr(plan_of(&s, 1), "VM 2100-2200 on 2"));
    scenario_end(&s);
}

/* A lease that is to move later makes room as any other. */
static void a_later_move_keeps_no_reservation_out(void **state)
{
    struct ask what = half(1, 5000);
    struct scenario s;

    leaving_begin(&s, 2);
    reservations_preempt(&s);
    close_host(&s, first, 4000, 4600);
    runs(&s, what, first, 5900, 4000);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 1), "MEM_MIGRATION 3959-4000"));
    reservation(&s, 2, 2, 1500, 300); /* both hosts */
    settle(&s);
    assert_string_equal(preemptions(&s), "1000: 1 for 2 at 1500 suspend");
    run_to_end(&s);
    assert_non_null(strstr(plan_of(&s, 2), "VM 1500-1800 on 1,2"));
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    assert_int_equal(lease_of(&s, 1)->accumulated, 5000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Both are never preempted: the drain was planned first. */
static void a_later_move_keeps_its_room(void **state)
{
    struct ask what = half(1, 5000), later = {.kind = LEASE_RESERVATION, .start = 4500};
    struct scenario s;

    leaving_begin(&s, 2);
    close_host(&s, first, 4000, INSTANT_NEVER);
    what.non_preemptable = later.non_preemptable = true;
    runs(&s, what, first, 5900, 4000);
    settle(&s);
    later.id = 2;
    later.duration = 300;
    ask(&s, later); /* the whole of the other host */
    settle(&s);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    assert_non_null(strstr(plan_of(&s, 1), "MEM_MIGRATION 3959-4000"));
    later.id = 3;
    later.start = 5900; /* when it has ended */
    ask(&s, later);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->accumulated, 5000);
    assert_non_null(strstr(plan_of(&s, 3), "VM 5900-6200 on 2"));
    scenario_end(&s);
}

/* The move goes to the third host instead, so that what is requested gets the one it may use. */
static void a_later_move_makes_way(void **state)
{
    struct ask what = half(1, 5000);
    struct scenario s;

    for (int64_t id = 2; id <= 5; id++) {
        struct ask later = {.id = id, .start = 4500, .duration = 300};
        bool even = id % 2 == 0;

        leaving_begin(&s, 3);
        close_host(&s, first, 4000, INSTANT_NEVER);
        what.non_preemptable = later.non_preemptable = true;
        runs(&s, what, first, 5900, 4000);
        settle(&s);
        later.kind = id < 4 ? LEASE_RESERVATION : LEASE_DEADLINE;
        later.deadline = id < 4 ? 0 : 4900;
        later.hosts = even ? &on_second : &on_third;
        ask(&s, later);
        run_to_end(&s);
        assert_int_equal(state_of(&s, id), LEASE_DONE);
        assert_non_null(strstr(plan_of(&s, 1), even ? "VM 4000-5900 on 3" : "VM 4000-5900 on 2"));
        assert_int_equal(lease_of(&s, 1)->accumulated, 5000);
        scenario_end(&s);
    }
}

/* Nothing requires the move: what is requested takes the room. */
static void a_move_that_is_only_wanted_yields(void **state)
{
    struct ask what = half(1, 5000);
    struct scenario s;

    leaving_begin(&s, 2);
    what.hosts = &off_first;
    what.non_preemptable = true;
    adopt(&s, what,
          (struct adoption){.as = ADOPTED_RUNNING,
                            .vm_host = first,
                            .since = 900,
                            .until = 5900,
                            .leave_by = 1000,
                            .only_wanted = true});
    reservation(&s, 2, 1, 1000, 300);
    settle(&s);
    assert_non_null(strstr(plan_of(&s, 2), "VM 1000-1300 on 2"));
    assert_non_null(strstr(reason_of(&s, 1), "cannot-leave: "));
    scenario_end(&s);
}

/* Only the VM on the excluded host moves. */
static void the_rest_of_a_lease_stays(void **state)
{
    static const uint32_t hosts[] = {0, 1};
    static const uint64_t not_ours[] = {0x6};
    const struct host_filter leaves = {.allowed = not_ours};
    const struct node_set sets[] = {
        {.count = 1, .amounts = {{[RESOURCE_CPU] = 50, [RESOURCE_MEMORY] = 512}}, .hosts = &leaves},
        {.count = 1,
         .amounts = {{[RESOURCE_CPU] = 60, [RESOURCE_MEMORY] = 600}},
         .hosts = &on_second}};
    struct scenario s;

    leaving_begin(&s, 3);
    runs(&s, (struct ask){.id = 1, .duration = 2000, .sets = sets, .n_sets = 2}, hosts, 3000, 1000);
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 900-1041 on 1,2; MEM_MIGRATION 1000-1041 on 3,1; "
                                        "VM 1041-3000 on 3,2; SHUTDOWN 3000-3000 on 3,2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* All of them would need 164 s, more than the lease still runs. */
static void only_vms_that_must_leave_take_time(void **state)
{
    static const uint32_t hosts[] = {0, 1, 1, 2};
    const struct amounts quarter = {{[RESOURCE_CPU] = 25, [RESOURCE_MEMORY] = 512}};
    const struct node_set sets[] = {{.count = 1, .amounts = quarter, .hosts = &off_first},
                                    {.count = 2, .amounts = quarter, .hosts = &on_second},
                                    {.count = 1, .amounts = quarter, .hosts = &on_third}};
    const struct ask four = {.id = 1, .duration = 2000, .sets = sets, .n_sets = 3};
    struct scenario s;

    leaving_begin(&s, 3);
    close_host(&s, first, 1050, 1200);
    runs(&s, four, hosts, 1100, 1050);
    settle(&s);
    assert_string_equal(plan_of(&s, 1), "VM 900-1050 on 1,2,3; MEM_MIGRATION 1009-1050 on 3,1; "
                                        "VM 1050-1100 on 3,2; SHUTDOWN 1100-1100 on 3,2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* What is booked too much on one host hides no room on others. */
static void a_full_closed_host_is_left_for_the_last_room(void **state)
{
    struct scenario s;

    leaving_begin(&s, 2);
    s.unchecked = true;
    close_host(&s, first, 1000, INSTANT_NEVER);
    runs(&s, half(1, 2000), first, 3000, 1000);
    runs(&s, half(2, 2000), first, 3000, 1000);
    runs(&s, half(3, 2000), second, 3000, 0);
    adopt(&s, half(4, 100), (struct adoption){.as = ADOPTED_QUEUED, .not_before = INSTANT_NONE});
    settle(&s);
    assert_int_equal(state_of(&s, 1), LEASE_MIGRATING);
    assert_non_null(strstr(reason_of(&s, 2), "cannot-leave: "));
    assert_non_null(strstr(plan_of(&s, 4), "VM 3000-3100 on 2"));
    scenario_end(&s);
}

static void one_that_may_not_move_stays(void **state)
{
    struct ask what = half(1, 500);
    struct scenario s;

    leaving_begin(&s, 2);
    s.unchecked = true; /* it runs on in the window */
    what.hosts = &stay;
    close_host(&s, first, 1200, 1300);
    runs(&s, what, first, 1500, 1200);
    settle(&s);
    assert_non_null(strstr(reason_of(&s, 1), "cannot-leave: "));
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "1500 Done");
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_at_once),
        cmocka_unit_test(terms_do_not_matter),
        cmocka_unit_test(it_goes_before_the_queue),
        cmocka_unit_test(without_room_it_stays_and_says_so),
        cmocka_unit_test(one_that_ends_first_stays_and_says_so),
        cmocka_unit_test(a_window_is_left_in_time),
        cmocka_unit_test(a_window_is_planned_around),
        cmocka_unit_test(a_reservation_without_an_end_starts_before_windows),
        cmocka_unit_test(reservations_are_placed_elsewhere),
        cmocka_unit_test(a_later_move_keeps_no_reservation_out),
        cmocka_unit_test(a_later_move_keeps_its_room),
        cmocka_unit_test(a_later_move_makes_way),
        cmocka_unit_test(a_move_that_is_only_wanted_yields),
        cmocka_unit_test(the_rest_of_a_lease_stays),
        cmocka_unit_test(only_vms_that_must_leave_take_time),
        cmocka_unit_test(a_full_closed_host_is_left_for_the_last_room),
        cmocka_unit_test(one_that_may_not_move_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
