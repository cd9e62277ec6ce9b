/* Dry runs change nothing: of a request, a change and a drain. (A traced decision: test_trace.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

/* On two hosts: a running lease, and others that a plan would start, accept and refuse; one that is
 * promised. */
static void furnish(struct house *house, struct store *store)
{
    struct lease_record *running, *fresh, *promised, *late;
    struct error err = {0};

    open_house(house, store, 2);
    running = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 1000);
    running->since = NOW - 10;
    running->end = NOW + 990;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    add_lease(store, 2, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    fresh = add_lease(store, 3, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    fresh->accepted = false;
    promised = add_lease(store, 4, PHASE_RESERVED, LEASE_RESERVATION, 600);
    promised->start = NOW + 5000;
    late = add_lease(store, 5, PHASE_WAITING, LEASE_RESERVATION, 10);
    late->accepted = false;
    late->start = NOW - 100;
    assert_int_equal(store_commit(store, &err), 0);
}

/* Nothing differs from `before`, and a plan that is not a dry run would have changed something. */
static void check_unchanged(struct house *house, struct store *store,
                            const struct picture_of_store *before)
{
    static struct picture_of_store after;

    look_at_store(store, &after);
    assert_memory_equal(before, &after, sizeof after);
    assert_false(after.changes);
    rebuild(house, NOW);
    assert_int_equal(store_lease(store, 2)->phase, PHASE_STARTING);
    assert_int_equal(store_lease(store, 5)->phase, PHASE_REFUSED);
    close_house(house);
}

static void found(void *context, const struct planner_trial *trial, const struct error *err)
{
    if (!trial)
        fail_msg("%s", err->text);
    *(struct planner_trial *)context = *trial;
}

static struct planner_trial try_lease(struct house *house, enum lease_kind kind, int64_t start)
{
    struct node_set set = {.count = 1};
    const struct lease_request request = {.kind = kind,
                                          .start = start,
                                          .deadline = INSTANT_NONE,
                                          .duration = 300,
                                          .duration_original = 300,
                                          .duration_known = SPAN_NONE,
                                          .terms = TERMS_NON_PREEMPTABLE,
                                          .node_sets = &set,
                                          .n_node_sets = 1};
    struct planner_trial trial = {.start = INSTANT_NONE};
    struct error err = {0};

    set.amounts.of[RESOURCE_CPU] = CPU;
    set.amounts.of[RESOURCE_MEMORY] = MEMORY;
    if (planner_try(house->planner, &request, NOW, found, &trial, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house->planner);
    return trial;
}

static void a_tried_request_changes_nothing(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    static struct picture_of_store before;
    struct planner_trial trial;
    struct house house;

    furnish(&house, store);
    look_at_store(store, &before);
    trial = try_lease(&house, LEASE_BEST_EFFORT, INSTANT_NONE);
    assert_true(trial.accepted);
    trial = try_lease(&house, LEASE_RESERVATION, NOW + 9000);
    assert_true(trial.accepted && trial.contract);
    assert_int_equal(trial.start, NOW + 9000);
    assert_int_equal(trial.reason.id, REASON_NONE);
    check_unchanged(&house, store, &before);
}

/* OpenNebula would not start its VMs on a host for pinned VMs. */
static void a_request_is_not_tried_on_hosts_for_pinned_vms(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct attribute pinned = {"PIN_POLICY", "PINNED"};
    struct planner_trial trial;
    struct house house;

    furnish(&house, store);
    house.scene.fake->hosts[0].attributes = (struct attributes){&pinned, 1, 0};
    house.scene.fake->hosts[1].name = "usual";
    scene_poll(&house.scene);
    trial = try_lease(&house, LEASE_RESERVATION, NOW + 9000);
    assert_true(trial.accepted);
    assert_int_equal(trial.n_hosts, 1);
    assert_string_equal(trial.hosts[0].name, "usual");
    close_house(&house);
}

static void judged(void *context, const struct planner_change *change, const struct error *err)
{
    if (!change)
        fail_msg("%s", err->text);
    *(bool *)context = change->accepted;
}

static void a_tried_change_changes_nothing(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    static struct picture_of_store before;
    struct lease_record changed;
    struct house house;
    struct error err = {0};
    bool accepted = false;

    furnish(&house, store);
    look_at_store(store, &before);
    changed = *store_lease(store, 1);
    changed.duration += 1000;
    if (planner_try_change(house.planner, &(struct changed_lease){.lease = &changed}, NOW, judged,
                           &accepted, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house.planner);
    assert_true(accepted);
    changed = *store_lease(store, 4);
    changed.start = NOW + 7000;
    if (planner_try_change(house.planner, &(struct changed_lease){.lease = &changed}, NOW, judged,
                           &accepted, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house.planner);
    assert_true(accepted);
    check_unchanged(&house, store, &before);
}

/* Nobody promised the start of a lease that waits. */
static void a_request_comes_before_those_that_wait(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running, *asked;
    struct house house;

    open_house(&house, store, 1);
    running = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 1000);
    running->since = NOW - 10;
    running->end = NOW + 990;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    add_lease(store, 2, PHASE_WAITING, LEASE_BEST_EFFORT, SPAN_UNLIMITED)->terms =
        TERMS_NON_PREEMPTABLE;
    rebuild(&house, NOW);
    assert_true(instant_is_set(store_lease(store, 2)->expected));
    assert_true(try_lease(&house, LEASE_RESERVATION, NOW + 2000).accepted);
    asked = add_lease(store, 3, PHASE_WAITING, LEASE_RESERVATION, 600);
    asked->accepted = false;
    asked->start = NOW + 2000;
    assert_false(planner_is_outdated(house.planner));
    planner_new(house.planner, 3);
    assert_true(planner_is_outdated(house.planner)); /* the next plan is a complete one */
    rebuild(&house, NOW);
    assert_int_equal(asked->phase, PHASE_RESERVED);
    assert_int_equal(store_lease(store, 2)->phase, PHASE_WAITING);
    close_house(&house);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

static void drained(void *context, const struct planner_drains *drains, const struct error *err)
{
    if (!drains)
        fail_msg("%s", err->text);
    assert_int_equal(drains->n_vms, 1);
    *(struct drained_vm *)context = drains->vms[0];
}

/* It moves like one that runs, although the plan knows it by its own number. */
static void a_tried_drain_moves_a_vm_that_is_off(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct drains drains = {0};
    struct drained_vm moved;
    struct house house;
    struct error err = {0};

    open_house(&house, store, 2);
    add_lease(store, 1, PHASE_PARKED, LEASE_BEST_EFFORT, 1000);
    fake_cloud_has_datastore(house.scene.fake);
    fake_cloud_add_vm(house.scene.fake, 1, VM_POWEROFF, 0, CPU, MEMORY);
    scene_poll(&house.scene);
    drains_put(&drains, &(struct drain){.host = 0, .from = NOW + 100, .until = INSTANT_NEVER});
    if (planner_try_drains(house.planner, &drains, NOW, drained, &moved, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house.planner);
    if (moved.how != DRAINED_MOVES)
        fail_msg("%s %s", moved.cause.word, moved.reason.text);
    assert_int_equal(moved.to, 1);
    drains_finish(&drains);
    close_house(&house);
}

/* Lease 1 makes room for a reservation at NOW + 100: this is why it is gone from a host that is
 * drained later. On one that is drained at once, it stays until then. */
static void a_tried_drain_knows_what_is_preempted(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 1000);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct drains drains = {0};
    struct drained_vm vm;
    struct house house;
    struct error err = {0};

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    fake_cloud_has_datastore(house.scene.fake);
    fake_cloud_add_vm(house.scene.fake, 1, VM_RUNNING, 0, CPU, MEMORY);
    scene_poll(&house.scene);
    rebuild(&house, NOW);
    assert_true(store_is_preempted(lease));
    drains_put(&drains, &(struct drain){.host = 0, .from = NOW + 400, .until = INSTANT_NEVER});
    assert_int_equal(planner_try_drains(house.planner, &drains, NOW, drained, &vm, &err), 0);
    planner_serve(house.planner);
    assert_int_equal(vm.how, DRAINED_SUSPENDED);
    assert_int_equal(vm.at, store_leaves_at(lease));
    assert_int_equal(vm.for_lease, 2);
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease_forget_preemption(store, lease);
    assert_int_equal(planner_try_drains(house.planner, &drains, NOW, drained, &vm, &err), 0);
    planner_serve(house.planner);
    assert_int_equal(vm.how, DRAINED_STAYS);
    assert_int_equal(vm.at, NOW + 400);
    lease->terms = TERMS_SUSPENDABLE;
    lease_note_preemption(store, lease, 2, NOW + 100);
    drains_put(&drains, &(struct drain){.host = 0, .from = NOW, .until = INSTANT_NEVER});
    assert_int_equal(planner_try_drains(house.planner, &drains, NOW, drained, &vm, &err), 0);
    planner_serve(house.planner);
    assert_int_equal(vm.how, DRAINED_STAYS);
    assert_int_equal(vm.reason.id, REASON_NO_OTHER_HOST);
    assert_int_equal(vm.reason.n[0], 1);
    assert_string_equal(vm.reason.text, "\nno-other-host");
    assert_int_equal(vm.for_lease, 2);
    assert_int_equal(vm.leaves, store_leaves_at(lease));
    drains_finish(&drains);
    close_house(&house);
}

/* It has left its host for lease 2 already. */
static void a_tried_drain_knows_what_is_being_suspended(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_STOPPING, LEASE_BEST_EFFORT, 1000);
    struct drains drains = {0};
    struct drained_vm vm;
    struct house house;
    struct error err = {0};

    open_house(&house, store, 1);
    lease->preempted_for = 2;
    lease->preempted_at = NOW;
    vm_to_change(store, 1)->goal = GOAL_STOP;
    fake_cloud_add_vm(house.scene.fake, 1, VM_RUNNING, 0, CPU, MEMORY);
    scene_poll(&house.scene);
    drains_put(&drains, &(struct drain){.host = 0, .from = NOW + 400, .until = INSTANT_NEVER});
    assert_int_equal(planner_try_drains(house.planner, &drains, NOW, drained, &vm, &err), 0);
    planner_serve(house.planner);
    assert_int_equal(vm.how, DRAINED_SUSPENDED);
    assert_int_equal(vm.at, INSTANT_NONE);
    assert_int_equal(vm.for_lease, 2);
    drains_finish(&drains);
    close_house(&house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tried_request_changes_nothing),
        TEST(a_tried_change_changes_nothing),
        TEST(a_request_comes_before_those_that_wait),
        TEST(a_request_is_not_tried_on_hosts_for_pinned_vms),
        TEST(a_tried_drain_moves_a_vm_that_is_off),
        TEST(a_tried_drain_knows_what_is_preempted),
        TEST(a_tried_drain_knows_what_is_being_suspended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
