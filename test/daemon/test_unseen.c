/* Leases that have ended while no galernad was there, or another one acted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/live/reconcile.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

/* Lines with the text in the log of so many polls, each followed by a reconciliation. */
static int lines_with(struct scene *scene, int polls, const char *text)
{
    int before = dup(STDERR_FILENO), lines = 0;
    char line[1024];
    FILE *log = tmpfile();

    assert_non_null(log);
    assert_true(dup2(fileno(log), STDERR_FILENO) >= 0);
    while (polls-- > 0) {
        scene_poll(scene);
        reconcile(&scene->daemon, 1500);
        daemon_want_forms(&scene->daemon);
    }
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(log);
    while (fgets(line, sizeof line, log))
        lines += strstr(line, text) != NULL;
    fclose(log);
    return lines;
}

static int lines_of_polls(struct scene *scene, int polls)
{
    return lines_with(scene, polls, "\n");
}

/* Any user can have such a VM, for as long as he likes. */
static void vms_that_cannot_be_read_are_logged_once(void **state)
{
    struct scene scene;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.fake->left_out = 1;
    assert_int_equal(lines_of_polls(&scene, 5), 1);
    scene.fake->left_out = 2;
    assert_int_equal(lines_of_polls(&scene, 5), 1);
    scene.fake->left_out = 0;
    assert_int_equal(lines_of_polls(&scene, 2), 0);
    scene.fake->left_out = 2;
    assert_int_equal(lines_of_polls(&scene, 2), 1);
    scene_close(&scene);
}

/* Its VMs may have run meanwhile: it is not said that it was missed. */
static void what_ended_while_galernad_was_off_is_over(void **state)
{
    static const enum lease_phase phases[] = {PHASE_STARTING, PHASE_RESERVED, PHASE_PARKED,
                                              PHASE_WAITING};
    struct scene scene;
    struct lease_record *leases[4];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    for (int32_t i = 0; i < 4; i++) {
        leases[i] = lease_add(scene.daemon.store, i, phases[i],
                              i < 2 ? LEASE_RESERVATION : LEASE_BEST_EFFORT);
        leases[i]->accepted = true;
        scene_add(&scene, i, i, GOAL_NONE, 0, 100, 1024);
        fake_cloud_add_vm(scene.fake, i, VM_DONE, 0, 100, 1024);
    }
    leases[0]->start = leases[1]->start = 1000;
    leases[0]->end = 1600;
    for (int polls = 0; polls < 2; polls++) {
        scene_poll(&scene);
        reconcile(&scene.daemon, 1600);
        for (int i = 0; i < 4; i++)
            assert_int_equal(leases[i]->phase, polls == 0 ? phases[i] : PHASE_ENDED);
        daemon_want_forms(&scene.daemon);
    }
    assert_int_equal(leases[0]->reason_id, REASON_VMS_GONE);
    assert_int_equal(leases[1]->reason_id, REASON_VMS_GONE);
    scene_close(&scene);
}

/* Another front-end has ended it meanwhile, on time or late, or its user has: the records tell. */
static void what_ran_while_galernad_was_off_counts(void **state)
{
    static const struct {
        enum lease_phase phase;
        enum lease_kind kind;
        int64_t since, end, retime, counts;
    } cases[] = {
        {PHASE_WAITING, LEASE_BEST_EFFORT, INSTANT_NONE, INSTANT_NONE, 1250, 250},
        {PHASE_WAITING, LEASE_BEST_EFFORT, INSTANT_NONE, INSTANT_NONE, 1700, 600},
        {PHASE_RUNNING, LEASE_BEST_EFFORT, 1000, 1600, 1300, 300},
        {PHASE_ENDING, LEASE_BEST_EFFORT, INSTANT_NONE, 1200, 1300, 200},
        {PHASE_RESERVED, LEASE_RESERVATION, INSTANT_NONE, INSTANT_NONE, 1650, 500},
    };
    enum { N = sizeof cases / sizeof *cases };
    struct scene scene;
    struct lease_record *leases[N];

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    for (int32_t i = 0; i < N; i++) {
        struct vm *vm = fake_cloud_add_vm(scene.fake, i, VM_DONE, 0, 100, 1024);

        leases[i] = lease_add(scene.daemon.store, i, cases[i].phase, cases[i].kind);
        leases[i]->accepted = true;
        leases[i]->start = 900; /* of the reservation, which began late */
        leases[i]->since = cases[i].since;
        leases[i]->end = cases[i].end;
        scene_add(&scene, i, i, GOAL_NONE, 0, 100, 1024);
        vm->history.rstime = 1000;
        vm->history.retime = cases[i].retime;
    }
    daemon_want_forms(&scene.daemon);
    scene_poll(&scene);
    reconcile(&scene.daemon, 2000);
    for (int i = 0; i < N; i++) {
        assert_int_equal(leases[i]->phase, PHASE_ENDED);
        assert_int_equal(leases[i]->accumulated, cases[i].counts);
    }
    scene_close(&scene);
}

/* Pools have the last record only: the lease ends when the others have been read. */
static void all_that_ran_while_galernad_was_off_counts(void **state)
{
    struct scene scene;
    struct lease_record *lease;
    struct vm *vm;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    lease = lease_add(scene.daemon.store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT);
    lease->since = 1000;
    lease->end = 1600;
    scene_add(&scene, 1, 1, GOAL_RUN, 0, 100, 1024)->ran = true;
    vm = fake_cloud_add_vm(scene.fake, 1, VM_DONE, 0, 100, 1024);
    vm->history.sequence = 1; /* it was suspended and resumed: its end has moved */
    vm->history.rstime = 1650;
    vm->history.retime = 1700;
    vm->n_records = 1;
    daemon_want_forms(&scene.daemon);
    scene_poll(&scene);
    vm->n_records = 2;
    vm->ran_for = 150;
    reconcile(&scene.daemon, 1598);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    scene_poll(&scene);
    reconcile(&scene.daemon, 1599);
    assert_int_equal(lease->phase, PHASE_ENDED);
    assert_int_equal(lease->accumulated, 150);
    scene_close(&scene);
}

/* One lease of a VM each; galernad has never seen those of odd numbers. */
static void open_lost(struct scene *scene, struct store *store, struct lease_record **leases, int n)
{
    scene_open(scene, store);
    for (int32_t i = 0; i < n; i++) {
        leases[i] = lease_add(scene->daemon.store, i, PHASE_RUNNING, LEASE_BEST_EFFORT);
        leases[i]->since = 1000;
        leases[i]->end = 1600;
        scene_add(scene, i, i, GOAL_RUN, 0, 100, 1024)->ran = true;
        if (i % 2 == 0)
            fake_cloud_add_vm(scene->fake, i, VM_RUNNING, 0, 100, 1024);
    }
    scene_poll(scene);
    daemon_want_forms(&scene->daemon);
    scene->fake->n_vms = 0;
}

static void note_line(void *context, const struct store_event *event)
{
    snprintf(context, STORE_TEXT_MAX, "%s: %s", event->event, event->text);
}

static void assert_lost(struct scene *scene, const struct lease_record *lease, const char *line)
{
    char text[STORE_TEXT_MAX] = "";

    assert_int_equal(lease->phase, PHASE_ENDED);
    assert_int_equal(lease->reason_id, REASON_VMS_LOST);
    assert_int_equal(store_each_event(scene->daemon.store, lease->id, 0, note_line, text, NULL), 0);
    assert_string_equal(text, line);
}

/* A VM was purged, or the database was restored from an older dump: the room of the VM is free. */
static void what_opennebula_no_longer_knows_has_ended(void **state)
{
    enum { N = 4 };
    struct lease_record *leases[N];
    struct scene scene;

    open_lost(&scene, ((struct store_fixture *)*state)->store, leases, N);
    assert_int_equal(lines_with(&scene, 1, "no longer knows 2 VMs"), 1);
    for (int i = 0; i < N; i++)
        assert_int_equal(leases[i]->phase, i % 2 ? PHASE_ENDED : PHASE_RUNNING);
    assert_int_equal(lines_with(&scene, 1, "no longer knows 2 VMs"), 1);
    for (int i = 0; i < N; i++)
        assert_lost(&scene, leases[i], "ended: OpenNebula no longer knows its VMs");
    assert_int_equal(lines_with(&scene, 3, "no longer knows"), 0);
    scene_close(&scene);
}

/* Anything else than that the VM does not exist changes nothing. */
static void what_only_cannot_be_read_stays(void **state)
{
    enum { N = 4 };
    struct lease_record *leases[N];
    struct scene scene;

    open_lost(&scene, ((struct store_fixture *)*state)->store, leases, N);
    scene.fake->no_answer = "not authorized";
    assert_int_equal(lines_with(&scene, 4, "cannot be read: not authorized"), 4);
    scene.fake->no_answer = NULL;
    scene.fake->leads = false; /* an oned that does not lead may lag behind */
    assert_int_equal(lines_with(&scene, 2, "no longer knows"), 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(leases[i]->phase, PHASE_RUNNING);
    scene_close(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(vms_that_cannot_be_read_are_logged_once),
        TEST(what_ended_while_galernad_was_off_is_over),
        TEST(what_ran_while_galernad_was_off_counts),
        TEST(all_that_ran_while_galernad_was_off_counts),
        TEST(what_opennebula_no_longer_knows_has_ended),
        TEST(what_only_cannot_be_read_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
