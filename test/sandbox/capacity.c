/* What is counted on hosts: by the rules that real daemons were seen to follow, and under random
 * operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"

enum { HOSTS = 5, VMS = 40, ROUNDS = 1500, HOST_CPU = 1600 };

static int64_t usage(struct oned *oned, int host)
{
    const struct answer *answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, host);

    assert_true(answer->ok);
    return fixture_first(answer->text, "CPU_USAGE");
}

static void act(struct oned *oned, const char *action, int vm)
{
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, action, vm);
    fixture_pass(oned, 1);
}

static void suspended_and_powered_off_keep_their_place(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 2);
    int vm = fixture_running(oned, 0);

    assert_int_equal(usage(oned, 0), 100);
    act(oned, "suspend", vm);
    assert_int_equal(usage(oned, 0), 100);
    act(oned, "resume", vm);
    act(oned, "poweroff", vm);
    assert_int_equal(usage(oned, 0), 100);
    act(oned, "resume", vm);
    assert_int_equal(usage(oned, 0), 100);
    oned_destroy(oned);
}

static void stop_undeploy_and_terminate_free_it(void **state)
{
    static const char *const actions[] = {"stop", "undeploy", "terminate", "terminate-hard"};
    struct oned *oned = fixture_create(ONED_7_4, 2);

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        int vm = fixture_running(oned, 1);

        assert_int_equal(usage(oned, 1), 100);
        act(oned, actions[i], vm);
        assert_int_equal(usage(oned, 1), 0);
    }
    oned_destroy(oned);
}

static void saving_still_counts(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_running(oned, 0);

    fixture_do(oned, "sandbox.time", "(ssisi)", ADMIN, "vm", vm, "save", 5000);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "stop", vm);
    fixture_pass(oned, 4);
    fixture_assert_state(oned, vm, 3, 5);
    assert_int_equal(usage(oned, 0), 100);
    fixture_pass(oned, 2);
    fixture_assert_state(oned, vm, 4, 0);
    assert_int_equal(usage(oned, 0), 0);
    oned_destroy(oned);
}

static void enforced_deploys_are_refused_with_numbers(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int big = fixture_vm(oned, 15.5, 1024), next = fixture_vm(oned, 1, 1024);
    int fat = fixture_vm(oned, 0.25, 100000);
    const struct answer *answer;

    fixture_do(oned, "one.vm.deploy", "(siibi)", ADMIN, big, 0, (xmlrpc_bool)1, -1);
    answer = fixture_call(oned, "one.vm.deploy", "(siibi)", ADMIN, next, 0, (xmlrpc_bool)1, -1);
    assert_int_equal(answer->code, 0x0800);
    assert_string_equal(answer->text, "[one.vm.deploy] virtual machine [1] does not fit in host "
                                      "[0]. Not enough CPU: 100/50");
    answer = fixture_call(oned, "one.vm.deploy", "(siibi)", ADMIN, fat, 0, (xmlrpc_bool)1, -1);
    assert_string_equal(answer->text, "[one.vm.deploy] virtual machine [2] does not fit in host "
                                      "[0]. Not enough memory: 102400000/66060288");
    fixture_do(oned, "one.vm.deploy", "(siibi)", ADMIN, next, 0, (xmlrpc_bool)0, -1);
    assert_int_equal(usage(oned, 0), 1650);
    oned_destroy(oned);
}

static void reserved_capacity_is_not_offered(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 1);
    const struct answer *answer;

    fixture_do(oned, "one.host.update", "(sisi)", ADMIN, 0, "RESERVED_CPU=\"25%\"", 1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "MAX_CPU"), 1200);
    assert_int_equal(fixture_first(answer->text, "TOTAL_CPU"), 1600);
    fixture_do(oned, "one.host.update", "(sisi)", ADMIN, 0, "RESERVED_CPU=\"-400\"", 1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "MAX_CPU"), 2000);
    fixture_do(oned, "one.cluster.update", "(sisi)", ADMIN, 0, "RESERVED_CPU=300", 1);
    fixture_do(oned, "one.host.update", "(sisi)", ADMIN, 0, "RESERVED_CPU=\"\"", 1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "MAX_CPU"), 1300);
    oned_destroy(oned);
}

static void a_vm_deleted_on_its_way_frees_both_hosts(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 2);
    int vm = fixture_running(oned, 0);

    fixture_do(oned, "one.vm.migrate", "(siib)", ADMIN, vm, 1, (xmlrpc_bool)1);
    assert_int_equal(usage(oned, 0), 100);
    assert_int_equal(usage(oned, 1), 100);
    fixture_do(oned, "one.vm.recover", "(sii)", ADMIN, vm, 3);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 6, 0);
    assert_int_equal(usage(oned, 0), 0);
    assert_int_equal(usage(oned, 1), 0);
    oned_destroy(oned);
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

/* One operation, which the daemon may refuse, half the time on the same VM as before. Only deploys
 * and migrations that check capacity. */
static void disturb(struct oned *oned, unsigned *seed, int *last)
{
    static const int recoveries[] = {0, 1, 2, 4, 4, 1, 2};
    static const char *const actions[] = {
        "hold",     "release",       "stop",   "suspend",       "resume", "poweroff",
        "undeploy", "poweroff-hard", "reboot", "undeploy-hard", "resume", "resume",
    };
    int vm = next_random(seed) % 2 ? *last : (int)(next_random(seed) % VMS);
    int host = (int)(next_random(seed) % HOSTS);

    *last = vm;
    switch (next_random(seed) % 8) {
    case 0:
    case 1:
    case 2:
        fixture_call(oned, "one.vm.deploy", "(siibi)", ADMIN, vm, host, (xmlrpc_bool)1, -1);
        break;
    case 3:
        fixture_call(oned, "one.vm.migrate", "(siibbii)", ADMIN, vm, host,
                     (xmlrpc_bool)(next_random(seed) % 2), (xmlrpc_bool)1, -1,
                     (int)(next_random(seed) % 3));
        break;
    case 4:
        fixture_call(oned, "one.vm.recover", "(sii)", ADMIN, vm,
                     recoveries[next_random(seed) % (sizeof recoveries / sizeof *recoveries)]);
        break;
    default:
        fixture_call(oned, "one.vm.action", "(ssi)", ADMIN,
                     actions[next_random(seed) % (sizeof actions / sizeof *actions)], vm);
        break;
    }
    if (next_random(seed) % 4 == 0)
        fixture_call(oned, "sandbox.fault", "(ss)", ADMIN, "FAULT=[KIND=fail]");
}

static bool counts(int64_t state)
{
    return state == 3 || state == 5 || state == 8;
}

/* At rest each host counts the VMs that are on it, and no others; no host is ever over its
 * capacity. */
static void check_at_rest(struct oned *oned)
{
    int64_t expected[HOSTS] = {0};

    for (int vm = 0; vm < VMS; vm++) {
        const struct answer *answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);

        assert_true(answer->ok);
        if (counts(fixture_first(answer->text, "STATE")))
            expected[fixture_last(answer->text, "HID")] += 100 * (1 + vm % 4);
    }
    for (int host = 0; host < HOSTS; host++)
        assert_int_equal(usage(oned, host), expected[host]);
}

/* The life of a few ends now and then; the others must not die out. */
static void end_one(struct oned *oned, int vm)
{
    fixture_call(oned, "one.vm.action", "(ssi)", ADMIN, "terminate", vm);
}

static void random_operations_keep_the_accounts(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, HOSTS);
    unsigned seed = 7;
    int last = 0;

    for (int vm = 0; vm < VMS; vm++)
        fixture_vm(oned, 1 + vm % 4, 512);
    for (int round = 0; round < ROUNDS; round++) {
        disturb(oned, &seed, &last);
        if (round % 100 == 99)
            end_one(oned, round / 100);
        if (next_random(&seed) % 5 == 0) {
            fixture_pass(oned, 60);
            fixture_pass(oned, 60);
            check_at_rest(oned);
        }
        for (int host = 0; host < HOSTS; host++)
            assert_in_range(usage(oned, host), 0, HOST_CPU);
    }
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspended_and_powered_off_keep_their_place),
        cmocka_unit_test(stop_undeploy_and_terminate_free_it),
        cmocka_unit_test(saving_still_counts),
        cmocka_unit_test(enforced_deploys_are_refused_with_numbers),
        cmocka_unit_test(reserved_capacity_is_not_offered),
        cmocka_unit_test(a_vm_deleted_on_its_way_frees_both_hosts),
        cmocka_unit_test(random_operations_keep_the_accounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
