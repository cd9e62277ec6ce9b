/* A plan that is built again from the store keeps what was promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/house.h"
#include "test/daemon/store_fixture.h"

static struct lease_record *add_deadline(struct store *store, int64_t id, enum lease_phase phase,
                                         int64_t duration, int64_t deadline)
{
    struct lease_record *lease = add_lease(store, id, phase, LEASE_DEADLINE, duration);

    lease->deadline = deadline;
    return lease;
}

static void is_suspended(struct store *store, struct lease_record *lease, int64_t ran)
{
    struct vm_record *vm = vm_to_change(store, (int32_t)lease->id);

    vm->suspended_by_us = true;
    vm->ran_for = ran;
    lease->accumulated = ran;
}

struct search {
    int64_t lease;
    enum reservation_kind kind;
    int64_t from;
};

static void find_operation(void *context, const struct planned_operation *operations, size_t n,
                           const struct error *err)
{
    struct search *search = context;

    if (!operations)
        fail_msg("%s", err->text);
    for (size_t i = 0; i < n; i++)
        if (operations[i].lease == search->lease && operations[i].kind == search->kind &&
            operations[i].planned)
            search->from = operations[i].from;
}

/* When what is planned next of that kind begins. */
static int64_t planned(const struct house *house, int64_t id, enum reservation_kind kind)
{
    struct search search = {.lease = id, .kind = kind, .from = INSTANT_NONE};
    struct error err = {0};

    if (planner_operations(house->planner, 0, find_operation, &search, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house->planner);
    return search.from;
}

static void a_suspended_deadline_lease_keeps_its_place(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 5, PHASE_RESERVED, 600, NOW + 1000);
    struct house house;

    open_house(&house, store, 1);
    is_suspended(store, lease, 200);
    lease->expected = NOW + 500;
    add_lease(store, 3, PHASE_WAITING, LEASE_BEST_EFFORT, 450); /* fits before it */
    add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, 700); /* would take its time */
    rebuild(&house, NOW);
    assert_true(planner_knows(house.planner, lease->id));
    assert_int_equal(planned(&house, 5, RESERVATION_RESUME), NOW + 500);
    assert_int_equal(planned(&house, 5, RESERVATION_VM), NOW + 510);
    assert_int_equal(lease->expected, NOW + 500);
    assert_int_equal(store_lease(store, 3)->phase, PHASE_STARTING);
    rebuild(&house, NOW + 1);
    assert_int_equal(planned(&house, 5, RESERVATION_RESUME), NOW + 500);
    close_house(&house);
}

static void the_operations_of_a_host_follow_each_booking(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *next;
    struct house house;

    open_house(&house, store, 1);
    add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600)->start = NOW + 3000;
    rebuild(&house, NOW);
    assert_int_equal(planned(&house, 1, RESERVATION_VM), NOW + 3000);
    next = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 100);
    next->accepted = false;
    next->start = NOW + 500;
    planner_new(house.planner, 2);
    scene_plan(&house.scene, false, NOW + 1);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 500);
    assert_int_equal(planned(&house, 1, RESERVATION_VM), NOW + 3000);
    planner_gone(house.planner, 2);
    scene_plan(&house.scene, false, NOW + 2);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), INSTANT_NONE);
    assert_int_equal(planned(&house, 1, RESERVATION_VM), NOW + 3000);
    close_house(&house);
}

/* Its VM is still on its way when its time has passed: it holds its host, and is in the plan. */
static void a_reservation_whose_time_passed_while_it_began_stays_in_the_plan(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *late = add_lease(store, 1, PHASE_RUNNING, LEASE_RESERVATION, 60);
    struct house house;

    open_house(&house, store, 1);
    late->start = NOW - 100;
    late->end = NOW + 50;
    late->since = NOW - 10;
    vm_to_change(store, 1)->host = 0;
    rebuild(&house, NOW);
    assert_true(planner_knows(house.planner, 1));
    close_house(&house);
}

/* Whatever the ids: who may go only there comes first. */
static void one_without_a_place_takes_nobody_elses(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *anew = add_deadline(store, 1, PHASE_RESERVED, 300, NOW + 5000);
    struct lease_record *placed = add_deadline(store, 2, PHASE_RESERVED, 300, NOW + 320);
    struct lease_record *promised = add_lease(store, 3, PHASE_RESERVED, LEASE_RESERVATION, 100);
    struct house house;

    open_house(&house, store, 1);
    is_suspended(store, anew, 100);
    is_suspended(store, placed, 100);
    anew->expected = NOW - 50;
    placed->expected = NOW + 110;
    promised->start = NOW + 5;
    rebuild(&house, NOW);
    assert_int_equal(planned(&house, 3, RESERVATION_VM), NOW + 5);
    assert_int_equal(planned(&house, 2, RESERVATION_RESUME), NOW + 110);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 320);
    close_house(&house);
}

/* The same of reservations: one that is late already does not make another one late. */
static void one_at_risk_takes_no_promised_place(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *late = add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 100);
    struct house house;

    open_house(&house, store, 1);
    late->start = NOW - 50;
    late->at_risk = true;
    promised->start = NOW + 200;
    rebuild(&house, NOW);
    assert_true(planner_knows(house.planner, 2));
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 200);
    assert_int_equal(late->phase, PHASE_RESERVED);
    assert_false(promised->at_risk);
    close_house(&house);
}

/* Suspending it would not free the host of a VM that its user has switched off, or that is UNKNOWN.
 */
static void a_lease_with_a_vm_that_is_off_or_unknown_makes_no_room(void **state)
{
    static const struct {
        enum vm_state state;
        enum lease_phase asks;
    } cases[] = {
        {VM_POWEROFF, PHASE_REFUSED}, {VM_UNKNOWN, PHASE_REFUSED}, {VM_RUNNING, PHASE_RESERVED}};
    struct store *store = ((struct store_fixture *)*state)->store;

    for (int64_t i = 0; i < 3; i++) {
        struct lease_record *runs =
            add_lease(store, 10 + i, PHASE_RUNNING, LEASE_BEST_EFFORT, 5000);
        struct lease_record *asks = add_lease(store, 20 + i, PHASE_WAITING, LEASE_RESERVATION, 100);
        struct house house;

        open_house(&house, store, 1);
        house.scene.policies.score_victims = all_may_be_preempted;
        fake_cloud_add_vm(house.scene.fake, (int32_t)(10 + i), cases[i].state, 0, CPU, MEMORY);
        scene_poll(&house.scene);
        runs->since = NOW - 100;
        asks->accepted = false;
        asks->start = NOW + 300;
        rebuild(&house, NOW);
        assert_int_equal(asks->phase, cases[i].asks);
        runs->phase = asks->phase = PHASE_ENDED;
        vm_to_change(store, (int32_t)(10 + i))->gone =
            vm_to_change(store, (int32_t)(20 + i))->gone = true;
        close_house(&house);
    }
}

/* Although its VMs would have to be deployed before. */
static void a_refusal_names_the_start_that_was_asked_for(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *runs = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 5000);
    struct lease_record *asks = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 100);
    struct house house;

    open_house(&house, store, 1);
    house.scene.settings.boot_time = 30;
    house.planner = scene_renew_planner(&house.scene);
    fake_cloud_add_vm(house.scene.fake, 1, VM_RUNNING, 0, CPU, MEMORY);
    scene_poll(&house.scene);
    runs->since = NOW - 100;
    asks->accepted = false;
    asks->start = NOW + 300;
    rebuild(&house, NOW);
    assert_int_equal(asks->phase, PHASE_REFUSED);
    assert_int_equal(asks->reason_id, REASON_NO_ROOM_AT_START);
    assert_int_equal(asks->reason_n[1], NOW + 300);
    close_house(&house);
}

/* From the decision over the suspension to the resumption. */
static void it_keeps_it_while_it_leaves(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 1, PHASE_RUNNING, 600, NOW + 820);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    lease->expected = NOW + 300;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    rebuild(&house, NOW);
    assert_int_equal(planned(&house, 1, RESERVATION_SUSPEND), NOW + 90);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 300);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 100);
    assert_int_equal(lease->expected, NOW + 300);

    lease->phase = PHASE_STOPPING;
    vm_to_change(store, 1)->goal = GOAL_STOP;
    rebuild(&house, NOW + 92);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 100);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 300);
    assert_int_equal(lease->expected, NOW + 300);
    assert_int_equal(planner_unplaced(house.planner), 0);
    close_house(&house);
}

/* Its user let its VM go on from the disks: what it has done counts. */
static void work_counts_however_it_was_stopped(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 1, PHASE_RESERVED, 600, NOW + 450);
    struct house house;

    open_house(&house, store, 1);
    lease->accumulated = vm_to_change(store, 1)->ran_for = 200;
    rebuild(&house, NOW);
    assert_true(planner_knows(house.planner, lease->id));
    assert_int_equal(lease->phase, PHASE_STARTING);
    close_house(&house);
}

static void a_reservation_that_ran_before_goes_on(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600);
    struct house house;

    open_house(&house, store, 1);
    lease->start = NOW - 300;
    lease->accumulated = vm_to_change(store, 1)->ran_for = 200;
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    assert_int_equal(lease->end, NOW + 300);
    close_house(&house);
}

/* Which hosts a pending VM may have is in its document: without one it is not placed, and a promise
 * stays where it is. */
static void a_pending_vm_waits_for_its_document(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add_lease(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 600);
    struct fake_cloud *fake;
    struct house house;
    struct error err = {0};

    promised->start = NOW + 50;
    open_house(&house, store, 2);
    fake = house.scene.fake;
    fake_cloud_add_vm(fake, 1, VM_PENDING, -1, CPU, MEMORY);
    fake_cloud_add_vm(fake, 2, VM_PENDING, -1, CPU, MEMORY);
    world_poll(house.scene.daemon.world, POLL_FULL);
    fake->at_once = cloud_pending(&fake->cloud) - 1; /* their documents are asked for last */
    cloud_wait(&fake->cloud, NULL, 0, 0, &err);
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_string_equal(lease->reason_word, "template-not-read");
    assert_false(planner_knows(house.planner, 1));
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 50);
    assert_in_range(planner_retry_time(house.planner), NOW + 1, NOW + 60);

    cloud_wait(&fake->cloud, NULL, 0, 0, &err);
    rebuild(&house, planner_retry_time(house.planner));
    assert_string_equal(lease->reason_word, "hosts-excluded"); /* it needs a datastore */
    close_house(&house);
}

/* No host can be used: what is promised its time cannot be, and is refused; the rest waits. */
static void what_cannot_be_promised_is_refused(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_IMMEDIATE, LEASE_RESERVATION,
                                            LEASE_DEADLINE};
    struct lease_record *leases[4], *promised;
    struct house house;
    struct error err = {0};

    for (int32_t i = 0; i < 4; i++) {
        leases[i] = add_lease(store, i + 1, PHASE_WAITING, kinds[i], 600);
        leases[i]->accepted = false;
    }
    leases[2]->start = NOW + 500;
    leases[3]->deadline = NOW + 5000;
    promised = add_lease(store, 5, PHASE_RESERVED, LEASE_RESERVATION, 600);
    promised->start = NOW + 500;
    open_house(&house, store, 2);
    for (int32_t i = 0; i < 5; i++)
        fake_cloud_add_vm(house.scene.fake, i + 1, VM_PENDING, -1, CPU, MEMORY);
    world_poll(house.scene.daemon.world, POLL_FULL);
    cloud_wait(&house.scene.fake->cloud, NULL, 0, 0, &err);
    rebuild(&house, NOW);
    assert_int_equal(leases[0]->phase, PHASE_WAITING);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(leases[i]->phase, PHASE_REFUSED);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(leases[i]->reason_word, "hosts-excluded"); /* they need a datastore */
    assert_int_equal(promised->phase, PHASE_RESERVED);
    close_house(&house);
}

/* Access rules allow its owner no host: it waits until they have been read once more. */
static void rules_are_read_once_more_for_a_request(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_RESERVATION, 600);
    struct house house;
    struct vm *vm;

    lease->accepted = false;
    lease->start = NOW + 500;
    open_house(&house, store, 1);
    fake_cloud_has_datastore(house.scene.fake);
    vm = fake_cloud_add_vm(house.scene.fake, 1, VM_PENDING, -1, CPU, MEMORY);
    vm->uid = 5;
    vm->gid = 100;
    scene_poll(&house.scene);
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_true(planner_doubts_rules(house.planner));
    assert_true(world_want_site(house.scene.daemon.world));
    scene_poll(&house.scene);
    assert_false(planner_doubts_rules(house.planner));
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_REFUSED);
    close_house(&house);
}

/* --- trials ----------------------------------------------------------------------------------- */

static void found(void *context, const struct planner_trial *trial, const struct error *err)
{
    struct planner_trial *kept = context;

    if (!trial)
        fail_msg("%s", err->text);
    *kept = *trial;
}

static struct planner_trial try_lease(struct house *house, int64_t now, enum lease_kind kind,
                                      int64_t start)
{
    struct node_set set = {.count = 1};
    const struct lease_request request = {.kind = kind,
                                          .start = start,
                                          .deadline = INSTANT_NONE,
                                          .duration = 300,
                                          .duration_original = 300,
                                          .duration_known = SPAN_NONE,
                                          .terms = TERMS_NON_PREEMPTABLE,
                                          .user = 0,
                                          .node_sets = &set,
                                          .n_node_sets = 1};
    struct planner_trial trial = {.start = INSTANT_NONE};
    struct error err = {0};

    set.amounts.of[RESOURCE_CPU] = CPU;
    set.amounts.of[RESOURCE_MEMORY] = MEMORY;
    if (planner_try(house->planner, &request, now, found, &trial, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house->planner);
    return trial;
}

static void preempt_all(void *context, const struct victim_batch *batch, int64_t *scores)
{
    memset(scores, 0, batch->n * sizeof *scores);
}

static void expect_fate(struct house *house, int64_t start, enum victim_fate fate)
{
    struct planner_trial trial = try_lease(house, NOW, LEASE_RESERVATION, start);

    assert_true(trial.accepted);
    assert_int_equal(trial.victims.n, 1);
    assert_int_equal(trial.victims.shown[0].lease, 1);
    assert_int_equal(trial.victims.shown[0].fate, fate);
}

/* The engine has no time to suspend the first one and requeues it: its VMs are suspended all the
 * same, but for terms that allow to lose their work. */
static void trials_name_what_becomes_of_others(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running;
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies = (struct policy_hooks){.score_victims = preempt_all};
    running = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 1000);
    running->since = NOW - 2;
    expect_fate(&house, NOW + 3, VICTIM_SUSPENDED);
    running->terms = TERMS_RESTARTABLE;
    expect_fate(&house, NOW + 3, VICTIM_RESTARTED);
    running->terms = TERMS_CANCELABLE;
    expect_fate(&house, NOW + 3, VICTIM_ENDED);
    close_house(&house);
}

/* The engine that plans is not the one that is tried with. */
static void a_trial_leaves_the_plan_alone(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct house house;

    open_house(&house, store, 1);
    add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600)->start = NOW + 50;
    rebuild(&house, NOW);
    try_lease(&house, NOW + 1, LEASE_RESERVATION, NOW + 3000);
    assert_true(planner_is_ready(house.planner));
    assert_int_equal(planned(&house, 1, RESERVATION_VM), NOW + 50);
    assert_int_equal(planner_next_time(house.planner), NOW + 50);
    close_house(&house);
}

/* --- what changes while a plan is made -------------------------------------------------------- */

struct meanwhile {
    struct store *store;
    bool happened;
};

/* A user cancels while hosts are scored for the lease. */
static void cancel_lease(void *context, const struct host_batch *batch, int64_t *scores)
{
    struct meanwhile *meanwhile = context;
    const struct lease_record *lease = store_lease(meanwhile->store, 1);

    memset(scores, 0, batch->n_hosts * sizeof *scores);
    if (!meanwhile->happened)
        lease_apply(meanwhile->store, lease, EVENT_CANCELLED, NOW, "by a user");
    meanwhile->happened = true;
}

static void what_is_cancelled_meanwhile_does_not_start(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct meanwhile meanwhile = {.store = store};
    struct house house;

    open_house(&house, store, 1);
    house.scene.policies =
        (struct policy_hooks){.context = &meanwhile, .score_hosts = cancel_lease};
    rebuild(&house, NOW);
    assert_true(meanwhile.happened);
    assert_false(lease_can(lease, EVENT_START));
    assert_int_not_equal(lease->phase, PHASE_STARTING);
    assert_int_not_equal(store_vm(store, 1)->goal, GOAL_RUN);
    close_house(&house);
}

/* OpenNebula did not answer from before its start until after its end. */
static void a_reservation_whose_time_passed_does_not_start(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 50);
    struct house house;

    lease->start = lease->expected = NOW + 100;
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    scene_plan(&house.scene, false, NOW + 200);
    assert_int_equal(lease->phase, PHASE_RESERVED); /* reported as missed by the reconciliation */
    assert_int_not_equal(store_vm(store, 1)->goal, GOAL_RUN);
    close_house(&house);
}

/* OpenNebula did not take commands from its start until after its end. */
static void a_start_that_was_never_sent_is_not_over_for_the_plan(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_lease(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 50);
    struct house house;

    lease->start = lease->expected = NOW + 100;
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    scene_plan(&house.scene, false, NOW + 100);
    assert_int_equal(lease->phase, PHASE_STARTING);
    scene_plan(&house.scene, false, NOW + 200);
    assert_int_equal(lease->phase, PHASE_STARTING); /* reported as missed by the reconciliation */
    close_house(&house);
}

/* Deleted by its owner in OpenNebula: it is not seen any more, and goes nowhere. */
static void a_vm_that_is_not_seen_leaves_no_host(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 600);
    struct drains drains = {0};
    struct house house;

    vm_to_change(store, 1)->goal = GOAL_RUN;
    drains_put(&drains, &(struct drain){.from = NOW, .until = INSTANT_NEVER});
    open_house(&house, store, 2);
    house.scene.settings.drains = &drains;
    house.planner = scene_renew_planner(&house.scene);
    rebuild(&house, NOW);
    assert_true(planner_knows(house.planner, lease->id));
    assert_int_equal(store_vm(store, 1)->move, MOVE_NONE);
    close_house(&house);
    drains_finish(&drains);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_suspended_deadline_lease_keeps_its_place),
        TEST(the_operations_of_a_host_follow_each_booking),
        TEST(a_reservation_whose_time_passed_while_it_began_stays_in_the_plan),
        TEST(one_without_a_place_takes_nobody_elses),
        TEST(one_at_risk_takes_no_promised_place),
        TEST(a_lease_with_a_vm_that_is_off_or_unknown_makes_no_room),
        TEST(a_refusal_names_the_start_that_was_asked_for),
        TEST(it_keeps_it_while_it_leaves),
        TEST(work_counts_however_it_was_stopped),
        TEST(a_reservation_that_ran_before_goes_on),
        TEST(a_pending_vm_waits_for_its_document),
        TEST(what_cannot_be_promised_is_refused),
        TEST(rules_are_read_once_more_for_a_request),
        TEST(trials_name_what_becomes_of_others),
        TEST(a_trial_leaves_the_plan_alone),
        TEST(what_is_cancelled_meanwhile_does_not_start),
        TEST(a_reservation_whose_time_passed_does_not_start),
        TEST(a_start_that_was_never_sent_is_not_over_for_the_plan),
        TEST(a_vm_that_is_not_seen_leaves_no_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
