/* What users and groups may hold, alone and beside the requests of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/reason_details.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_order.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/intake_fixture.h"
#include "test/daemon/store_fixture.h"

static void expect_reason(const struct stage *stage, int64_t id, const char *part)
{
    char text[STORE_SENTENCE_MAX];

    store_reason_sentence(store_lease(stage->store, id), false, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

/* The VMs have one processor and 512 MB. */
static void one_users_reservations_have_a_share_of_the_cloud(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-cloud-time: 24:00:00\n");
    stage.scene.fake->n_hosts = 2;
    for (int i = 0; i < 2; i++)
        stage.scene.fake->hosts[i] =
            (struct host){.id = i, .cpu = 800, .memory = 16384, .state = i ? HOST_ON : HOST_ERROR};
    ask_for(&stage, add_now(&stage, 1), "START=+01:00:00", "DURATION=8:00:00:00", NULL);
    ask_for(&stage, add_now(&stage, 2), "START=+01:00:00", "DURATION=9:00:00:00", NULL);
    ask_for(&stage, add_now(&stage, 3), "START=+01:00:00", "DURATION=8:00:00:00", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 1)->accepted = true;
    take_in(&stage, NOW);
    expect(&stage, 2, PHASE_REFUSED, "refused"); /* 8 + 9 days of a 16th of it */
    expect_reason(&stage, 2, "whole cloud for 1d01h30m");
    expect(&stage, 3, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 3)->accepted = true;
    ask_for(&stage, add_now(&stage, 4), "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add_now(&stage, 5), "DURATION=90:00:00:00", NULL);
    ask_for(&stage, add_now(&stage, 6), "START=+01:00:00", "DURATION=10:00:00", "GROUP=g",
            "GROUP_SIZE=40", NULL);
    ask_for(&stage, add_now(&stage, 7), "START=+01:00:00", "DURATION=09:00:00", "GROUP=h",
            "GROUP_SIZE=40", NULL);
    give(&stage, 6, 7, "ben");
    give(&stage, 7, 8, "eve");
    take_in(&stage, NOW + 1);
    expect(&stage, 4, PHASE_REFUSED, "refused");
    expect(&stage, 5, PHASE_WAITING, "requested");
    expect(&stage, 6, PHASE_REFUSED, "refused");
    expect_reason(&stage, 6, "whole cloud for 1d01h");
    expect(&stage, 7, PHASE_GATHERING, "requested");
    close_stage(&stage);
}

static void grow(struct stage *stage, int32_t id, int64_t cpu)
{
    for (size_t i = 0; i < FAKE_VMS_MAX; i++)
        if (stage->scene.fake->vms[i].id == id)
            stage->scene.fake->vms[i].cpu = cpu;
    scene_poll(&stage->scene);
    reconcile(&stage->scene.daemon, NOW + 1);
}

/* Owners may resize VMs in OpenNebula: what is larger is a new request. */
static void a_share_of_the_cloud_is_not_got_round_by_resizing(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-cloud-time: 24:00:00\n");
    stage.scene.fake->n_hosts = 1;
    stage.scene.fake->hosts[0] = (struct host){.cpu = 1600, .memory = 32768, .state = HOST_ON};
    for (int i = 1; i <= 3; i++)
        ask_for(&stage, add_now(&stage, i), "START=+01:00:00", "DURATION=4:00:00:00", NULL);
    ask_for(&stage, add_now(&stage, 4), "DURATION=4:00:00:00", NULL);
    take_in(&stage, NOW);
    for (int i = 1; i <= 3; i++)
        lease_to_change(stage.store, i)->phase = PHASE_RESERVED;
    grow(&stage, 1, 200); /* 4 days of a quarter of it, in all */
    expect(&stage, 1, PHASE_WAITING, "resized");
    lease_to_change(stage.store, 1)->accepted = true;
    grow(&stage, 2, 300);
    expect(&stage, 2, PHASE_REFUSED, "refused");
    expect_reason(&stage, 2, "whole cloud for 1d12h");
    grow(&stage, 4, 1600);
    expect(&stage, 4, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 3)->phase = PHASE_PARKED; /* on hold until now */
    lease_to_change(stage.store, 3)->accepted = true;
    grow(&stage, 3, 800);
    expect(&stage, 3, PHASE_REFUSED, "refused");
    close_stage(&stage);
}

/* They may still be refused, and those that are accepted count. */
static void what_grew_waits_for_undecided_reservations(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-cloud-time: 24:00:00\n");
    stage.scene.fake->n_hosts = 1;
    stage.scene.fake->hosts[0] = (struct host){.cpu = 1600, .memory = 32768, .state = HOST_ON};
    for (int i = 1; i <= 3; i++)
        ask_for(&stage, add_now(&stage, i), "START=+01:00:00", "DURATION=4:00:00:00", NULL);
    take_in(&stage, NOW);
    grow(&stage, 1, 300); /* 30 hours in all */
    expect(&stage, 1, PHASE_WAITING, "requested");
    lease_refuse(stage.store, store_lease(stage.store, 2), NOW,
                 &(struct reason){.id = REASON_NO_ROOM_AT_START}, NULL);
    assert_true(intake_can_go_on(&stage.scene.daemon));
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "requested");
    assert_false(intake_can_go_on(&stage.scene.daemon));
    grow(&stage, 3, 200);
    expect(&stage, 3, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 1)->accepted = true;
    assert_true(intake_can_go_on(&stage.scene.daemon));
    take_in(&stage, NOW);
    expect(&stage, 3, PHASE_REFUSED, "refused");
    expect_reason(&stage, 3, "whole cloud for 1d06h");
    close_stage(&stage);
}

static enum verdict judge_change(const struct stage *stage, const struct lease_record *changed,
                                 int64_t cpu)
{
    char reason[LEASE_SPEC_TEXT_MAX];

    return intake_judge_change(&stage->scene.daemon,
                               &(struct changed_lease){.lease = changed, .cpu = cpu}, NOW, reason);
}

/* One processor of 16 for each VM: later than a day from now half of them, by changes as well. */
static void one_user_does_not_hold_the_whole_cloud_far_ahead(void **state)
{
    struct lease_record changed;
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    stage.scene.fake->n_hosts = 1;
    stage.scene.fake->hosts[0] = (struct host){.cpu = 1600, .memory = 32768, .state = HOST_ON};
    ask_for(&stage, add_now(&stage, 1), "START=+48:00:00", "DURATION=01:00:00", "GROUP=a",
            "GROUP_SIZE=7", NULL);
    ask_for(&stage, add_now(&stage, 2), "START=+48:00:00", "DURATION=01:00:00", NULL);
    ask_for(&stage, add_now(&stage, 3), "START=+48:59:59", "DURATION=02:00:00", NULL);
    ask_for(&stage, add_now(&stage, 4), "START=+49:00:00", "DURATION=02:00:00", "GROUP=b",
            "GROUP_SIZE=8", NULL);
    ask_for(&stage, add_now(&stage, 5), "START=+01:00:00", "DURATION=02:00:00", "GROUP=c",
            "GROUP_SIZE=16", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    expect(&stage, 2, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 2)->accepted = true;
    take_in(&stage, NOW);
    expect(&stage, 3, PHASE_REFUSED, "refused");
    expect_reason(&stage, 3, "you would hold 57% of the cloud");
    expect_reason(&stage, 3, "(max-share): possible from ");
    expect(&stage, 4, PHASE_GATHERING, "requested");
    expect(&stage, 5, PHASE_GATHERING, "requested");

    changed = *store_lease(stage.store, 2);
    changed.duration++;
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_NO);
    changed.duration -= 2;
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_YES);
    changed.start -= 7200; /* before the others */
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_YES);
    assert_int_equal(judge_change(&stage, &changed, 900), VERDICT_NO);
    close_stage(&stage);
}

/* Renewing does not help: it is for the others now. */
static void what_others_wait_for_is_not_reserved_again(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    stage.scene.fake->n_hosts = 1;
    stage.scene.fake->hosts[0] = (struct host){.cpu = 1600, .memory = 32768, .state = HOST_ON};
    ask_for(&stage, add_now(&stage, 1), "START=+01:00:00", "DURATION=01:00:00", "GROUP=a",
            "GROUP_SIZE=16", NULL);
    add_now(&stage, 2);
    give(&stage, 2, 7, "ben");
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    expect(&stage, 2, PHASE_WAITING, "requested");
    lease_to_change(stage.store, 2)->reason_id = REASON_NO_ROOM_NOW;
    ask_for(&stage, add_now(&stage, 3), "START=+02:00:00", "DURATION=01:00:00", "GROUP=b",
            "GROUP_SIZE=16", NULL);
    ask_for(&stage, add_now(&stage, 4), "START=+02:00:00", "DURATION=01:00:00", "GROUP=c",
            "GROUP_SIZE=8", NULL);
    take_in(&stage, NOW);
    expect(&stage, 3, PHASE_REFUSED, "refused");
    expect_reason(&stage, 3, "while others wait for room (max-share): 8 of its 16 VMs");
    expect(&stage, 4, PHASE_GATHERING, "requested");
    close_stage(&stage);
}

static void a_request_is_not_refused_because_of_one_that_is_refused_itself(void **state)
{
    const struct reason no_room = {.id = REASON_NO_ROOM_AT_START};
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    for (int32_t id = 1; id <= 4; id++)
        ask_for(&stage, add(&stage, id, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add(&stage, 5, VM_PENDING), "START=best_effort", "DURATION=00:10:00", NULL);
    ask_for(&stage, add(&stage, 6, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    give(&stage, 6, 7, "ben");
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "requested");
    expect(&stage, 5, PHASE_WAITING, "requested");
    expect(&stage, 6, PHASE_WAITING, "requested");
    for (int64_t id = 2; id <= 4; id++)
        assert_null(store_lease(stage.store, id));
    assert_false(intake_can_go_on(&stage.scene.daemon));
    lease_refuse(stage.store, store_lease(stage.store, 1), NOW, &no_room, NULL);
    assert_true(intake_can_go_on(&stage.scene.daemon));
    take_in(&stage, NOW);
    expect(&stage, 2, PHASE_WAITING, "requested");
    assert_null(store_lease(stage.store, 3));
    lease_to_change(stage.store, 2)->accepted = true;
    assert_true(intake_can_go_on(&stage.scene.daemon));
    take_in(&stage, NOW);
    expect(&stage, 3, PHASE_REFUSED, "refused");
    expect(&stage, 4, PHASE_REFUSED, "refused");
    assert_false(intake_can_go_on(&stage.scene.daemon));
    close_stage(&stage);
}

/* They are asked for again in order as well, and without a wait once the planner has decided. */
static void released_reservations_wait_behind_others_of_their_user(void **state)
{
    struct stage stage;
    struct vm *vm;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    vm = add(&stage, 1, VM_PENDING);
    ask_for(&stage, vm, "START=some day", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_REFUSED, "refused");
    ask_for(&stage, vm, "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add(&stage, 2, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    take_in(&stage, NOW);
    expect(&stage, 2, PHASE_WAITING, "requested");
    intake_again(&stage.scene.daemon, store_lease(stage.store, 1), NOW);
    expect(&stage, 1, PHASE_REFUSED, "refused");
    assert_false(intake_can_go_on(&stage.scene.daemon));
    lease_refuse(stage.store, store_lease(stage.store, 2), NOW,
                 &(struct reason){.id = REASON_NO_ROOM_AT_START}, NULL);
    assert_true(intake_can_go_on(&stage.scene.daemon));
    take_in(&stage, NOW);
    intake_again(&stage.scene.daemon, store_lease(stage.store, 1), NOW);
    expect(&stage, 1, PHASE_WAITING, "released");
    assert_false(intake_can_go_on(&stage.scene.daemon));
    close_stage(&stage);
}

/* Only the planner's decision about them tells whether they count. */
static void orders_and_changes_wait_for_undecided_reservations(void **state)
{
    struct order order = {.kind = LEASE_RESERVATION,
                          .sizes = {{.count = 1, .cpu = 100, .memory = 512}},
                          .n_sizes = 1,
                          .count = 1,
                          .start = NOW + 3600,
                          .earliest = INSTANT_NONE,
                          .deadline = INSTANT_NONE,
                          .duration = 600,
                          .user = "anna"};
    struct lease_record changed;
    char reason[LEASE_SPEC_TEXT_MAX];
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    ask_for(&stage, add_now(&stage, 1), "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add_now(&stage, 2), "START=best_effort", "DURATION=00:10:00", NULL);
    give(&stage, 1, 0, "anna");
    give(&stage, 2, 0, "anna");
    take_in(&stage, NOW);
    changed = *store_lease(stage.store, 2);
    changed.kind = LEASE_RESERVATION;
    changed.start = NOW + 3600;
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_LATER);
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_LATER);
    lease_to_change(stage.store, 1)->accepted = true;
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_NO);
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_NO);
    lease_to_change(stage.store, 1)->phase = PHASE_REFUSED;
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_YES);
    assert_int_equal(judge_change(&stage, &changed, 0), VERDICT_YES);
    close_stage(&stage);
}

/* Also in a dry run, which plans without an owner. */
static void a_request_for_a_booking_needs_one_that_admits_its_user(void **state)
{
    struct order order = {.kind = LEASE_BEST_EFFORT,
                          .count = 1,
                          .n_sizes = 1,
                          .sizes[0] = {1, 100, 100},
                          .start = INSTANT_NONE,
                          .earliest = INSTANT_NONE,
                          .deadline = INSTANT_NONE,
                          .duration = 600,
                          .term_values.booking = "course",
                          .user = "anna"};
    char nobody[] = "", owner[] = "root", users[] = "anna";
    const struct booking booking = {
        .name = "course", .owner = owner, .users = users, .groups = nobody};
    char reason[LEASE_SPEC_TEXT_MAX], text[STORE_SENTENCE_MAX];
    struct stage stage;

    open_stage(&stage, state, "");
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_NO);
    assert_string_equal(reason, "\nno-booking course");
    drains_book(&stage.scene.daemon.drains, &booking);
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_YES);
    order.user = "bert";
    assert_int_equal(intake_judge_order(&stage.scene.daemon, &order, NOW, reason), VERDICT_NO);
    assert_string_equal(details_text(reason, text, sizeof text, NULL),
                        "booking 'course' admits neither user 'bert' nor group ''");
    drains_finish(&stage.scene.daemon.drains);
    close_stage(&stage);
}

static void a_lease_does_not_count_against_itself(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    ask_for(&stage, add_now(&stage, 1), "START=+01:00:00", "DURATION=00:10:00", NULL);
    stage.scene.fake->vms[0].state = VM_HOLD;
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_PARKED, "adopted");
    stage.scene.fake->vms[0].state = VM_PENDING;
    take_in(&stage, NOW + 1);
    reconcile(&stage.scene.daemon, NOW + 1);
    expect(&stage, 1, PHASE_WAITING, "released");
    close_stage(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_users_reservations_have_a_share_of_the_cloud),
        TEST(a_share_of_the_cloud_is_not_got_round_by_resizing),
        TEST(what_grew_waits_for_undecided_reservations),
        TEST(one_user_does_not_hold_the_whole_cloud_far_ahead),
        TEST(what_others_wait_for_is_not_reserved_again),
        TEST(a_request_is_not_refused_because_of_one_that_is_refused_itself),
        TEST(released_reservations_wait_behind_others_of_their_user),
        TEST(orders_and_changes_wait_for_undecided_reservations),
        TEST(a_request_for_a_booking_needs_one_that_admits_its_user),
        TEST(a_lease_does_not_count_against_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
