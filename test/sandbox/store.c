/* The pool survives the death of the daemon. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"
#include "util/memory.h"

static char path[64];

static struct oned *open_state(struct error *err)
{
    struct oned_options options = fixture_options(ONED_7_4, 3);

    options.state = path;
    options.times[ONED_BOOT] = 30000;
    return oned_create(&options, err);
}

/* Everything a client can see, in one text. */
static char *snapshot(struct oned *oned)
{
    static const char *const pools[] = {
        "one.hostpool.info", "one.clusterpool.info", "one.datastorepool.info",
        "one.userpool.info", "one.grouppool.info",   "one.acl.info",
    };
    char *all = memory_text(""), *more;

    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        more = all;
        if (asprintf(&all, "%s\n%s", more, fixture_call(oned, pools[i], "(s)", ADMIN)->text) < 0)
            fail();
        free(more);
    }
    for (int vm = 0; vm < 6; vm++) {
        more = all;
        if (asprintf(&all, "%s\n%s", more,
                     fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm)->text) < 0)
            fail();
        free(more);
    }
    return all;
}

static void live(struct oned *oned)
{
    fixture_do(oned, "one.user.allocate", "(ssss)", ADMIN, "anna", "secret", "core");
    fixture_do(oned, "one.host.update", "(sisi)", ADMIN, 1, "RACK=r1\nRESERVED_CPU=100", 1);
    fixture_do(oned, "one.host.status", "(sii)", ADMIN, 2, 1);
    for (int i = 0; i < 6; i++)
        fixture_vm(oned, 1 + i, 512);
    for (int i = 0; i < 3; i++)
        fixture_do(oned, "one.vm.deploy", "(siibi)", ADMIN, i, i % 2, (xmlrpc_bool)1, -1);
    fixture_do(oned, "one.vm.update", "(sisi)", ADMIN, 4,
               "SCHED_MESSAGE=\"a < b & ]]> c\"\nHAIZEA=[START=now,DURATION=01:00:00]", 1);
    fixture_pass(oned, 40);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "suspend", 0);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "stop", 1);
    fixture_do(oned, "one.vm.schedadd", "(sis)", ADMIN, 2,
               "SCHED_ACTION=[ACTION=poweroff,TIME=\"+9000\"]");
    fixture_pass(oned, 5);
    fixture_do(oned, "one.vm.deploy", "(siibi)", ADMIN, 3, 0, (xmlrpc_bool)1, -1);
}

static int begin(void **state)
{
    snprintf(path, sizeof path, "store-test-%d.db", (int)getpid());
    return 0;
}

static int end(void **state)
{
    char other[80];

    unlink(path);
    snprintf(other, sizeof other, "%s-wal", path);
    unlink(other);
    return 0;
}

static void nothing_is_lost_when_it_is_killed(void **state)
{
    struct error err = {0};
    struct oned *oned;
    char *before, *after;
    int pipes[2], status;
    pid_t child;
    FILE *file;
    size_t size = 0;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        oned = open_state(&err);
        live(oned);
        before = snapshot(oned);
        file = fdopen(pipes[1], "w");
        fputs(before, file);
        fclose(file);
        fixture_vm(oned, 1, 512); /* answered, and then no time for anything else */
        kill(getpid(), SIGKILL);
    }
    close(pipes[1]);
    file = fdopen(pipes[0], "r");
    before = NULL;
    assert_true(getdelim(&before, &size, '\0', file) > 1000);
    fclose(file);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    oned = open_state(&err);
    if (!oned)
        fail_msg("%s", err.text);
    after = snapshot(oned);
    assert_string_equal(before, after);
    fixture_assert_state(oned, 6, 1, 0);
    free(before);
    free(after);
    oned_destroy(oned);
}

static void operations_go_on_after_a_restart(void **state)
{
    struct error err = {0};
    struct oned *oned = open_state(&err);

    fixture_pass(oned, 1);
    fixture_assert_state(oned, 3, 3, 2);
    fixture_pass(oned, 40);
    fixture_assert_state(oned, 3, 3, 3);
    oned_destroy(oned);
}

static void another_version_is_refused(void **state)
{
    struct oned_options options = fixture_options(ONED_6_10, 3);
    struct error err = {0};

    options.state = path;
    assert_null(oned_create(&options, &err));
    assert_non_null(strstr(err.text, "another version"));
}

static void a_second_daemon_on_the_file_is_refused(void **state)
{
    struct error err = {0};
    struct oned *oned = open_state(&err);

    assert_null(open_state(&err));
    assert_non_null(strstr(err.text, "locked"));
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_when_it_is_killed),
        cmocka_unit_test(operations_go_on_after_a_restart),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_second_daemon_on_the_file_is_refused),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
