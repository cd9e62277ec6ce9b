/* Extended forms of VMs: which answers count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

struct sky {
    struct fake_cloud *fake;
    struct world *world;
};

static void open_sky(struct sky *sky)
{
    sky->fake = fake_cloud_create();
    sky->world = fake_cloud_world(sky->fake);
}

static void close_sky(struct sky *sky)
{
    world_destroy(sky->world);
    cloud_destroy(&sky->fake->cloud);
}

/* Answer so many questions; 0: all. */
static void answer(struct sky *sky, size_t n)
{
    struct error err = {0};

    sky->fake->at_once = n;
    assert_int_equal(cloud_wait(&sky->fake->cloud, NULL, 0, 0, &err), 0);
}

static void poll_unseen(struct sky *sky)
{
    fake_cloud_wait_a_moment();
    world_poll(sky->world, POLL_FULL);
    answer(sky, 0);
}

/* What it brought is taken in. */
static void poll_all(struct sky *sky)
{
    size_t n;

    poll_unseen(sky);
    (void)world_forms(sky->world, &n);
}

static struct vm *add(struct sky *sky, int32_t id, int64_t memory, enum vm_state state)
{
    return fake_cloud_add_vm(sky->fake, id, state, state == VM_PENDING ? -1 : 0, 100, memory);
}

static const struct vm *full_of(const struct sky *sky, int32_t id)
{
    const struct vm_observation *observed = world_vm(sky->world, id);

    return observed ? observed->full : NULL;
}

static void a_poll_replaces_what_was_asked_before_it(void **state)
{
    struct sky sky;

    open_sky(&sky);
    add(&sky, 7, 512, VM_PENDING);
    world_poll(sky.world, POLL_FULL);
    answer(&sky, cloud_pending(&sky.fake->cloud) - 1);
    assert_null(full_of(&sky, 7)); /* not before the poll is over */
    answer(&sky, 0);
    assert_int_equal(full_of(&sky, 7)->memory, 512);
    fake_cloud_put(sky.fake, 7, VM_RUNNING, 0);
    add(&sky, 8, 256, VM_PENDING);
    poll_all(&sky);
    poll_all(&sky); /* with the times of 7 known, it is not asked for any more */
    assert_null(full_of(&sky, 7));
    assert_int_equal(full_of(&sky, 8)->memory, 256);
    close_sky(&sky);
}

static void a_refresh_counts_at_once_and_survives_the_poll_beside_it(void **state)
{
    struct sky sky;
    struct vm *vm;
    size_t first_stage;

    open_sky(&sky);
    vm = add(&sky, 7, 512, VM_PENDING);
    poll_all(&sky);

    vm->memory = 600;
    add(&sky, 8, 64, VM_RUNNING); /* which the poll asks for behind all others */
    fake_cloud_wait_a_moment();
    world_poll(sky.world, POLL_FULL);
    first_stage = cloud_pending(&sky.fake->cloud);
    fake_cloud_wait_a_moment();
    world_poll(sky.world, POLL_NOTICE);
    answer(&sky, first_stage);
    assert_int_equal(full_of(&sky, 7)->memory, 512);
    vm->memory = 700;
    add(&sky, 9, 128, VM_PENDING);
    answer(&sky, 1);
    assert_true(world_polling(sky.world));
    assert_int_equal(full_of(&sky, 9)->memory, 128);
    assert_int_equal(full_of(&sky, 7)->memory, 700);
    answer(&sky, 0);
    assert_false(world_polling(sky.world));
    assert_int_equal(full_of(&sky, 9)->memory, 128);
    assert_int_equal(full_of(&sky, 7)->memory, 700); /* the later answer */

    vm->memory = 800;
    fake_cloud_put(sky.fake, 9, VM_RUNNING, 0);
    poll_all(&sky);
    poll_all(&sky); /* with the times of 9 known, it is not asked for any more */
    assert_null(full_of(&sky, 9));
    assert_int_equal(full_of(&sky, 7)->memory, 800);
    close_sky(&sky);
}

/* While a plan is made, polls follow each other, and nothing is taken in. */
static void forms_that_were_not_taken_in_are_asked_for_again(void **state)
{
    struct sky sky;

    open_sky(&sky);
    add(&sky, 7, 512, VM_HOLD);
    add(&sky, 8, 512, VM_RUNNING);
    for (int i = 0; i < 3; i++) {
        poll_unseen(&sky);
        assert_non_null(full_of(&sky, 7));
        assert_non_null(full_of(&sky, 8));
    }
    poll_all(&sky);
    assert_non_null(full_of(&sky, 7));
    poll_all(&sky);
    assert_null(full_of(&sky, 7));
    close_sky(&sky);
}

static void forms_of_running_vms_are_freed_unless_they_are_wanted(void **state)
{
    const int32_t wanted[] = {8};
    struct sky sky;

    open_sky(&sky);
    add(&sky, 7, 512, VM_PENDING);
    add(&sky, 8, 512, VM_RUNNING);
    poll_all(&sky);
    world_want_full(sky.world, wanted, 1);
    world_drop_forms(sky.world);
    assert_non_null(full_of(&sky, 7));
    assert_non_null(full_of(&sky, 8));
    world_want_full(sky.world, NULL, 0);
    world_drop_forms(sky.world);
    assert_null(full_of(&sky, 8));
    assert_true(world_vm(sky.world, 8)->full_seen); /* it is not asked for again */
    assert_non_null(full_of(&sky, 7));
    close_sky(&sky);
}

static void dropped_and_passed_forms_are_not_listed_and_others_of_their_answer_stay(void **state)
{
    struct sky sky;
    size_t n;

    open_sky(&sky);
    add(&sky, 7, 512, VM_RUNNING);
    add(&sky, 8, 512, VM_RUNNING);
    poll_all(&sky);
    for (int i = 0; i < 2000; i++) /* pools are searched for free ones from time to time */
        world_drop_form(sky.world, 7);
    assert_null(full_of(&sky, 7));
    assert_int_equal(full_of(&sky, 8)->memory, 512);
    assert_int_equal(world_forms(sky.world, &n)[0], 8);
    assert_int_equal(n, 1);
    world_pass_form(sky.world, 8);
    (void)world_forms(sky.world, &n);
    assert_int_equal(n, 0);
    assert_int_equal(full_of(&sky, 8)->memory, 512);
    fake_cloud_put(sky.fake, 8, VM_STOPPED, 0);
    poll_unseen(&sky);
    (void)world_forms(sky.world, &n);
    assert_int_equal(n, 1); /* a new form */
    close_sky(&sky);
}

/* However many they are: a drain needs those of all VMs on its hosts. */
static void forms_of_all_vms_that_may_be_placed_again_are_read(void **state)
{
    struct scene scene;
    size_t n;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    for (int32_t i = 0; i < FAKE_VMS_MAX; i++) {
        scene_add(&scene, i, i, GOAL_NONE, 0, 100, 512)->suspended_by_us = true;
        fake_cloud_add_vm(scene.fake, i, VM_STOPPED, 0, 100, 512);
    }
    for (int polls = 0; polls < 2; polls++) { /* the first reads every VM */
        scene_poll(&scene);
        (void)world_forms(scene.daemon.world, &n);
        daemon_want_forms(&scene.daemon);
    }
    for (int32_t i = 0; i < FAKE_VMS_MAX; i++)
        assert_non_null(world_vm(scene.daemon.world, i)->full);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_replaces_what_was_asked_before_it),
        cmocka_unit_test(a_refresh_counts_at_once_and_survives_the_poll_beside_it),
        cmocka_unit_test(forms_that_were_not_taken_in_are_asked_for_again),
        cmocka_unit_test(forms_of_running_vms_are_freed_unless_they_are_wanted),
        cmocka_unit_test(dropped_and_passed_forms_are_not_listed_and_others_of_their_answer_stay),
        cmocka_unit_test_setup_teardown(forms_of_all_vms_that_may_be_placed_again_are_read,
                                        store_set_up, store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
