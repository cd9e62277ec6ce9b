/* Modules that learn are told what the store's history says, and after a restart what it remembers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/planner/lessons.h"
#include "plugin/policy_host.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"

static bool wants(void *context)
{
    return policy_host_wants_events(context);
}

static void tell(void *context, const struct policy_event *event)
{
    policy_host_tell(context, event);
}

struct stage {
    struct policy_host *modules;
    struct lessons *lessons;
    char log[4096];
};

/* "event 1 at 100 lease 7 ..."; what else is logged does not matter. */
static void keep(void *context, enum policy_log_level level, const char *text)
{
    struct stage *stage = context;
    const char *event = strstr(text, "event ");
    size_t length = strlen(stage->log);

    if (event)
        snprintf(stage->log + length, sizeof stage->log - length, "%s\n", event);
}

static void open_stage(struct stage *stage, struct store *store)
{
    static const char *const directories[] = {MODULES};
    struct policy_host_settings settings;
    struct lesson_listener listener = {.wants = wants, .tell = tell};
    struct error err;

    *stage = (struct stage){0};
    policy_host_settings_init(&settings);
    settings.admission = "witness";
    settings.directories = directories;
    settings.n_directories = 1;
    settings.log = keep;
    settings.log_context = stage;
    stage->modules = policy_host_create(&settings, &err);
    listener.context = stage->modules;
    assert_non_null(stage->modules);
    stage->lessons = lessons_create(store, &listener);
}

static void close_stage(struct stage *stage)
{
    lessons_destroy(stage->lessons);
    policy_host_destroy(stage->modules);
}

static void expect_told(struct stage *stage, const char *wanted)
{
    assert_string_equal(stage->log, wanted);
    stage->log[0] = '\0';
}

static struct lease_record *new_lease(struct store *store, int64_t id)
{
    struct lease_record *lease = store_add_lease(store, id);
    struct vm_record *vm = store_add_vm(store, (int32_t)id, id);

    assert_non_null(lease);
    lease->submit = id;
    lease->accepted = true;
    vm->cpu = 100;
    vm->memory = 512;
    return lease;
}

static void what_happens_is_told(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct stage stage;
    struct lease_record *lease;

    open_stage(&stage, store);
    lessons_recall(stage.lessons);
    expect_told(&stage, "");
    lease = new_lease(store, 7);
    store_history(store, 7, 10, "requested", "best-effort");
    expect_told(&stage, "");
    store_history(store, 7, 11, "accepted", "waits for room");
    expect_told(&stage, "event 0 at 11 lease 7 other -1 accepted 1\n");
    store_history(store, 7, 12, "starting", "on a host");
    store_history(store, 7, 15, "running", "since its VMs run");
    expect_told(&stage, "event 1 at 15 lease 7 other -1 accepted 0\n");
    lease->preempted_for = 9;
    store_history(store, 7, 20, "preempted", "for lease 9");
    expect_told(&stage, "event 2 at 20 lease 7 other 9 accepted 0\n");
    store_history(store, 7, 30, "running", "since its VMs run");
    expect_told(&stage, "event 3 at 30 lease 7 other -1 accepted 0\n");
    store_history(store, 7, 32, "parked", "by a user or operator");
    expect_told(&stage, "event 5 at 32 lease 7 other -1 accepted 0\n");
    store_history(store, 7, 34, "released", "by a user or operator");
    expect_told(&stage, "event 6 at 34 lease 7 other -1 accepted 0\n");
    store_history(store, 7, 40, "ended", "its time is over");
    expect_told(&stage, "event 4 at 40 lease 7 other -1 accepted 0\n");
    /* Plain VMs have no line for it. */
    new_lease(store, 8)->plain = true;
    store_tell(store, 8, 50, "accepted");
    expect_told(&stage, "event 0 at 50 lease 8 other -1 accepted 1\n");
    new_lease(store, 9)->accepted = false;
    store_history(store, 9, 60, "refused", "no room");
    expect_told(&stage, "event 0 at 60 lease 9 other -1 accepted 0\n"
                        "event 4 at 60 lease 9 other -1 accepted 0\n");
    store_history(store, 9, 70, "ended", "its VMs were deleted");
    expect_told(&stage, "");
    close_stage(&stage);
}

static void the_past_is_told_again(void **state)
{
    struct store_fixture *fixture = *state;
    struct stage stage;
    struct lease_record *lease = new_lease(fixture->store, 7);

    store_history(fixture->store, 7, 10, "accepted", "waits for room");
    store_history(fixture->store, 7, 15, "running", "since its VMs run");
    lease->phase = PHASE_RUNNING;
    lease->since = 15;
    lease_to_change(fixture->store, 7);
    /* Over, and out of memory. */
    lease = new_lease(fixture->store, 5);
    lease->phase = PHASE_ENDED;
    vm_to_change(fixture->store, 5)->gone = true;
    store_history(fixture->store, 5, 16, "accepted", "waits for room");
    store_history(fixture->store, 5, 18, "running", "since its VMs run");
    store_history(fixture->store, 5, 19, "ended", "its time is over");
    /* Nothing is left of its beginning. */
    lease = new_lease(fixture->store, 3);
    lease->phase = PHASE_RUNNING;
    lease->since = 4;
    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_null(store_lease(fixture->store, 5));

    open_stage(&stage, fixture->store);
    store_history(fixture->store, 7, 20, "late", "too early to be told");
    expect_told(&stage, "");
    lessons_recall(stage.lessons);
    expect_told(&stage, "event 0 at 3 lease 3 other -1 accepted 1\n"
                        "event 1 at 4 lease 3 other -1 accepted 0\n"
                        "event 0 at 7 lease 7 other -1 accepted 1\n"
                        "event 1 at 15 lease 7 other -1 accepted 0\n"
                        "event 0 at 16 lease 5 other -1 accepted 1\n"
                        "event 1 at 18 lease 5 other -1 accepted 0\n"
                        "event 4 at 19 lease 5 other -1 accepted 0\n");
    store_history(fixture->store, 7, 21, "running", "since its VMs run");
    expect_told(&stage, "event 3 at 21 lease 7 other -1 accepted 0\n");
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_happens_is_told, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(the_past_is_told_again, store_set_up, store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
