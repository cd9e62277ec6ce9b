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
#include "daemon/live/clock.h"
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

static void plan(struct house *house, int64_t now)
{
    rebuild(house, now);
    while (planner_is_planning(house->planner))
        serve(house->planner);
    assert_true(planner_is_ready(house->planner));
}

/* A house whose planner is a process. */
static void open_with_process(struct house *house, const struct store_fixture *fixture,
                              struct configuration *configuration)
{
    struct error err = {0};

    open_house(house, fixture->store, 1);
    planner_destroy(house->planner);
    house->scene.settings.configuration = configuration;
    house->scene.settings.forecast = 40;
    house->planner = house->scene.daemon.planner =
        planner_create(&house->scene.settings, fixture->store, house->scene.daemon.world, &err);
    if (!house->planner)
        fail_msg("%s", err.text);
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

    open_with_process(&house, fixture, configuration);
    add_lease(fixture->store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    plan(&house, NOW);
    rebuild(&house, NOW + 1);
    assert_true(planner_is_planning(house.planner) && !planner_is_ready(house.planner));
    if (planner_operations(house.planner, 0, count, &n, &err) < 0)
        fail_msg("%s", err.text);
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

    open_with_process(&house, fixture, configuration);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_plan_does_not_end_a_forecast, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(an_answer_waits_for_the_plan, store_set_up,
                                        store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
