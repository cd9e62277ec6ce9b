/* From VMs that no lease knows to leases: what they ask for, what is refused, groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/configuration.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile.h"
#include "daemon/record/records.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/user_usage.h"
#include "test/daemon/change_records.h"
#include "test/daemon/intake_fixture.h"
#include "test/daemon/store_fixture.h"

static void each_vm_becomes_a_lease(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    add(&stage, 1, VM_PENDING);
    ask_for(&stage, add(&stage, 2, VM_PENDING), "START=best_effort", "DURATION=00:10:00", NULL);
    add(&stage, 3, VM_RUNNING);
    add(&stage, 4, VM_POWEROFF);
    ask_for(&stage, add(&stage, 5, VM_PENDING), "START=some day", NULL);
    ask_for(&stage, add(&stage, 6, VM_RUNNING), "START=some day", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "requested");
    assert_true(store_lease(stage.store, 1)->plain);
    expect(&stage, 2, PHASE_WAITING, "requested");
    assert_false(store_lease(stage.store, 2)->plain);
    assert_int_equal(store_lease(stage.store, 2)->duration, 600);
    assert_string_equal(store_lease(stage.store, 2)->user, "anna");
    expect(&stage, 3, PHASE_STARTING, "adopted");
    assert_int_equal(store_vm(stage.store, 3)->goal, GOAL_RUN);
    assert_true(store_vm(stage.store, 3)->ran);
    assert_int_equal(store_vm(stage.store, 3)->host, 0);
    expect(&stage, 4, PHASE_PARKED, "adopted");
    assert_int_equal(store_lease(stage.store, 4)->reason_id, REASON_PARKED);
    expect(&stage, 5, PHASE_REFUSED, "refused");
    assert_string_equal(store_lease(stage.store, 5)->reason_word, "malformed");
    assert_int_equal(store_vm(stage.store, 5)->goal, GOAL_HOLD);
    expect(&stage, 6, PHASE_STARTING, "adopted"); /* it runs, whatever it asks for */
    take_in(&stage, NOW + 1);                     /* they are known */
    expect(&stage, 1, PHASE_WAITING, "requested");
    close_stage(&stage);
}

static bool has_form(const struct stage *stage, int32_t id)
{
    return world_vm(stage->scene.daemon.world, id)->full != NULL;
}

/* A cloud has many running VMs: their forms and their records need not be in memory together. */
static void the_form_of_a_running_vm_is_dropped_when_it_is_taken_in_and_tells_nothing(void **state)
{
    struct attribute message = {"SCHED_MESSAGE", "Waits for CPU"};
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    add(&stage, 1, VM_RUNNING);
    add(&stage, 2, VM_RUNNING)->user_template = (struct attributes){.items = &message, .n = 1};
    ask_for(&stage, add(&stage, 3, VM_RUNNING), "START=best_effort", NULL);
    add(&stage, 4, VM_RUNNING)->resched = true;
    add(&stage, 5, VM_PENDING);
    add(&stage, 6, VM_POWEROFF);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_STARTING, "adopted");
    assert_false(has_form(&stage, 1));
    for (int32_t id = 2; id <= 6; id++)
        assert_true(has_form(&stage, id));
    take_in(&stage, NOW + 1);
    assert_false(has_form(&stage, 1)); /* it is not read again */
    close_stage(&stage);
}

/* One that is created on hold asks for its lease when it is released: nothing is promised before.
 */
static void a_vm_on_hold_asks_when_it_is_released(void **state)
{
    struct stage stage;
    struct vm *vm;
    char text[STORE_SENTENCE_MAX];

    open_stage(&stage, state, "[rights]\n");
    vm = add(&stage, 1, VM_HOLD);
    ask_for(&stage, vm, "START=+01:00:00", "DURATION=00:10:00", NULL);
    take_in(&stage, 100);
    expect(&stage, 1, PHASE_PARKED, "adopted");
    store_activity(store_lease(stage.store, 1), 100, text, sizeof text);
    assert_string_equal(text, "On hold until it is released");
    assert_false(store_lease(stage.store, 1)->accepted);
    vm->state = VM_PENDING;
    scene_poll(&stage.scene);
    reconcile(&stage.scene.daemon, 200);
    assert_int_equal(store_lease(stage.store, 1)->phase, PHASE_WAITING);
    assert_false(store_lease(stage.store, 1)->accepted); /* the planner decides */
    close_stage(&stage);
}

/* Its VM is still pending when OpenNebula has not yet put it on hold. */
static void a_lease_that_is_held_before_it_is_decided_stays_held(void **state)
{
    const struct lease_record *lease;
    struct stage stage;
    struct vm *vm;

    open_stage(&stage, state, "[rights]\n");
    vm = add(&stage, 1, VM_PENDING);
    ask_for(&stage, vm, "START=best_effort", "DURATION=00:10:00", NULL);
    take_in(&stage, 100);
    lease = store_lease(stage.store, 1);
    assert_int_equal(lease_apply(stage.store, lease, EVENT_HOLD, 150, "%s", ""), 0);
    scene_poll(&stage.scene);
    reconcile(&stage.scene.daemon, 200);
    assert_int_equal(lease->phase, PHASE_PARKED);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_PARK);
    close_stage(&stage);
}

static void plain_vms_can_be_ignored(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    stage.scene.live.plain_vms = PLAIN_IGNORE;
    add(&stage, 1, VM_PENDING);
    ask_for(&stage, add(&stage, 2, VM_PENDING), "START=now", "DURATION=00:10:00", NULL);
    take_in(&stage, NOW);
    assert_null(store_lease(stage.store, 1));
    expect(&stage, 2, PHASE_WAITING, "requested");
    assert_int_equal(store_lease(stage.store, 2)->kind, LEASE_IMMEDIATE);
    close_stage(&stage);
}

static void what_is_not_granted_is_refused(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    ask_for(&stage, add(&stage, 1, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add(&stage, 2, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "requested");
    assert_int_equal(store_lease(stage.store, 1)->kind, LEASE_RESERVATION);
    lease_to_change(stage.store, 1)->accepted = true;
    take_in(&stage, NOW);
    expect(&stage, 2, PHASE_REFUSED, "refused");
    assert_string_equal(store_lease(stage.store, 2)->reason_word, "not-granted");
    close_stage(&stage);
}

static void a_lease_belongs_to_the_owner_of_its_first_vm(void **state)
{
    struct configuration configuration = {
        .settings.fair_share = {.by = FAIR_SHARE_USERS, .half_life = 3600}};
    struct stage stage;
    struct used *used;
    size_t n;

    open_stage(&stage, state, "[rights]\nmax-reservations: 1\n");
    stage.scene.daemon.configuration = &configuration;
    ask_for(&stage, add(&stage, 1, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", "GROUP=g",
            "GROUP_SIZE=2", NULL);
    ask_for(&stage, add(&stage, 2, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", "GROUP=g",
            "GROUP_SIZE=2", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_WAITING, "complete");
    give(&stage, 2, 7, "ben");
    take_in(&stage, NOW + 1);
    expect(&stage, 1, PHASE_WAITING, "complete");
    lease_to_change(stage.store, 1)->accumulated = 60;
    give(&stage, 1, 7, "ben");
    take_in(&stage, NOW + 2);
    expect(&stage, 1, PHASE_WAITING, "owner-changed");
    assert_string_equal(store_lease(stage.store, 1)->user, "ben");
    lease_to_change(stage.store, 1)->accepted = true;
    used = usage_now(stage.store, &configuration.settings.fair_share, NOW + 2, &n);
    assert_int_equal(n, 1); /* what it ran before */
    assert_int_equal(used[0].uid, 0);
    free(used);
    ask_for(&stage, add(&stage, 3, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    ask_for(&stage, add(&stage, 4, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", NULL);
    give(&stage, 4, 7, "ben");
    take_in(&stage, NOW + 3);
    expect(&stage, 3, PHASE_WAITING, "requested");
    expect(&stage, 4, PHASE_REFUSED, "refused");
    close_stage(&stage);
}

static void a_group_waits_for_its_members(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    ask_for(&stage, add(&stage, 1, VM_PENDING), "GROUP=g", "GROUP_SIZE=2", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    assert_string_equal(store_lease(stage.store, 1)->reason_word, "group-incomplete");
    take_in(&stage, NOW + 1000); /* its size is known: it is waited for */
    expect(&stage, 1, PHASE_GATHERING, "requested");
    ask_for(&stage, add(&stage, 2, VM_PENDING), "GROUP=g", "GROUP_SIZE=2", NULL);
    take_in(&stage, NOW + 1001);
    expect(&stage, 1, PHASE_WAITING, "complete");
    assert_int_equal(store_vm(stage.store, 2)->lease, 1);
    assert_string_equal(store_lease(stage.store, 1)->reason_word, "");
    assert_null(store_lease(stage.store, 2));
    close_stage(&stage);
}

static void a_group_of_unknown_size_is_complete_in_time(void **state)
{
    struct stage stage;

    open_stage(&stage, state, "[rights]\n");
    ask_for(&stage, add(&stage, 1, VM_PENDING), "GROUP=g", NULL);
    take_in(&stage, NOW);
    take_in(&stage, NOW + 59);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    take_in(&stage, NOW + 60);
    expect(&stage, 1, PHASE_WAITING, "complete");
    close_stage(&stage);
}

static void a_group_that_is_incomplete_at_its_start_is_refused(void **state)
{
    struct stage stage;
    char text[STORE_SENTENCE_MAX];

    open_stage(&stage, state, "[rights]\n");
    ask_for(&stage, add(&stage, 1, VM_PENDING), "START=+01:00:00", "DURATION=00:10:00", "GROUP=g",
            "GROUP_SIZE=2", NULL);
    take_in(&stage, 100);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    take_in(&stage, store_lease(stage.store, 1)->start - 1);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    take_in(&stage, store_lease(stage.store, 1)->start);
    expect(&stage, 1, PHASE_REFUSED, "refused");
    store_reason_sentence(store_lease(stage.store, 1), true, text, sizeof text);
    assert_non_null(strstr(text, "has passed, and only 1 of 2 VMs of group g were submitted"));
    close_stage(&stage);
}

/* A refused lease whose VMs are released asks again, with what its attribute says by then. */
static void a_released_vm_asks_again(void **state)
{
    struct stage stage;
    struct vm *vm;
    char text[STORE_ACTIVITY_MAX];

    open_stage(&stage, state, "[rights]\n");
    vm = add(&stage, 1, VM_PENDING);
    ask_for(&stage, vm, "START=some day", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_REFUSED, "refused");
    ask_for(&stage, vm, "START=some other day", NULL);
    scene_poll(&stage.scene);
    intake_again(&stage.scene.daemon, store_lease(stage.store, 1), NOW + 5);
    expect(&stage, 1, PHASE_REFUSED, "refused");
    ask_for(&stage, vm, "START=best_effort", "DURATION=00:05:00", NULL);
    scene_poll(&stage.scene);
    intake_again(&stage.scene.daemon, store_lease(stage.store, 1), NOW + 10);
    expect(&stage, 1, PHASE_WAITING, "released");
    store_activity(store_lease(stage.store, 1), NOW + 10, text, sizeof text);
    assert_string_equal(text, "Waiting"); /* its refusal is over */
    assert_int_equal(store_lease(stage.store, 1)->duration, 300);
    assert_int_equal(store_lease(stage.store, 1)->submit, NOW + 10);
    close_stage(&stage);
}

/* Its group may have been waiting for it; its own lease ends without VMs. */
static void a_released_vm_joins_its_group(void **state)
{
    struct stage stage;
    struct vm *vm;
    size_t n;

    open_stage(&stage, state, "[rights]\n");
    ask_for(&stage, add(&stage, 1, VM_PENDING), "GROUP=g", "GROUP_SIZE=2", NULL);
    vm = add(&stage, 2, VM_PENDING);
    ask_for(&stage, vm, "GROUP=g", "GROUP_SIZE=2", "OTHER=1", NULL);
    take_in(&stage, NOW);
    expect(&stage, 1, PHASE_GATHERING, "requested");
    expect(&stage, 2, PHASE_REFUSED, "refused");
    ask_for(&stage, vm, "GROUP=g", "GROUP_SIZE=2", NULL);
    scene_poll(&stage.scene);
    intake_again(&stage.scene.daemon, store_lease(stage.store, 2), NOW + 5);
    expect(&stage, 2, PHASE_ENDED, "ended");
    store_vms_of(stage.store, 2, &n);
    assert_int_equal(n, 0);
    expect(&stage, 1, PHASE_GATHERING, "joined");
    take_in(&stage, NOW + 6);
    expect(&stage, 1, PHASE_WAITING, "complete");
    close_stage(&stage);
}

static void note_lines(void *context, const struct store_event *event)
{
    char *text = context;

    snprintf(text + strlen(text), STORE_TEXT_MAX - strlen(text), "%s; ", event->event);
}

/* OpenNebula's database was restored from an older copy, and the VM of another user has the id of a
 * lost one: nothing is done to it for the old lease, and it gets a lease of its own. */
static void another_vm_with_the_id_has_its_own_lease(void **state)
{
    char lines[STORE_TEXT_MAX] = "";
    const struct lease_record *lease;
    struct stage stage;
    struct error err;
    struct vm *vm;

    open_stage(&stage, state, "[rights]\n");
    vm = add(&stage, 1, VM_RUNNING);
    vm->n_records = 2;
    take_in(&stage, NOW);
    reconcile(&stage.scene.daemon, NOW);
    assert_int_equal(store_vm(stage.store, 1)->created, vm->stime);
    vm->stime = NOW + 1;
    vm->n_records = 1;
    vm->history.sequence = 3; /* its earlier records are not those of the lost VM */
    give(&stage, 1, 7, "bert");
    take_in(&stage, NOW + 2);
    reconcile(&stage.scene.daemon, NOW + 2);
    lease = store_lease(stage.store, 1);
    assert_int_equal(lease->phase, PHASE_ENDED);
    assert_int_equal(lease->reason_id, REASON_VMS_LOST);
    assert_string_equal(lease->user, "anna");
    assert_int_equal(world_vm(stage.scene.daemon.world, 1)->n_records, 1);
    assert_int_equal(store_each_event(stage.store, 1, 0, note_lines, lines, NULL), 0);
    assert_string_equal(lines, "adopted; running; vm-lost; ended; ");
    assert_int_equal(scene_enact(&stage.scene, NOW + 2), 0);
    assert_int_equal(store_commit(stage.store, &err), 0);
    records_update(&stage.scene.daemon);
    assert_null(store_lease(stage.store, 1));
    take_in(&stage, NOW + 3);
    expect(&stage, 1, PHASE_STARTING, "adopted");
    assert_string_equal(store_lease(stage.store, 1)->user, "bert");
    assert_int_equal(store_vm(stage.store, 1)->created, NOW + 1);
    close_stage(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_vm_becomes_a_lease),
        TEST(the_form_of_a_running_vm_is_dropped_when_it_is_taken_in_and_tells_nothing),
        TEST(a_vm_on_hold_asks_when_it_is_released),
        TEST(a_lease_that_is_held_before_it_is_decided_stays_held),
        TEST(plain_vms_can_be_ignored),
        TEST(what_is_not_granted_is_refused),
        TEST(a_lease_belongs_to_the_owner_of_its_first_vm),
        TEST(another_vm_with_the_id_has_its_own_lease),
        TEST(a_group_waits_for_its_members),
        TEST(a_group_of_unknown_size_is_complete_in_time),
        TEST(a_group_that_is_incomplete_at_its_start_is_refused),
        TEST(a_released_vm_asks_again),
        TEST(a_released_vm_joins_its_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
