#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/world.h"

enum {
    PROLOG = 1,
    BOOT = 2,
    RUNNING = 3,
    SAVE_STOP = 5,
    EPILOG_STOP = 10,
    UNKNOWN = 16,
    CLEANUP_RESUBMIT = 15,
    BOOT_FAILURE = 36,
    PROLOG_FAILURE = 39,
};

static struct vm_observation in_state(int state, int lcm_state)
{
    return (struct vm_observation){
        .state = state, .lcm_state = lcm_state, .present = true, .history = {.host = 0}};
}

static void booting_and_saving_use_the_host(void **state)
{
    const int used[] = {PROLOG, BOOT, RUNNING, SAVE_STOP, UNKNOWN};
    const int free[] = {EPILOG_STOP, CLEANUP_RESUBMIT, BOOT_FAILURE, PROLOG_FAILURE};

    (void)state;
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        struct vm_observation observed = in_state(VM_ACTIVE, used[i]);

        assert_true(observed_uses_host(&observed));
    }
    for (size_t i = 0; i < sizeof free / sizeof *free; i++) {
        struct vm_observation observed = in_state(VM_ACTIVE, free[i]);

        assert_false(observed_uses_host(&observed));
        assert_true(observed_holds_host(&observed)); /* as oned counts */
    }
}

static void suspended_and_powered_off_hold_it_in_oneds_books(void **state)
{
    struct vm_observation suspended = in_state(VM_SUSPENDED, 0), off = in_state(VM_POWEROFF, 0);
    struct vm_observation stopped = in_state(VM_STOPPED, 0),
                          undeployed = in_state(VM_UNDEPLOYED, 0);

    (void)state;
    assert_true(observed_holds_host(&suspended) && !observed_uses_host(&suspended));
    assert_true(observed_holds_host(&off) && !observed_uses_host(&off));
    assert_false(observed_holds_host(&stopped) || observed_uses_host(&stopped));
    assert_false(observed_holds_host(&undeployed) || observed_uses_host(&undeployed));
}

static void what_is_gone_or_never_ran_holds_nothing(void **state)
{
    struct vm_observation gone = in_state(VM_ACTIVE, RUNNING), fresh = in_state(VM_ACTIVE, BOOT);

    (void)state;
    gone.present = false;
    fresh.history.host = -1;
    assert_false(observed_uses_host(&gone) || observed_holds_host(&gone));
    assert_false(observed_holds_host(&fresh));
    assert_false(observed_uses_host(NULL) || observed_holds_host(NULL));
}

static void states_that_end_by_themselves(void **state)
{
    struct vm_observation booting = in_state(VM_ACTIVE, BOOT),
                          running = in_state(VM_ACTIVE, RUNNING);
    struct vm_observation failed = in_state(VM_ACTIVE, BOOT_FAILURE),
                          lost = in_state(VM_ACTIVE, UNKNOWN);
    struct vm_observation pending = in_state(VM_PENDING, 0);

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
