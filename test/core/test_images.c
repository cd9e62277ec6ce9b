/* Disk images that have to be on the hosts: one repository sends one image at a time, 250 MB in 20
 * s.
 */
#include "scenario.h"

#include <string.h>

static void scenario_with_images(struct scenario *s, size_t n_hosts,
                                 enum transfer_mechanism mechanism)
{
    scenario_begin(s, n_hosts);
    s->settings.preparation = PREPARATION_IMAGE_TRANSFER;
    s->settings.transfer_mechanism = mechanism;
}

static void ask_image(struct scenario *s, int64_t id, uint32_t vms, const char *image, int64_t size)
{
    ask(s, (struct ask){.id = id, .vms = vms, .duration = 100, .image = image, .image_size = size});
}

static void reserve_image(struct scenario *s, int64_t id, int64_t start, const char *image)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_RESERVATION,
                        .start = start,
                        .duration = 100,
                        .image = image,
                        .image_size = 250});
}

static void unmanaged_images_are_there_already(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    ask_image(&s, 1, 1, "a.img", 250);
    assert_string_equal(plan_of(&s, 1), "VM 0-100 on 1; SHUTDOWN 100-100 on 1");
    assert_int_equal(engine_disk_used_most(s.engine), 0);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_lease_starts_when_its_image_is_there(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    ask_image(&s, 1, 1, "a.img", 250);
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-20 on repository,1; VM 20-120 on 1; "
                                        "SHUTDOWN 120-120 on 1");
    at(&s, 50);
    settle(&s);
    assert_int_equal(engine_disk_used_most(s.engine), 250);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1),
                        "0 Pending Queued Scheduled Preparing | 20 Ready Active | 120 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void unicast_sends_a_copy_to_each_vm_multicast_one_to_all(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 3, TRANSFER_UNICAST);
    ask_image(&s, 1, 3, "a.img", 250);
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-60 on repository,1,2,3; "
                                        "VM 60-160 on 1,2,3; SHUTDOWN 160-160 on 1,2,3");
    run_to_end(&s);
    scenario_end(&s);

    scenario_with_images(&s, 3, TRANSFER_MULTICAST);
    ask_image(&s, 1, 3, "a.img", 251); /* 20.08 s */
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-21 on repository,1,2,3; "
                                        "VM 21-121 on 1,2,3; SHUTDOWN 121-121 on 1,2,3");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void transfers_follow_each_other(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 3, TRANSFER_UNICAST);
    s.settings.force_transfer_time = 7;
    ask_image(&s, 1, 1, "a.img", 250);
    ask_image(&s, 2, 1, "b.img", 250);
    ask_image(&s, 3, 1, "a.img", 250); /* unicast: no sharing */
    assert_int_equal(lease_of(&s, 1)->reservations[0]->until, 7);
    assert_int_equal(lease_of(&s, 2)->reservations[0]->until, 14);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->until, 21);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->start_actual, 21);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void an_empty_image_does_not_hide_a_transfer_that_begins_with_it(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 4, TRANSFER_UNICAST);
    ask_image(&s, 1, 1, "a.img", 250);
    at(&s, 5);
    ask_image(&s, 2, 1, "b.img", 250);
    ask_image(&s, 3, 1, "empty.img", 0);
    ask_image(&s, 4, 1, "c.img", 250);
    assert_int_equal(lease_of(&s, 2)->reservations[0]->until, 40);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->until, 20);
    assert_int_equal(lease_of(&s, 4)->reservations[0]->until, 60);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void for_a_reservation_the_image_arrives_just_in_time(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 4, TRANSFER_UNICAST);
    reserve_image(&s, 1, 500, "a.img");
    reserve_image(&s, 2, 490, "b.img");
    reserve_image(&s, 3, 505, "c.img");
    assert_int_equal(lease_of(&s, 1)->reservations[0]->from, 480);
    assert_int_equal(lease_of(&s, 2)->reservations[0]->from, 460);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->from, 440);
    run_to_end(&s);
    assert_string_equal(states_of(&s, 1), "0 Pending Scheduled | 480 Preparing | 500 Ready Active "
                                          "| 600 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_reservation_whose_image_comes_too_late_is_refused(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 2, TRANSFER_UNICAST);
    reserve_image(&s, 1, 19, "a.img");
    reserve_image(&s, 2, 20, "a.img");
    reserve_image(&s, 3, 39, "b.img");
    assert_string_equal(states_of(&s, 1), "0 Pending Rejected");
    assert_string_equal(reason_of(&s, 1), "image-too-late: refused: its disk image would arrive "
                                          "at 20, but it starts at 19");
    assert_int_equal(state_of(&s, 2), LEASE_PREPARING);
    assert_int_equal(state_of(&s, 3), LEASE_REJECTED);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Lease 1 keeps the repository busy until 500; 2 waits for it with a.img, and 3 rides along. */
static void two_share_a_transfer(struct scenario *s)
{
    scenario_with_images(s, 4, TRANSFER_MULTICAST);
    ask_image(s, 1, 1, "large.img", 6250);
    ask_image(s, 2, 1, "a.img", 250);
    ask_image(s, 3, 1, "a.img", 250);
    settle(s);
    assert_int_equal(lease_of(s, 2)->reservations[0]->from, 500);
    assert_int_equal(lease_of(s, 3)->reservations[0]->kind, RESERVATION_VM);
    assert_int_equal(lease_of(s, 3)->reservations[0]->from, 520);
}

static void a_lease_rides_on_a_planned_multicast(void **state)
{
    struct scenario s;

    two_share_a_transfer(&s);
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 500-520 on repository,2,3; "
                                        "VM 520-620 on 2; SHUTDOWN 620-620 on 2");
    run_to_end(&s);
    assert_string_equal(states_of(&s, 3), "0 Pending Queued Scheduled | 500 Preparing | "
                                          "520 Ready Active | 620 Done");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void redundant_transfers_may_be_wanted(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 4, TRANSFER_MULTICAST);
    s.settings.avoid_redundant_transfers = false;
    ask_image(&s, 1, 1, "large.img", 6250);
    ask_image(&s, 2, 1, "a.img", 250);
    ask_image(&s, 3, 1, "a.img", 250);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->from, 520);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void riders_keep_the_transfer_of_a_cancelled_owner(void **state)
{
    for (int64_t time = 100; time <= 510; time += 410) { /* before it begins, and under way */
        struct scenario s;

        two_share_a_transfer(&s);
        at(&s, time);
        cancel(&s, 2);
        settle(&s);
        assert_int_equal(engine_forget(s.engine, 2, NULL), 0);
        run_to_end(&s);
        assert_int_equal(state_of(&s, 3), LEASE_DONE);
        assert_int_equal(lease_of(&s, 3)->start_actual, 520);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void a_transfer_has_the_deadline_of_the_lease_that_takes_it_over(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 4, TRANSFER_MULTICAST);
    ask_image(&s, 1, 1, "large.img", 6250);
    reserve_image(&s, 2, 520, "a.img");
    ask_image(&s, 3, 1, "a.img", 250);
    settle(&s);
    assert_int_equal(lease_of(&s, 2)->reservations[0]->image_deadline, 520);
    cancel(&s, 2);
    settle(&s);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->kind, RESERVATION_TRANSFER);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->image_deadline, INSTANT_NONE);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void without_riders_it_is_taken_back(void **state)
{
    struct scenario s;

    two_share_a_transfer(&s);
    at(&s, 100);
    cancel(&s, 3);
    cancel(&s, 2);
    settle(&s);
    ask_image(&s, 4, 1, "b.img", 250);
    assert_int_equal(lease_of(&s, 4)->reservations[0]->from, 500);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_cancelled_transfer_frees_the_repository(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 2, TRANSFER_UNICAST);
    ask_image(&s, 1, 1, "large.img", 6250);
    at(&s, 100);
    cancel(&s, 1);
    ask_image(&s, 2, 1, "a.img", 250);
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 100-120 on repository,1; VM 120-220 on 1; "
                                        "SHUTDOWN 220-220 on 1");
    assert_int_equal(state_of(&s, 1), LEASE_CANCELLED);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_cached_image_needs_no_transfer(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    s.settings.image_reuse = IMAGE_REUSE_CACHES;
    s.settings.image_cache_size = 1000;
    ask_image(&s, 1, 1, "a.img", 250);
    at(&s, 200);
    ask_image(&s, 2, 1, "a.img", 250);
    assert_string_equal(states_of(&s, 2), "200 Pending Queued Scheduled Ready Active");
    assert_string_equal(plan_of(&s, 2), "VM 200-300 on 1; SHUTDOWN 300-300 on 1");
    assert_int_equal(engine_disk_used_most(s.engine), 250);
    ask_image(&s, 3, 1, "b.img", 250);
    assert_int_equal(lease_of(&s, 3)->reservations[0]->kind, RESERVATION_TRANSFER);
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void an_unused_image_makes_room_in_the_cache(void **state)
{
    for (int64_t size = 499; size <= 500; size++) {
        struct scenario s;

        scenario_with_images(&s, 1, TRANSFER_UNICAST);
        s.settings.image_reuse = IMAGE_REUSE_CACHES;
        s.settings.image_cache_size = size;
        ask_image(&s, 1, 1, "a.img", 250);
        at(&s, 200);
        ask_image(&s, 2, 1, "b.img", 250);
        at(&s, 400);
        ask_image(&s, 3, 1, "a.img", 250);
        assert_int_equal(state_of(&s, 3), size == 500 ? LEASE_ACTIVE : LEASE_PREPARING);
        run_to_end(&s);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

static void an_image_that_is_kept_long_enough_serves_reservations(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 0, TRANSFER_UNICAST);
    add_hosts(&s, 1, 300, 3072);
    s.settings.image_reuse = IMAGE_REUSE_CACHES;
    s.settings.image_cache_size = 1000;
    ask_image(&s, 1, 1, "a.img", 250);
    at(&s, 50);
    ask_image(&s, 2, 1, "a.img", 250); /* uses the cache until 150 */
    settle(&s);
    reserve_image(&s, 3, 151, "a.img");
    reserve_image(&s, 4, 150, "a.img");
    assert_int_equal(lease_of(&s, 3)->reservations[0]->kind, RESERVATION_TRANSFER);
    assert_string_equal(states_of(&s, 4), "50 Pending Scheduled Ready");
    run_to_end(&s);
    assert_int_equal(state_of(&s, 3), LEASE_DONE);
    assert_int_equal(state_of(&s, 4), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_deadline_lease_waits_for_its_image(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    ask(&s, (struct ask){.id = 1,
                         .kind = LEASE_DEADLINE,
                         .duration = 100,
                         .deadline = 1000,
                         .image = "a.img",
                         .image_size = 250});
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-20 on repository,1; VM 20-120 on 1; "
                                        "SHUTDOWN 120-120 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_lease_being_prepared_is_no_victim(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    reservations_preempt(&s);
    ask_image(&s, 1, 1, "a.img", 250);
    at(&s, 10);
    reservation(&s, 2, 1, 20, 50);
    assert_int_equal(state_of(&s, 1), LEASE_PREPARING);
    assert_int_equal(state_of(&s, 2), LEASE_REJECTED);
    run_to_end(&s);
    assert_int_equal(state_of(&s, 1), LEASE_DONE);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void cancelled_while_it_is_prepared(void **state)
{
    for (int haizea = 0; haizea < 2; haizea++)
        for (int64_t time = 0; time <= 120; time += 10) {
            struct scenario s;

            scenario_with_images(&s, 2, TRANSFER_MULTICAST);
            if (haizea)
                as_haizea(&s);
            s.settings.behaviour.image_files_stay_behind = false;
            ask_image(&s, 1, 2, "a.img", 250);
            at(&s, time);
            settle(&s);
            if (!lease_state_is_final(state_of(&s, 1)))
                cancel(&s, 1);
            expect_nothing_left(&s);
            scenario_end(&s);
        }
}

static void host_receives(struct scenario *s, uint32_t host, int64_t mbits)
{
    s->site.hosts[host].capacity.of[RESOURCE_NET_IN] = mbits;
}

static void a_host_with_a_slow_network_gets_the_image_slowly(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 2, TRANSFER_UNICAST);
    host_receives(&s, 0, 50);
    ask_image(&s, 1, 1, "a.img", 250);
    ask_image(&s, 2, 2, "b.img", 250);
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-20 on repository,2; VM 20-120 on 2; "
                                        "SHUTDOWN 120-120 on 2");
    settle(&s);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 20-100 on repository,1,2; VM 120-220 on "
                                        "1,2; SHUTDOWN 220-220 on 1,2");
    assert_int_equal(lease_of(&s, 2)->reservations[0]->placement->amounts[RESOURCE_NET_OUT], 50);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_host_without_network_capacity_gets_it_at_full_rate(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    host_receives(&s, 0, 0);
    ask_image(&s, 1, 1, "a.img", 250);
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-20 on repository,1; VM 20-120 on 1; "
                                        "SHUTDOWN 120-120 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A VM with 60 of 100 Mbit/s; half the CPU of the host is free. */
static void talkative(struct scenario *s, enum lease_kind kind, int64_t start, int64_t duration)
{
    const struct node_set set = {.count = 1, .amounts = {{50, 512, 0, 60, 0}}};

    host_receives(s, 0, 100);
    ask(s, (struct ask){.id = 1,
                        .kind = kind,
                        .start = start,
                        .duration = duration,
                        .sets = &set,
                        .n_sets = 1});
    settle(s);
}

static void a_transfer_waits_for_the_network_of_its_host(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    talkative(&s, LEASE_BEST_EFFORT, 0, 100);
    ask(&s, (struct ask){.id = 2,
                         .cpu = 50,
                         .memory = 512,
                         .duration = 100,
                         .image = "a.img",
                         .image_size = 250});
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 100-120 on repository,1; VM 120-220 on 1; "
                                        "SHUTDOWN 220-220 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void for_a_reservation_it_is_sent_before_the_network_is_in_use(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    talkative(&s, LEASE_RESERVATION, 470, 100);
    ask(&s, (struct ask){.id = 2,
                         .kind = LEASE_RESERVATION,
                         .start = 500,
                         .cpu = 50,
                         .memory = 512,
                         .duration = 100,
                         .image = "a.img",
                         .image_size = 250});
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 0-20 on repository,1; VM 500-600 on 1; "
                                        "SHUTDOWN 600-600 on 1");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* The transfer to lease 2 is planned at the full rate. */
static void a_lease_does_not_ride_on_a_transfer_that_is_too_fast(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 4, TRANSFER_MULTICAST);
    host_receives(&s, 2, 50);
    host_receives(&s, 3, 50);
    ask_image(&s, 1, 1, "large.img", 6250);
    ask_image(&s, 2, 1, "a.img", 250);
    ask_image(&s, 3, 1, "a.img", 250);
    settle(&s);
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 500-520 on repository,2; VM 520-620 on 2; "
                                        "SHUTDOWN 620-620 on 2");
    assert_string_equal(plan_of(&s, 3), "FILE_TRANSFER 520-560 on repository,3; VM 560-660 on 3; "
                                        "SHUTDOWN 660-660 on 3");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* A best-effort lease with a priority, an image of 250 MB and a deadline. */
static void ask_urgent(struct scenario *s, int64_t id, int32_t priority, int64_t deadline)
{
    ask(s, (struct ask){.id = id,
                        .priority = priority,
                        .duration = 100,
                        .deadline = deadline,
                        .image = "a.img",
                        .image_size = 250});
}

static void a_planned_lease_gives_up_its_transfer_only_to_one_that_gains(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 1, TRANSFER_UNICAST);
    s.settings.backfilling = BACKFILLING_CONSERVATIVE;
    best_effort(&s, 1, 1, 200);
    ask_urgent(&s, 2, 0, 0);
    at(&s, 25);
    ask_urgent(&s, 3, 2000, 250); /* host 1 is in use until 200 */
    settle(&s);
    assert_string_equal(plan_of(&s, 3), "");
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 0-20 on repository,1; VM 200-300 on 1; "
                                        "SHUTDOWN 300-300 on 1");
    at(&s, 30);
    ask_urgent(&s, 4, 1000, 0); /* goes ahead of lease 2, though lease 3 waits before it */
    settle(&s);
    assert_string_equal(plan_of(&s, 4), "FILE_TRANSFER 30-50 on repository,1; VM 200-300 on 1; "
                                        "SHUTDOWN 300-300 on 1");
    /* Its image is there already. */
    assert_string_equal(plan_of(&s, 2), "FILE_TRANSFER 0-20 on repository,1; VM 300-400 on 1; "
                                        "SHUTDOWN 400-400 on 1");
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 3)->state, LEASE_CANCELLED);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void a_lease_gets_its_image_ahead_of_a_planned_one(void **state)
{
    struct scenario s;

    scenario_with_images(&s, 2, TRANSFER_MULTICAST);
    s.settings.backfilling = BACKFILLING_CONSERVATIVE;
    best_effort(&s, 1, 1, 500);
    best_effort(&s, 2, 1, 200);
    ask_image(&s, 3, 1, "a.img", 250);
    ask_image(&s, 4, 2, "b.img", 5000);
    at(&s, 5);
    ask_urgent(&s, 5, 1000, 401); /* the repository would be in use until 420 */
    settle(&s);
    assert_string_equal(plan_of(&s, 5), "FILE_TRANSFER 20-40 on repository,2; VM 300-400 on 2; "
                                        "SHUTDOWN 400-400 on 2");
    assert_string_equal(plan_of(&s, 4),
                        "FILE_TRANSFER 40-440 on repository,1,2; VM 500-600 on 1,2; "
                        "SHUTDOWN 600-600 on 1,2");
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmanaged_images_are_there_already),
        cmocka_unit_test(a_lease_starts_when_its_image_is_there),
        cmocka_unit_test(unicast_sends_a_copy_to_each_vm_multicast_one_to_all),
        cmocka_unit_test(transfers_follow_each_other),
        cmocka_unit_test(an_empty_image_does_not_hide_a_transfer_that_begins_with_it),
        cmocka_unit_test(for_a_reservation_the_image_arrives_just_in_time),
        cmocka_unit_test(a_reservation_whose_image_comes_too_late_is_refused),
        cmocka_unit_test(a_lease_rides_on_a_planned_multicast),
        cmocka_unit_test(redundant_transfers_may_be_wanted),
        cmocka_unit_test(riders_keep_the_transfer_of_a_cancelled_owner),
        cmocka_unit_test(a_transfer_has_the_deadline_of_the_lease_that_takes_it_over),
        cmocka_unit_test(without_riders_it_is_taken_back),
        cmocka_unit_test(a_cancelled_transfer_frees_the_repository),
        cmocka_unit_test(a_cached_image_needs_no_transfer),
        cmocka_unit_test(an_unused_image_makes_room_in_the_cache),
        cmocka_unit_test(an_image_that_is_kept_long_enough_serves_reservations),
        cmocka_unit_test(a_deadline_lease_waits_for_its_image),
        cmocka_unit_test(a_lease_being_prepared_is_no_victim),
        cmocka_unit_test(cancelled_while_it_is_prepared),
        cmocka_unit_test(a_host_with_a_slow_network_gets_the_image_slowly),
        cmocka_unit_test(a_host_without_network_capacity_gets_it_at_full_rate),
        cmocka_unit_test(a_transfer_waits_for_the_network_of_its_host),
        cmocka_unit_test(for_a_reservation_it_is_sent_before_the_network_is_in_use),
        cmocka_unit_test(a_lease_does_not_ride_on_a_transfer_that_is_too_fast),
        cmocka_unit_test(a_planned_lease_gives_up_its_transfer_only_to_one_that_gains),
        cmocka_unit_test(a_lease_gets_its_image_ahead_of_a_planned_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
