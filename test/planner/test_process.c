/* A planner process: it plans, refuses what is no module, opens no files; the place of a module
 * that is out of service. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/planner/scene.h"

static const struct test_plan one_lease = {.n_hosts = 4, .n_leases = 1, .now = 1000, .cpu = 100};

static void it_plans(void **state)
{
    struct scene scene;

    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene_start(&scene);
    assert_true(scene_served(&scene));
    assert_true(scene.ready);
    assert_true(scene_plan(&scene, &one_lease));
    assert_true(scene.reply.n_outputs > 0);
    assert_true(scene_plan(
        &scene, &(struct test_plan){.n_hosts = 4, .n_leases = 3000, .now = 2000, .cpu = 100}));
    assert_true(scene.reply.n_views > 2900);
    scene_end(&scene);
}

static void ranks_and_requirements_hold(void **state)
{
    const struct test_plan ranked = {
        .n_hosts = 4, .n_leases = 1, .now = 1000, .cpu = 100, .is_ranked = true};
    struct scene scene;
    bool placed = false;

    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene_start(&scene);
    assert_true(scene_served(&scene));
    assert_true(scene_plan(&scene, &ranked));
    for (size_t i = 0; i < scene.reply.n_outputs; i++) {
        const struct plan_reservation *reservation = &scene.reply.outputs[i].reservation;

        if (!reservation->there)
            continue;
        placed = true;
        assert_true(reservation->n_vms > 0);
        for (size_t j = 0; j < reservation->n_vms; j++)
            assert_int_equal(reservation->vms[j].host, 2);
    }
    assert_true(placed);
    scene_end(&scene);
}

static void a_module_that_cannot_be_loaded_is_refused(void **state)
{
    struct scene scene;

    scene_begin(&scene, "wrong-major", POLICY_ADMISSION);
    scene_start(&scene);
    scene_served(&scene);
    assert_true(scene.refused);
    assert_non_null(strstr(scene.text, "was built for policy ABI"));
    scene_end(&scene);
}

/* Started by root, the planner runs as another user. */
static void a_module_must_be_readable_for_its_user(void **state)
{
    char folder[] = "/tmp/galerna-planner-XXXXXX", link[128];
    struct scene scene;

    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/offends-admission.so", folder);
    assert_int_equal(symlink(MODULES "/offends-admission.so", link), 0);
    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene.module.file = link;
    scene_start(&scene);
    scene_served(&scene);
    unlink(link);
    rmdir(folder);
    assert_true(scene.refused);
    assert_non_null(strstr(scene.text, link));
    assert_non_null(strstr(scene.text, "permission denied for user 'nobody'"));
    assert_non_null(strstr(scene.text, "planner-user"));
    scene_end(&scene);
}

static void files_cannot_be_opened(void **state)
{
    struct scene scene;

#ifdef GALERNA_SANITIZED /* they open files themselves */
    skip();
#endif
    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene_option(&scene, "does", "open");
    scene_start(&scene);
    assert_true(scene_served(&scene));
    assert_true(scene_plan(&scene, &one_lease)); /* it aborts when a file opens */
    scene_end(&scene);
}

static void slow_answers_stand(void **state)
{
    struct scene scene;
    size_t refused = 0;

    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene_option(&scene, "does", "refuse-slowly");
    scene_option(&scene, "sleeps", "150");
    scene_start(&scene);
    assert_true(scene_served(&scene));
    assert_true(scene_plan(
        &scene, &(struct test_plan){.n_hosts = 4, .n_leases = 15, .now = 9, .cpu = 100}));
    for (size_t i = 0; i < scene.reply.n_outputs; i++)
        refused += scene.reply.outputs[i].kind == OUTPUT_FINISHED &&
                   scene.reply.outputs[i].state == LEASE_REJECTED;
    assert_int_equal(refused, 15);
    scene_end(&scene);
}

static void in_the_place_of_an_admission_policy_all_is_refused_for_now(void **state)
{
    struct scene scene;
    bool refused = false;
    char text[256];

    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene.module.outage = "crashed when it was created";
    scene_start(&scene);
    assert_true(scene_served(&scene));
    assert_true(scene_plan(&scene, &one_lease));
    for (size_t i = 0; i < scene.reply.n_outputs; i++)
        if (scene.reply.outputs[i].kind == OUTPUT_FINISHED) {
            refused = true;
            assert_string_equal(reason_word(&scene.reply.outputs[i].reason), POLICY_OUT_OF_SERVICE);
            reason_format_body(&scene.reply.outputs[i].reason, text, sizeof text, NULL);
            assert_string_equal(text, "the admission policy offends-admission is out of service: "
                                      "it crashed when it was created");
        }
    assert_true(refused);
    scene_end(&scene);
}

static void no_module_is_suspected_when_none_was_called(void **state)
{
    struct wire_writer no_question = {0};
    struct scene scene;

    scene_begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene.module.outage = "crashed when it was created";
    scene_start(&scene);
    assert_true(scene_served(&scene));
    wire_begin(&no_question);
    wire_put(&no_question, FRAME_READY);
    wire_end(&no_question);
    planner_process_send(scene.process, &no_question, 1);
    assert_false(scene_served(&scene));
    assert_int_equal(planner_process_offence(scene.process)->module, -1);
    assert_int_equal(planner_process_offence(scene.process)->last, -1);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_plans),
        cmocka_unit_test(ranks_and_requirements_hold),
        cmocka_unit_test(a_module_that_cannot_be_loaded_is_refused),
        cmocka_unit_test(a_module_must_be_readable_for_its_user),
        cmocka_unit_test(files_cannot_be_opened),
        cmocka_unit_test(slow_answers_stand),
        cmocka_unit_test(in_the_place_of_an_admission_policy_all_is_refused_for_now),
        cmocka_unit_test(no_module_is_suspected_when_none_was_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
