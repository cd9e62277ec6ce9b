/* The planner process, which is asked for more while it makes a plan. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "configuration/live.h"
#include "daemon/base/clock.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"
#include "util/instant.h"

/* The default policies, in a process. */
static struct configuration *read_configuration(const struct store_fixture *fixture)
{
    const struct configuration_overrides overrides = {0};
    struct configuration *configuration;
    char path[128];
    struct error err = {0};
    FILE *stream;

    assert_int_equal(chmod(fixture->directory, 0755), 0); /* another user may plan */
    store_path_in(fixture, "conf", path);
    stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("[simulation]\nresources: 4  CPU:400 Memory:8192\n[general]\nmode: simulated\n", stream);
    fclose(stream);
    configuration = live_configuration_read(path, &overrides, &err);
    if (!configuration)
        fail_msg("%s", err.text);
    return configuration;
}

static void serve(struct planner *planner)
{
    struct pollfd fds[PLANNER_FDS];
    unsigned n = planner_waitfds(planner, fds);

    poll(fds, n, 10);
    planner_serve(planner);
}

static void begin_plan(struct house *house, int64_t now)
{
    struct error err = {0};

    if (planner_plan(house->planner, true, now, &err) < 0)
        fail_msg("%s", err.text);
}

static void plan(struct house *house, int64_t now)
{
    begin_plan(house, now);
    while (planner_is_planning(house->planner))
        serve(house->planner);
    assert_true(planner_is_ready(house->planner));
}

/* A house whose planner is a process. */
static void open_with_process(struct house *house, const struct store_fixture *fixture,
                              struct configuration *configuration, int n_hosts)
{
    open_house(house, fixture->store, n_hosts);
    house->scene.settings.configuration = configuration;
    house->scene.settings.forecast = 40;
    house->scene.settings.engine.in_front_least = 3600;
    house->planner = scene_renew_planner(&house->scene);
}

static void count(void *context, const struct planned_operation *operations, size_t n,
                  const struct error *err)
{
    if (!operations && n)
        fail_msg("%s", err->text);
    *(size_t *)context = n;
}

/* The operations of a host are asked for while the plan is being rebuilt. */
static void an_answer_waits_for_the_plan(void **state)
{
    struct store_fixture *fixture = *state;
    struct configuration *configuration = read_configuration(fixture);
    size_t n = SIZE_MAX;
    struct error err = {0};
    struct house house;

    open_with_process(&house, fixture, configuration, 1);
    add_lease(fixture->store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    plan(&house, NOW);
    begin_plan(&house, NOW + 1);
    assert_true(planner_is_planning(house.planner) && !planner_is_ready(house.planner));
    if (planner_operations(house.planner, 0, count, &n, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house.planner);
    while (n == SIZE_MAX)
        serve(house.planner);
    assert_int_not_equal(n, 0);
    close_house(&house);
    configuration_destroy(configuration);
}

/* The planner goes on with a forecast while it makes a plan, and may answer it afterwards. */
static void a_plan_does_not_end_a_forecast(void **state)
{
    struct store_fixture *fixture = *state;
    struct configuration *configuration = read_configuration(fixture);
    struct house house;

    open_with_process(&house, fixture, configuration, 1);
    for (int64_t id = 1; id <= 40; id++)
        add_lease(fixture->store, id, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    plan(&house, NOW);
    planner_forecast(house.planner);
    plan(&house, NOW + 1);
    while (planner_forecast_due(house.planner) == INSTANT_NEVER) /* until it is answered */
        serve(house.planner);
    assert_int_equal(planner_ended(house.planner), 0);
    close_house(&house);
    configuration_destroy(configuration);
}

/* Runs on that host from `since` on. */
static void add_running(struct store *store, int64_t id, int32_t host, int64_t since,
                        int64_t duration)
{
    struct lease_record *lease = add_lease(store, id, PHASE_RUNNING, LEASE_BEST_EFFORT, duration);

    lease->since = since;
    lease->preemptible = false;
    lease->terms = TERMS_NON_PREEMPTABLE;
    vm_to_change(store, (int32_t)id)->host = host;
}

/* A plain VM is planned behind a reservation on host 0 and a long lease on host 1. It starts in
 * front of the reservation instead, as plans after the forecast still say. */
static void a_start_in_front_is_told_rather_than_the_planned_one(void **state)
{
    struct store_fixture *fixture = *state;
    struct configuration *configuration = read_configuration(fixture);
    struct store *store = fixture->store;
    int64_t now = clock_now();
    struct lease_record *lease;
    struct vm_record *vm;
    struct house house;

    open_with_process(&house, fixture, configuration, 2);
    add_running(store, 1, 0, now - 10, 110);
    add_running(store, 2, 1, now - 10, 30010);
    lease = add_lease(store, 3, PHASE_RESERVED, LEASE_RESERVATION, 600);
    lease->start = now + 40000;
    vm = vm_to_change(store, 3);
    store_avoided(vm)->host[0] = 1;
    vm->avoided->until[0] = now + 100000;
    lease = add_lease(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, SPAN_UNLIMITED);
    lease->preemptible = false;
    lease->terms = TERMS_NON_PREEMPTABLE;
    plan(&house, now);
    assert_in_range(store_lease(store, 4)->expected, now + 30000, now + 31000);
    planner_forecast(house.planner);
    while (planner_forecast_due(house.planner) == INSTANT_NEVER)
        serve(house.planner);
    for (int i = 0; i < 2; i++) {
        assert_in_range(store_lease(store, 4)->expected, now + 100, now + 200);
        assert_int_equal(store_lease(store, 4)->reason_id, REASON_NO_ROOM_NOW);
        plan(&house, now);
    }
    close_house(&house);
    configuration_destroy(configuration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_start_in_front_is_told_rather_than_the_planned_one,
                                        store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(a_plan_does_not_end_a_forecast, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(an_answer_waits_for_the_plan, store_set_up,
                                        store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
