#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/world.h"

static struct vm_observation in_state(enum vm_state state)
{
    return (struct vm_observation){.state = state, .present = true, .history = {.host = 0}};
}

static void booting_and_saving_use_the_host(void **state)
{
    const enum vm_state used[] = {VM_PREPARING, VM_BOOTING, VM_RUNNING, VM_CHANGING, VM_UNKNOWN};
    const enum vm_state free[] = {VM_LEAVING, VM_FAILED};

    (void)state;
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

    (void)state;
    assert_true(observed_holds_host(&suspended) && !observed_uses_host(&suspended));
    assert_true(observed_holds_host(&off) && !observed_uses_host(&off));
    assert_false(observed_holds_host(&stopped) || observed_uses_host(&stopped));
    assert_false(observed_holds_host(&undeployed) || observed_uses_host(&undeployed));
}

static void what_is_gone_or_never_ran_holds_nothing(void **state)
{
    struct vm_observation gone = in_state(VM_RUNNING), fresh = in_state(VM_BOOTING);

    (void)state;
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

    (void)state;
    assert_true(observed_in_transition(&booting));
    assert_false(observed_in_transition(&running) || observed_in_transition(&failed));
    assert_false(observed_in_transition(&pending) || observed_in_transition(&lost));
    assert_true(observed_running(&running) && observed_running(&lost));
    assert_true(observed_failed(&failed) && !observed_failed(&booting));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(booting_and_saving_use_the_host),
        cmocka_unit_test(suspended_and_powered_off_hold_it_in_oneds_books),
        cmocka_unit_test(what_is_gone_or_never_ran_holds_nothing),
        cmocka_unit_test(states_that_end_by_themselves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
