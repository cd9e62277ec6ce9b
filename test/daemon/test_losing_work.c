/* Leases that lose their work when they make room: they are stopped and begin again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

enum { START = NOW + 100, TO_STOP = 10 /* seconds that OpenNebula gets beside the shutdown */ };

static void keep_preemption(void *context, const struct store_event *event)
{
    if (strcmp(event->event, "preempted") == 0)
        snprintf(context, 80, "%s", event->text);
}

/* On one host, a restartable lease runs, and a reservation is requested. */
static struct lease_record *run_restartable(struct house *house, struct store *store,
                                            int64_t duration, int64_t shutdown)
{
    struct lease_record *running = add_lease(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, duration);
    struct lease_record *wanted = add_lease(store, 2, PHASE_WAITING, LEASE_RESERVATION, 300);

    open_house(house, store, 1);
    house->scene.policies = (struct policy_hooks){.score_victims = all_may_be_preempted};
    house->scene.settings.engine.shutdown_time = shutdown;
    house->planner = scene_renew_planner(&house->scene);
    running->since = NOW - 2;
    running->terms = TERMS_RESTARTABLE;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    wanted->terms = TERMS_NON_PREEMPTABLE;
    wanted->preemptible = false;
    wanted->accepted = false;
    wanted->start = START;
    rebuild(house, NOW);
    assert_int_equal(wanted->phase, PHASE_RESERVED);
    return running;
}

/* It is told at once that it is stopped, not suspended, and runs until its host is needed. */
static void it_runs_until_its_host_is_needed(void **state)
{
    static const int64_t durations[] = {1000, SPAN_UNLIMITED, 1000}, shutdowns[] = {5, 5, 0};
    struct store_fixture *fixture = *state;

    for (size_t i = 0; i < 3; i++) {
        struct store *store = fixture->store;
        struct lease_record *running;
        int64_t stop = START - TO_STOP - shutdowns[i];
        char text[80] = "", activity[STORE_ACTIVITY_MAX];
        struct house house;

        running = run_restartable(&house, store, durations[i], shutdowns[i]);
        assert_int_equal(running->phase, PHASE_RUNNING);
        assert_int_equal(store_each_event(store, 1, 0, keep_preemption, text, NULL), 0);
        assert_ptr_equal(strstr(text, "to be stopped for lease 2, which starts at "), text);
        store_activity(running, NOW, activity, sizeof activity);
        assert_non_null(strstr(activity, "Running, to be stopped for lease 2 at "));
        running->reason_id = REASON_CANNOT_LEAVE; /* its host is drained, too */
        store_activity(running, NOW, activity, sizeof activity);
        assert_non_null(strstr(activity, "Running, to be stopped for lease 2 at "));
        running->reason_id = REASON_REQUEUED_FOR;
        rebuild(&house, NOW + 1);
        assert_false(planner_is_outdated(house.planner));
        assert_int_equal(planner_next_time(house.planner), stop);
        scene_plan(&house.scene, false, stop - 1);
        assert_int_equal(running->phase, PHASE_RUNNING);
        scene_plan(&house.scene, false, stop);
        assert_int_equal(running->phase, PHASE_STOPPING);
        assert_int_equal(store_vm(store, 1)->goal, GOAL_AGAIN);
        close_house(&house);
        store_tear_down(state);
        store_set_up(state);
        fixture = *state;
    }
}

/* No plan was made when it was to be stopped. */
static void it_is_stopped_late_rather_than_never(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running;
    struct house house;

    running = run_restartable(&house, store, 1000, 0);
    rebuild(&house, START);
    scene_plan(&house.scene, false, START + 1);
    assert_int_equal(running->phase, PHASE_STOPPING);
    close_house(&house);
}

/* The reservation is cancelled: it stays. */
static void it_stays_when_its_host_is_not_needed(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running;
    struct house house;

    running = run_restartable(&house, store, 1000, 0);
    assert_true(store_is_preempted(running));
    assert_int_equal(lease_apply(store, store_lease(store, 2), EVENT_CANCELLED, NOW + 10, "%s", ""),
                     0);
    rebuild(&house, NOW + 10);
    assert_false(store_is_preempted(running));
    rebuild(&house, START);
    assert_int_equal(running->phase, PHASE_RUNNING);
    close_house(&house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_runs_until_its_host_is_needed, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(it_is_stopped_late_rather_than_never, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(it_stays_when_its_host_is_not_needed, store_set_up,
                                        store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
