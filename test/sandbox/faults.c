/* Failures on command, without the transport; and what happens to machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"

static int order(struct oned *oned, const char *template)
{
    return (int)fixture_do(oned, "sandbox.fault", "(ss)", ADMIN, template);
}

static const struct answer *deploy(struct oned *oned, int vm, int host)
{
    const struct answer *answer =
        fixture_call(oned, "one.vm.deploy", "(siibi)", ADMIN, vm, host, (xmlrpc_bool)1, -1);

    return answer;
}

static void a_call_is_refused_as_often_as_told(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_vm(oned, 1, 512);
    const struct answer *answer;

    order(oned, "FAULT=[KIND=refuse,METHOD=one.vm.deploy,COUNT=2,SKIP=0,CODE=8192,TEXT=\"No\"]");
    for (int i = 0; i < 2; i++) {
        answer = deploy(oned, vm, 0);
        assert_false(answer->ok);
        assert_int_equal(answer->code, 8192);
        assert_string_equal(answer->text, "[one.vm.deploy] No");
        fixture_assert_state(oned, vm, 1, 0);
    }
    assert_true(deploy(oned, vm, 0)->ok);
    oned_destroy(oned);
}

static void a_fault_can_be_for_one_vm(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int first = fixture_vm(oned, 1, 512), second = fixture_vm(oned, 1, 512);

    order(oned, "FAULT=[KIND=refuse,METHOD=\"one.vm.*\",VM=1,COUNT=-1]");
    assert_true(deploy(oned, first, 0)->ok);
    assert_false(deploy(oned, second, 0)->ok);
    assert_int_equal(fixture_do(oned, "sandbox.clear", "(si)", ADMIN, -1), 1);
    assert_true(deploy(oned, second, 0)->ok);
    oned_destroy(oned);
}

static void a_repeated_call_takes_effect_twice(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    const struct answer *answer;

    order(oned, "FAULT=[KIND=duplicate,METHOD=one.vm.allocate]");
    fixture_vm(oned, 1, 512);
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, 1);
    assert_true(answer->ok);
    order(oned, "FAULT=[KIND=duplicate,METHOD=one.vm.deploy]");
    answer = deploy(oned, 0, 0);
    assert_string_equal(answer->text, "[one.vm.deploy] Deploy action is not available for state "
                                      "LCM_INIT");
    oned_destroy(oned);
}

static void boots_fail_on_a_host(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 2);
    int vm = fixture_vm(oned, 1, 512);

    order(oned, "FAULT=[KIND=fail,PHASE=boot,HOST=1,COUNT=-1]");
    deploy(oned, vm, 1);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 36);
    fixture_do(oned, "one.vm.recover", "(sii)", ADMIN, vm, 2);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 36);
    fixture_do(oned, "one.vm.recover", "(sii)", ADMIN, vm, 4);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 1, 0);
    deploy(oned, vm, 0);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 3);
    oned_destroy(oned);
}

static void a_save_that_fails_leaves_the_vm_running(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_running(oned, 0);
    const struct answer *answer;

    order(oned, "FAULT=[KIND=fail,PHASE=save]");
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "suspend", vm);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 3);
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);
    assert_non_null(strstr(answer->text, "<ERROR>"));
    assert_int_equal(fixture_last(answer->text, "RETIME"), 0);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "suspend", vm);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 5, 0);
    oned_destroy(oned);
}

static void a_suspension_never_ends(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_running(oned, 0);

    order(oned, "FAULT=[KIND=hang,PHASE=save]");
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "suspend", vm);
    fixture_pass(oned, 100000);
    fixture_assert_state(oned, vm, 3, 6);
    fixture_do(oned, "one.vm.recover", "(sii)", ADMIN, vm, 1);
    fixture_assert_state(oned, vm, 5, 0);
    oned_destroy(oned);
}

static void a_deploy_is_slow(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int slow = fixture_vm(oned, 1, 512), quick = fixture_vm(oned, 1, 512);

    order(oned, "FAULT=[KIND=slow,PHASE=boot,VM=0,TIME=20000]");
    deploy(oned, slow, 0);
    deploy(oned, quick, 0);
    fixture_pass(oned, 19);
    fixture_assert_state(oned, slow, 3, 2);
    fixture_assert_state(oned, quick, 3, 3);
    fixture_pass(oned, 2);
    fixture_assert_state(oned, slow, 3, 3);
    oned_destroy(oned);
}

static void a_failed_migration_stays_where_it_was(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 2);
    int vm = fixture_running(oned, 0);
    const struct answer *answer;

    order(oned, "FAULT=[KIND=fail,PHASE=migrate]");
    fixture_do(oned, "one.vm.migrate", "(siib)", ADMIN, vm, 1, (xmlrpc_bool)1);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 3);
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);
    assert_int_equal(fixture_last(answer->text, "HID"), 0);
    assert_int_equal(fixture_last(answer->text, "SEQ"), 2);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 1);
    assert_int_equal(fixture_first(answer->text, "CPU_USAGE"), 0);
    oned_destroy(oned);
}

/* Nothing is known of them, and they boot on another host when they are migrated. */
static void vms_of_a_broken_host(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 2);
    int vm = fixture_running(oned, 0);
    const struct answer *answer;

    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "break");
    fixture_assert_state(oned, vm, 3, 16);
    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "repair");
    fixture_assert_state(oned, vm, 3, 3);
    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "break");
    fixture_do(oned, "one.vm.migrate", "(siib)", ADMIN, vm, 1, (xmlrpc_bool)0);
    fixture_assert_state(oned, vm, 3, 60);
    fixture_pass(oned, 1000);
    fixture_assert_state(oned, vm, 3, 3);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "RUNNING_VMS"), 0);
    oned_destroy(oned);
}

static void hosts_break_and_come_back(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    const struct answer *answer;

    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "break");
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "STATE"), 3);
    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "CPU=400");
    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, "repair");
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "STATE"), 2);
    assert_int_equal(fixture_first(answer->text, "MAX_CPU"), 400);
    fixture_do(oned, "one.host.status", "(sii)", ADMIN, 0, 1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "STATE"), 4);
    fixture_do(oned, "one.host.status", "(sii)", ADMIN, 0, 0);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "STATE"), 0);
    fixture_pass(oned, 1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "STATE"), 2);
    oned_destroy(oned);
}

static void malformed_faults_are_refused(void **state)
{
    static const char *const templates[] = {
        "",
        "FAULT=[KIND=nonsense]",
        "FAULT=[KIND=fail,PHASE=nonsense]",
        "FAULT=[KIND=fail",
        "KIND=fail",
    };
    struct oned *oned = fixture_create(ONED_7_4, 1);

    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        assert_int_equal(fixture_call(oned, "sandbox.fault", "(ss)", ADMIN, templates[i])->code,
                         0x1000);
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_refused_as_often_as_told),
        cmocka_unit_test(a_fault_can_be_for_one_vm),
        cmocka_unit_test(a_repeated_call_takes_effect_twice),
        cmocka_unit_test(boots_fail_on_a_host),
        cmocka_unit_test(a_save_that_fails_leaves_the_vm_running),
        cmocka_unit_test(a_suspension_never_ends),
        cmocka_unit_test(a_deploy_is_slow),
        cmocka_unit_test(a_failed_migration_stays_where_it_was),
        cmocka_unit_test(vms_of_a_broken_host),
        cmocka_unit_test(hosts_break_and_come_back),
        cmocka_unit_test(malformed_faults_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
