/* The meaning of the states of VMs, and changes that the world reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/state/world.h"
#include "test/daemon/fake_cloud.h"
#include "util/unqualified.h"

static struct vm_observation in_state(enum vm_state state)
{
    return (struct vm_observation){.state = state, .present = true, .history = {.host = 0}};
}

static void booting_and_saving_use_the_host(void **state)
{
    const enum vm_state used[] = {VM_PREPARING, VM_BOOTING, VM_RUNNING, VM_CHANGING, VM_UNKNOWN};
    const enum vm_state free[] = {VM_LEAVING, VM_FAILED};

    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        struct vm_observation observed = in_state(used[i]);

        assert_true(observed_uses_host(&observed));
    }
    for (size_t i = 0; i < sizeof free / sizeof *free; i++) {
        struct vm_observation observed = in_state(free[i]);

        assert_false(observed_uses_host(&observed));
        assert_true(observed_holds_host(&observed)); /* as oned counts */
    }
}

static void suspended_and_powered_off_hold_it_in_oneds_books(void **state)
{
    struct vm_observation suspended = in_state(VM_SUSPENDED), off = in_state(VM_POWEROFF);
    struct vm_observation stopped = in_state(VM_STOPPED), undeployed = in_state(VM_UNDEPLOYED);

    assert_true(observed_holds_host(&suspended) && !observed_uses_host(&suspended));
    assert_true(observed_holds_host(&off) && !observed_uses_host(&off));
    assert_false(observed_holds_host(&stopped) || observed_uses_host(&stopped));
    assert_false(observed_holds_host(&undeployed) || observed_uses_host(&undeployed));
}

static void what_is_gone_or_never_ran_holds_nothing(void **state)
{
    struct vm_observation gone = in_state(VM_RUNNING), fresh = in_state(VM_BOOTING);

    gone.present = false;
    fresh.history.host = -1;
    assert_false(observed_uses_host(&gone) || observed_holds_host(&gone));
    assert_false(observed_holds_host(&fresh));
    assert_false(observed_uses_host(NULL) || observed_holds_host(NULL));
}

static void states_that_end_by_themselves(void **state)
{
    struct vm_observation booting = in_state(VM_BOOTING), running = in_state(VM_RUNNING);
    struct vm_observation failed = in_state(VM_FAILED), lost = in_state(VM_UNKNOWN);
    struct vm_observation pending = in_state(VM_PENDING);

    assert_true(observed_in_transition(&booting));
    assert_false(observed_in_transition(&running) || observed_in_transition(&failed));
    assert_false(observed_in_transition(&pending) || observed_in_transition(&lost));
    assert_true(observed_running(&running) && observed_running(&lost));
    assert_true(observed_failed(&failed) && !observed_failed(&booting));
}

/* --- migrations that have just been accepted -------------------------------------------------- */

struct observing {
    struct fake_cloud *fake;
    struct world *world;
    struct vm *vm;
};

/* VM 1 runs; its record on host 2 has not begun. */
static void observing_open(struct observing *observing)
{
    observing->fake = fake_cloud_create();
    fake_cloud_add_host(observing->fake, 2, 400, 4096);
    observing->vm = fake_cloud_add_vm(observing->fake, 1, VM_RUNNING, 2, 100, 512);
    observing->vm->history.sequence = 1;
    observing->vm->arriving = true;
    observing->world = fake_cloud_world(observing->fake);
}

static void observing_close(struct observing *observing)
{
    world_destroy(observing->world);
    cloud_destroy(&observing->fake->cloud);
}

static const struct vm_observation *look(struct observing *observing)
{
    fake_cloud_wait_a_moment();
    world_poll(observing->world, POLL_FULL);
    while (cloud_pending(&observing->fake->cloud))
        assert_int_equal(cloud_wait(&observing->fake->cloud, NULL, 0, 0, NULL), 0);
    return world_vm(observing->world, 1);
}

/* As if it had been seen like that so much earlier, in milliseconds. */
static void wait_for(const struct observing *observing, int64_t time)
{
    struct vm_observation *observed = unqualified(world_vm(observing->world, 1));

    observed->arriving -= time;
}

static void an_accepted_migration_is_under_way(void **state)
{
    struct observing observing;

    observing_open(&observing);
    assert_int_equal(look(&observing)->state, VM_LIVE_MIGRATING);
    wait_for(&observing, 50000);
    assert_int_equal(look(&observing)->state, VM_LIVE_MIGRATING);
    observing.vm->arriving = false;
    assert_int_equal(look(&observing)->state, VM_RUNNING);
    observing_close(&observing);
}

/* oned was killed in between: the record will never begin. */
static void one_that_never_begins_is_over_after_a_minute(void **state)
{
    struct observing observing;
    int64_t since;

    observing_open(&observing);
    assert_int_equal(look(&observing)->state, VM_LIVE_MIGRATING);
    wait_for(&observing, 60000);
    assert_int_equal(look(&observing)->state, VM_RUNNING);
    since = world_vm(observing.world, 1)->since;
    assert_int_equal(look(&observing)->state, VM_RUNNING);
    assert_int_equal(world_vm(observing.world, 1)->since, since);
    observing.vm->history.sequence = 2; /* the next one */
    assert_int_equal(look(&observing)->state, VM_LIVE_MIGRATING);
    observing_close(&observing);
}

static size_t changed_vms_of(struct observing *observing)
{
    size_t n;

    look(observing);
    world_take_changed_vms(observing->world, &n);
    return n;
}

static void a_vm_of_another_owner_has_changed(void **state)
{
    struct observing observing;

    observing_open(&observing);
    observing.vm->arriving = false;
    assert_int_not_equal(changed_vms_of(&observing), 0);
    assert_int_equal(changed_vms_of(&observing), 0);
    observing.vm->uid++;
    assert_int_not_equal(changed_vms_of(&observing), 0);
    observing.vm->gid++;
    assert_int_not_equal(changed_vms_of(&observing), 0);
    assert_int_equal(changed_vms_of(&observing), 0);
    observing_close(&observing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(booting_and_saving_use_the_host),
        cmocka_unit_test(suspended_and_powered_off_hold_it_in_oneds_books),
        cmocka_unit_test(what_is_gone_or_never_ran_holds_nothing),
        cmocka_unit_test(states_that_end_by_themselves),
        cmocka_unit_test(an_accepted_migration_is_under_way),
        cmocka_unit_test(one_that_never_begins_is_over_after_a_minute),
        cmocka_unit_test(a_vm_of_another_owner_has_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
